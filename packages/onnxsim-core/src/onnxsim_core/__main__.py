"""`python -m onnxsim_core` is the `onnxsim` command."""

import sys

from .cli.main import main

if __name__ == "__main__":
    sys.exit(main())
