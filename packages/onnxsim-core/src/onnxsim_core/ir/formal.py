"""Which nodes have the form that their operator's schema gives it: numbers of inputs and outputs, types of attributes.

Rules may count on that form. A node of another one is *opaque*: it keeps its place and what it reads, and nothing takes
it for the operator it says it is. Whether it runs is for the runtime to say.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

OPAQUE = "ai.onnx"
"""Domain of an opaque node of the default domain, whose other nodes have none; files know it as the same domain."""
FLAGS = frozenset({
    "allowzero", "ceil_mode", "count_include_pad", "do_normalization", "exclusive", "fmod", "is_test", "keepdims",
    "largest", "noop_with_empty_axes", "reverse", "saturate", "select_last_index", "sorted", "storage_order",
    "training_mode",
})
"""Integer attributes that are 0 or 1; runtimes disagree on what any other number means."""


class Form:
    """What a schema asks of a node of one operator at one version."""

    __slots__ = ("least", "most", "needed", "variadic", "listed", "outputs", "kinds", "required", "_schema", "_types")

    def __init__(self, schema: Any) -> None:
        self._schema = schema
        self._types: list[tuple[frozenset[int], str]] | None = None
        single = schema.FormalParameterOption.Single
        self.least: int = schema.min_input
        self.most: int = schema.max_input
        self.outputs: int = schema.max_output
        needed = 0
        for formal in schema.inputs:
            if formal.option != single:
                break
            needed += 1
        self.needed = needed
        self.variadic = bool(schema.inputs) and schema.inputs[-1].option == schema.FormalParameterOption.Variadic
        self.listed = len(schema.inputs) - 1
        self.kinds = {name: int(attribute.type.value) for name, attribute in schema.attributes.items()}
        self.required = frozenset(name for name, attribute in schema.attributes.items() if attribute.required)

    def fits(self, inputs: Sequence[Any], outputs: int, attributes: Sequence[Any], *, in_function: bool) -> bool:
        """Do these inputs (None where left out), outputs and AttributeProtos fit?

        Only in a function may an attribute refer to one of the caller's.
        """
        count = len(inputs)
        if count < self.least or count > self.most or outputs > self.outputs or not outputs and self.outputs:
            return False
        if None in inputs and (None in inputs[:self.needed] or self.variadic and None in inputs[self.listed:]):
            return False
        kinds = self.kinds
        for attribute in attributes:
            kind, name = attribute.type, attribute.name
            if kinds.get(name, kind) != kind or type(name) is not str:
                return False
            if attribute.ref_attr_name:
                if not in_function:
                    return False
            elif kind == 2:
                if name in FLAGS and attribute.i not in (0, 1):
                    return False
                # onnx's own shape inference ends the process here.
                if name == "num_outputs" and attribute.i != outputs:
                    return False
        return not self.required or self.required.issubset([attribute.name for attribute in attributes])

    def accepts(self, dtypes: Sequence[int]) -> bool:
        """Does the operator take inputs of these types (0 where left out), and of one type where it asks for that?"""
        types = self._types
        if types is None:
            types = self._types = [_types_of(formal, self._schema) for formal in self._schema.inputs]
        bound: dict[str, int] = {}
        for index, dtype in enumerate(dtypes):
            if not dtype or not types:
                continue
            allowed, name = types[min(index, len(types) - 1)]
            if dtype not in allowed or name and bound.setdefault(name, dtype) != dtype:
                return False
        return True


def _types_of(formal: Any, schema: Any) -> tuple[frozenset[int], str]:
    """Element types of the tensors that a formal input takes, and the name that inputs of one type share (or none)."""
    from onnx import TensorProto

    numbers = {f"tensor({kind.lower()})": number for kind, number in TensorProto.DataType.items()}
    allowed = frozenset(numbers[text] for text in listed_types(formal, schema) if text in numbers)
    shares = formal.is_homogeneous or formal.option != schema.FormalParameterOption.Variadic
    return allowed, formal.type_str if shares and not formal.type_str.startswith("tensor(") else ""


def listed_types(formal: Any, schema: Any) -> frozenset[str]:
    """The types that a formal input or output of a schema takes, as the schema writes them."""
    # Not every release of onnx can hand out `formal.types`: 1.20 raises TypeError.
    for constraint in schema.type_constraints:
        if constraint.type_param_str == formal.type_str:
            return frozenset(constraint.allowed_type_strs)
    return frozenset([formal.type_str])


def is_unicode(text: str) -> bool:
    """Is it text that other libraries take? A name that is not valid UTF-8 in the file is none."""
    return text.isascii() or not any("\ud800" <= letter <= "\udfff" for letter in text)


@cache
def newest() -> int:
    """The newest operator set the installed onnx knows."""
    from onnx import defs

    version: int = defs.onnx_opset_version()
    return version


_FORMS: dict[tuple[str, int], Form | None] = {}


def form(op_type: str, opset: int) -> Form | None:
    """The form of a default-domain operator in an opset; of its newest version where the opset has none of that name.

    None for what ONNX does not know.
    """
    key = (op_type, opset)
    if key not in _FORMS:
        _FORMS[key] = _look_up(op_type, opset)
    return _FORMS[key]


def _look_up(op_type: str, opset: int) -> Form | None:
    from onnx import defs

    if not is_unicode(op_type):
        return None
    for version in (min(opset, newest()), newest()):
        if version > 0 and defs.has(op_type, version, ""):
            return Form(defs.get_schema(op_type, version, ""))
    return None
