"""`import onnxsim.ranges` and the like: modules that distributions of their own bring, under the names they had."""

import importlib.abc
import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.machinery import ModuleSpec
from types import ModuleType

from ._names import MODULES, installed, missing, source_of


class Finder:
    """Finds the modules of `MODULES`; whatever else is below `onnxsim` is none of its business."""

    @staticmethod
    def find_spec(fullname: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        """The spec of a module that another distribution has.

        Raises:
            ModuleNotFoundError: that distribution is not installed; the text says what to install.
        """
        package, _, name = fullname.rpartition(".")
        source = source_of(name) if package == "onnxsim" and name in MODULES else None
        if source is None:
            return None
        if not installed(source):
            raise missing(name, source)
        return ModuleSpec(fullname, Loader(source.module))


class Loader(importlib.abc.Loader):
    """Gives the module itself, not a copy of it under another name."""

    def __init__(self, module: str) -> None:
        self.module = module
        self.spec: ModuleSpec | None = None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """The module, imported under its own name."""
        module = import_module(self.module)
        self.spec = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Nothing is left to run; the import system has put its spec onto the module, which is taken back."""
        module.__spec__ = self.spec


def install() -> None:
    """Ask the finder last, once."""
    if Finder not in sys.meta_path:
        sys.meta_path.append(Finder)
