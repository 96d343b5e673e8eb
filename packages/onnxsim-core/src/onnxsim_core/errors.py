"""The error tree: everything onnxsim raises on purpose is an `OnnxsimError`.

Every error has a stable `code` for programs, an optional `where` (`main/If_3.then/Conv_7`, or a file) and an optional
`hint` saying what to do about it. `str(error)` is always one line, fit for a terminal.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

_SHOWN_GAPS = 5


class OnnxsimError(Exception):
    """Base of all errors raised on purpose.

    Args:
        message: what is wrong, without a trailing full stop; line breaks are folded into spaces.
        code: stable identifier for programs; the class has a default.
        where: the graph location or the file the error is about.
        hint: what the user can do.
    """

    default_code: ClassVar[str] = "error"

    def __init__(
        self, message: str = "", *, code: str | None = None, where: str | None = None, hint: str | None = None
    ) -> None:
        super().__init__(message)
        self.message = message
        self.code: str = code or self.default_code
        self.where = where
        self.hint = hint

    def _details(self) -> str:
        return ""

    def __str__(self) -> str:
        text = " ".join(self.message.split()) or self.code
        if self.where:
            text = f"{' '.join(self.where.split())}: {text}"
        text += self._details()
        if self.hint:
            text += f" ({' '.join(self.hint.split())})"
        return text


class ModelError(OnnxsimError):
    """A file or model that cannot be read, is invalid, or cannot be written.

    `offset` is the byte of the file where the fault was found, when there is one.
    """

    default_code = "model"

    def __init__(
        self,
        message: str = "",
        *,
        offset: int | None = None,
        code: str | None = None,
        where: str | None = None,
        hint: str | None = None,
    ) -> None:
        super().__init__(message, code=code, where=where, hint=hint)
        self.offset = offset

    def _details(self) -> str:
        return "" if self.offset is None else f" at byte {self.offset}"


class UnsupportedModelError(ModelError):
    """A valid model that a target cannot express; `gaps` lists every reason at once."""

    default_code = "unsupported"

    def __init__(
        self,
        message: str = "",
        *,
        gaps: Iterable[str] = (),
        code: str | None = None,
        where: str | None = None,
        hint: str | None = None,
    ) -> None:
        super().__init__(message, code=code, where=where, hint=hint)
        self.gaps: list[str] = list(gaps)

    def _details(self) -> str:
        if not self.gaps:
            return ""
        shown = "; ".join(" ".join(gap.split()) for gap in self.gaps[:_SHOWN_GAPS])
        rest = len(self.gaps) - _SHOWN_GAPS
        return f": {shown}" + (f"; and {rest} more" if rest > 0 else "")


class PassError(OnnxsimError):
    """A rule or kernel failed; names the pass, the rule, the node and the exception that came out of it."""

    default_code = "pass"

    def __init__(
        self,
        message: str = "",
        *,
        pass_name: str | None = None,
        rule: str | None = None,
        node: str | None = None,
        cause: BaseException | None = None,
        code: str | None = None,
        where: str | None = None,
        hint: str | None = None,
    ) -> None:
        super().__init__(message, code=code, where=where, hint=hint)
        self.pass_name = pass_name
        self.rule = rule
        self.node = node
        self.cause = cause
        if cause is not None:
            self.__cause__ = cause

    def _details(self) -> str:
        named = (("pass", self.pass_name), ("rule", self.rule), ("node", self.node))
        text = "".join(f", {label} {value}" for label, value in named if value)
        if self.cause is not None:
            reason = " ".join(str(self.cause).split())
            text += f": {type(self.cause).__name__}" + (f": {reason}" if reason else "")
        return text


class OptionError(OnnxsimError, ValueError):
    """An option or argument that is unknown, malformed or contradicts another."""

    default_code = "option"


class PluginError(OnnxsimError):
    """A plugin that could not be found, loaded or registered."""

    default_code = "plugin"


class CheckError(OnnxsimError):
    """The simplified model does not compute what the original computes, where the caller asked for that to be fatal."""

    default_code = "check"
