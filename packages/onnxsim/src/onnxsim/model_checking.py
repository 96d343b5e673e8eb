"""`onnxsim.model_checking.compare`, as scripts written for earlier releases use it."""

from collections.abc import Mapping, Sequence
from typing import Any

from onnxsim_core.check import check_equal

__all__ = ["compare"]


def compare(
    model_opt: Any,
    model_ori: Any,
    n_times: int = 5,
    input_shapes: Mapping[str, Sequence[int]] | None = None,
    input_data: Mapping[str, Any] | None = None,
    custom_lib: str | None = None,
    verbose: bool = True,
    rtol: float = 1e-4,
    atol: float = 1e-5,
    input_fill: str = "random",
) -> bool:
    """Tell whether two models give the same outputs on generated inputs; `verbose` prints what differs.

    Args:
        model_opt, model_ori: the simplified model and the original, each a path, bytes or a ModelProto.
        n_times: on how many inputs.
        input_shapes, input_data: sizes, or whole arrays, to use for inputs, by name.

    Raises:
        OptionError: a name or an option is not known.
        CheckError: the original itself does not run.
    """
    result = check_equal(
        model_ori,
        model_opt,
        n=max(n_times, 1),
        rtol=rtol,
        atol=atol,
        fill=input_fill,
        input_shapes=input_shapes,
        input_data=input_data,
        custom_lib=custom_lib,
    )
    if verbose and not result.ok:
        print(result)
    return result.ok
