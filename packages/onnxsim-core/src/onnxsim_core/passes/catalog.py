"""Every pass by name: what it does, whether it is on by default, and what became of onnxoptimizer's passes.

A pass module registers its rules when imported; `MODULES` lists them by hand, in the order their rules are tried.
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from ..errors import OptionError
from ..rewrite.rule import RULES, Rule


@dataclass(frozen=True, slots=True)
class Pass:
    """A named pass. `kind` is rules, engine (done by the pipeline itself), alias, or none (accepted, with the reason)."""

    name: str
    summary: str
    kind: str = "rules"
    default: bool = True


CATALOG: dict[str, Pass] = {}


def declare(name: str, summary: str, *, kind: str = "rules", default: bool = True) -> None:
    """Add a pass to the catalogue."""
    if name in CATALOG:
        raise ValueError(f"pass {name} is declared twice")
    CATALOG[name] = Pass(name, summary, kind, default)


ELIMINATIONS: tuple[str, ...] = (
    "eliminate_identity", "eliminate_nop_cast", "eliminate_nop_dropout", "eliminate_nop_flatten", "eliminate_nop_pad",
    "eliminate_nop_concat", "eliminate_nop_split", "eliminate_nop_expand", "eliminate_expand_before_broadcast",
    "eliminate_nop_transpose", "eliminate_nop_reshape", "eliminate_nop_with_unit", "eliminate_nop_slice",
    "eliminate_nop_tile", "eliminate_nop_reduce", "eliminate_nop_gather", "eliminate_nop_variadic",
    "eliminate_nop_resize", "eliminate_nop_clip", "eliminate_concat_of_pieces", "eliminate_slice_of_concat",
    "eliminate_nop_monotone_argmax", "eliminate_softmax_before_argmax", "eliminate_consecutive_idempotent_ops",
    "eliminate_consecutive_inverses", "eliminate_shape_gather", "eliminate_slice_after_shape", "eliminate_shape_op",
    "eliminate_sequence",
)
FUSIONS: tuple[str, ...] = (
    "fuse_consecutive_casts", "fuse_consecutive_transposes", "fuse_consecutive_squeezes",
    "fuse_consecutive_unsqueezes", "fuse_consecutive_squeeze_unsqueeze", "fuse_consecutive_reshapes",
    "fuse_consecutive_concats", "fuse_consecutive_slices", "fuse_consecutive_reduce_unsqueeze",
    "fuse_consecutive_log_softmax", "fuse_concat_into_reshape", "fuse_gather_unsqueeze", "fuse_slice_squeeze",
    "fuse_layout_chain", "fuse_distant_transposes", "fuse_neg_into_add", "fuse_consecutive_clips",
)
REWRITES: tuple[str, ...] = (
    "rewrite_where", "rewrite_expand_target", "rewrite_slice_bounds", "merge_equal_sizes",
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
MODULES: tuple[str, ...] = ("engine_passes", *CONTROL_FLOW, *ELIMINATIONS, *FUSIONS, *LAYER_FUSIONS, *REWRITES)


def load() -> None:
    """Import every pass module."""
    for module in MODULES:
        import_module(f".{module}", __package__)


def select(*, optimize: bool, skipped: frozenset[str], extra: tuple[str, ...]) -> frozenset[str]:
    """Names of the passes in force.

    Raises:
        OptionError: a name is not in the catalogue.
    """
    load()
    for name in (*skipped, *extra):
        if name not in CATALOG:
            raise OptionError(f"there is no pass called {name!r}", hint=near_matches(name))
    if not optimize:
        return frozenset()
    return frozenset({p.name for p in CATALOG.values() if p.default} | set(extra)) - skipped


def rules_by_root(passes: frozenset[str], opset: int) -> dict[Any, list[Rule]]:
    """Rules of the passes in force by the op type at their root; order is the catalogue's."""
    table: dict[Any, list[Rule]] = {}
    for name in CATALOG:
        if name in passes:
            for rule in RULES.get(name, ()):
                for root in rule.roots if rule.since <= opset else ():
                    table.setdefault((rule.domain, root) if rule.domain else root, []).append(rule)
    return table


def near_matches(name: str) -> str:
    close = difflib.get_close_matches(name, CATALOG, 3)
    return "did you mean " + " or ".join(close) + "?" if close else "see --list-default-optimizers"
