"""Every pass by name: what it does, whether it is on by default, and what became of the passes of other tools.

A pass module registers its rules when imported; `MODULES` lists them by hand, in the order their rules are tried.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any

from ..errors import OptionError
from ..rewrite.rule import ROOTS, Rule


@dataclass(frozen=True, slots=True)
class Pass:
    """A named pass; `kind` says who does it.

    `rules`: rewrite rules. `engine`: the pipeline itself. `alias`: the passes that `means` names. `onnxoptimizer`: the
    package of that name, when asked for. `none`: nobody; the name is accepted, the summary says why nothing is done.
    `elsewhere`: another distribution, or nobody; asking for it is an error that says so. Only `rules` and `engine` can
    be on by default. A pass takes the place of those in `instead_of`, which would undo it. Rules are tried in the order
    of the passes' `place`.
    """

    name: str
    summary: str
    kind: str = "rules"
    default: bool = True
    means: tuple[str, ...] = ()
    instead_of: tuple[str, ...] = ()
    place: int = 0


CATALOG: dict[str, Pass] = {}


def declare(name: str, summary: str, *, kind: str = "rules", default: bool = True, means: tuple[str, ...] = (),
            instead_of: tuple[str, ...] = ()) -> None:
    """Add a pass to the catalogue; it may take the place of one that was to be found elsewhere.

    Raises:
        ValueError: the name is taken.
    """
    if name in CATALOG and CATALOG[name].kind != "elsewhere":
        raise ValueError(f"pass {name} is declared twice")
    place = CATALOG[name].place if name in CATALOG else 1 + max((one.place for one in CATALOG.values()), default=0)
    CATALOG[name] = Pass(name, summary, kind, default and kind in ("rules", "engine"), means, instead_of, place)
    _defaults.cache_clear()


@cache
def _defaults() -> frozenset[str]:
    return frozenset(one.name for one in CATALOG.values() if one.default)


ELIMINATIONS: tuple[str, ...] = (
    "eliminate_identity", "eliminate_nop_cast", "eliminate_nop_dropout", "eliminate_nop_flatten", "eliminate_nop_pad",
    "eliminate_nop_concat", "eliminate_nop_split", "eliminate_nop_expand", "eliminate_expand_before_broadcast",
    "eliminate_nop_transpose", "eliminate_nop_reshape", "eliminate_nop_with_unit", "eliminate_nop_slice",
    "eliminate_nop_tile", "eliminate_nop_reduce", "eliminate_nop_gather", "eliminate_nop_variadic",
    "eliminate_nop_resize", "eliminate_nop_clip", "eliminate_nop_scatter",
    "eliminate_concat_of_pieces", "eliminate_slice_of_concat",
    "eliminate_nop_monotone_argmax", "eliminate_softmax_before_argmax", "eliminate_consecutive_idempotent_ops",
    "eliminate_consecutive_inverses", "eliminate_shape_gather", "eliminate_slice_after_shape", "eliminate_shape_op",
    "eliminate_sequence", "eliminate_nop_softmax", "eliminate_reshape_around_elementwise", "eliminate_zero_state",
)
FUSIONS: tuple[str, ...] = (
    "fuse_consecutive_casts", "fuse_consecutive_transposes", "fuse_consecutive_squeezes",
    "fuse_consecutive_unsqueezes", "fuse_consecutive_squeeze_unsqueeze", "fuse_consecutive_reshapes",
    "fuse_consecutive_concats", "fuse_consecutive_slices", "fuse_consecutive_reduce_unsqueeze",
    "fuse_consecutive_log_softmax", "fuse_concat_into_reshape", "fuse_gather_unsqueeze", "fuse_slice_squeeze",
    "fuse_layout_chain", "fuse_distant_transposes", "fuse_neg_into_add", "fuse_consecutive_clips",
)
REWRITES: tuple[str, ...] = (
    "rewrite_where", "rewrite_bool_where", "rewrite_expand_target", "rewrite_slice_bounds", "merge_equal_sizes",
    "adjust_expand_order",
)
LAYER_FUSIONS: tuple[str, ...] = (
    "fuse_pad_into_conv", "fuse_pad_into_pool", "fuse_bn_into_conv", "fuse_bn_into_gemm", "fuse_add_bias_into_conv",
    "fuse_mul_into_conv", "fuse_preceding_mul_into_conv", "fuse_matmul_add_bias_into_gemm",
    "fuse_transpose_into_gemm", "fuse_affine_into_gemm", "fuse_mul_into_matmul", "fuse_layer_norm", "fuse_rms_norm",
    "fuse_affine_into_norm", "fuse_gelu", "fuse_mul_of_reciprocal", "fuse_hard_sigmoid", "fuse_hard_swish",
    "fuse_mish", "fuse_swish", "fuse_softplus", "fuse_consecutive_mul", "fuse_consecutive_add",
    "fuse_consecutive_matmul", "fuse_consecutive_reduce", "fuse_depth_to_space", "fuse_focus_into_conv",
    "fuse_group_norm", "fuse_lp_normalization", "replace_einsum_with_matmul", "adjust_add",
    "adjust_slice_and_matmul", "accepted_fusions",
)
CONTROL_FLOW: tuple[str, ...] = ("eliminate_if_with_const_cond", "eliminate_loop_with_const_trip_count")
FORMS: tuple[str, ...] = (
    "neg_to_mul", "pow2_to_mul", "explicit_auto_pad", "explicit_conv_padding", "explicit_layer_attributes",
    "explicit_split_sizes", "gemm_transA_to_transpose", "rank0_to_rank1", "dilated_conv_to_taps",
    "maxpool_rowmajor_when_indices_unused", "rewrite_gather_over_concat", "rewrite_gathernd_to_gather",
    "float16_to_float32", "rewrite_gatherelements_to_gather", "rewrite_scatterelements_to_scatternd", "rewrite_implicit_broadcast",
)
"""Other ways to write the same, on request."""
MODULES: tuple[str, ...] = (
    "engine_passes", *CONTROL_FLOW, *ELIMINATIONS, *FUSIONS, *LAYER_FUSIONS, *REWRITES, *FORMS, "other_names",
)


@cache
def load() -> None:
    """Import every pass module."""
    for module in MODULES:
        import_module(f".{module}", __package__)


def select(*, optimize: bool, skipped: frozenset[str], extra: tuple[str, ...]) -> frozenset[str]:
    """Names of the passes in force. A pass that is both skipped and asked for is skipped.

    Raises:
        OptionError: a name is not in the catalogue, or a pass is asked for that is not here.
    """
    load()
    if optimize and not skipped and not extra:
        return _defaults()
    left_out, asked_for = _expanded(skipped), _expanded(extra)
    for name in asked_for:
        if CATALOG[name].kind == "elsewhere":
            raise OptionError(f"pass {name!r} is not part of this installation", hint=CATALOG[name].summary)
    if not optimize:
        return frozenset()
    wanted = [name for name in asked_for if name not in left_out]
    undone = {name for asked in wanted for name in CATALOG[asked].instead_of}
    return frozenset(_defaults() - undone | set(wanted)).difference(left_out)


def idle(extra: Iterable[str]) -> list[str]:
    """A sentence for each pass that was asked for by name and does nothing."""
    return [f"pass {name} was asked for and does nothing: {CATALOG[name].summary.removeprefix('nothing: ')}"
            for name in extra if CATALOG[name].kind == "none"]


def backed(passes: frozenset[str], extra: Iterable[str]) -> list[str]:
    """Passes in force that onnxoptimizer does, in the order they were asked for."""
    return [name for name in dict.fromkeys(extra) if name in passes and CATALOG[name].kind == "onnxoptimizer"]


def _expanded(names: Iterable[str]) -> dict[str, None]:
    """Each name, and for an alias what it means, once."""
    found: dict[str, None] = {}
    for name in names:
        if name not in CATALOG:
            raise OptionError(f"there is no pass called {name!r}", hint=near_matches(name))
        found.update(dict.fromkeys((name, *CATALOG[name].means)))
    return found


def rules_at(root: Any, passes: frozenset[str], opset: int) -> list[Rule]:
    """Rules of the passes in force that are rooted at an operator, a key of `ROOTS`; order is the catalogue's."""
    found = [rule for rule in ROOTS.get(root, ()) if rule.pass_name in passes and rule.since <= opset]
    return sorted(found, key=lambda rule: CATALOG[rule.pass_name].place)


def near_matches(name: str) -> str:
    """What may have been meant by a name that is none."""
    close = difflib.get_close_matches(name, CATALOG, 3)
    return "did you mean " + " or ".join(close) + "?" if close else \
        "--list-default-optimizers and --list-other-optimizers list them"
