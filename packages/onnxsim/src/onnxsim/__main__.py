"""`python -m onnxsim` is the `onnxsim` command."""

import sys

from onnxsim_command import main

if __name__ == "__main__":
    sys.exit(main())
