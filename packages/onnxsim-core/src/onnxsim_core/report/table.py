"""The table of the original beside the simplified model, and tables in general: with rich on a terminal, else ASCII."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from .facts import ModelFacts
from .plain import plain
from .quantity import Quantity, bytes_text, count_text, density_text

_FORMULA_WIDTH = 44


@dataclass(frozen=True, slots=True)
class Row:
    """A label and one cell per column; `better` says whether the last cell is an improvement."""

    label: str
    cells: tuple[str, ...]
    better: bool = False


@dataclass(slots=True)
class Table:
    """Rows in groups; a line is drawn between groups."""

    header: tuple[str, ...]
    groups: list[list[Row]] = field(default_factory=list)


def simplification_table(before: ModelFacts, after: ModelFacts) -> Table:
    """One row per operator on either side, `Constant` among them, then sizes and costs."""
    table = Table(("", "Original Model", "Simplified Model"))
    counts = {**before.op_counts, "Constant": before.constants}, {**after.op_counts, "Constant": after.constants}
    table.groups.append([_number_row(op, counts[0].get(op, 0), counts[1].get(op, 0))
                         for op in sorted({*counts[0], *counts[1]})])
    table.groups.append([
        Row("Model Size", (bytes_text(before.model_bytes), bytes_text(after.model_bytes)),
            after.model_bytes < before.model_bytes),
        Row("Initializers", (bytes_text(before.initializer_bytes), bytes_text(after.initializer_bytes)),
            after.initializer_bytes < before.initializer_bytes),
        Row("Parameters", (count_text(before.parameters), count_text(after.parameters)),
            after.parameters < before.parameters),
        _quantity_row("MACs", before.macs, after.macs),
        _quantity_row("FLOPs", before.flops, after.flops),
        _quantity_row("Memory Access", before.memory_access, after.memory_access),
        _quantity_row("Memory Footprint", before.memory_footprint, after.memory_footprint),
        Row("Compute Density", (density_text(before.flops, before.memory_access),
                                density_text(after.flops, after.memory_access))),
    ])
    return table


def _number_row(label: str, before: int, after: int) -> Row:
    return Row(label, (str(before), str(after)), after < before)


def _quantity_row(label: str, before: Quantity, after: Quantity) -> Row:
    return Row(label, (before.text(_FORMULA_WIDTH), after.text(_FORMULA_WIDTH)), after.known_less(before))


# --- drawing -------------------------------------------------------------------------------------------------------
def ascii_table(table: Table) -> str:
    """A grid of + - and |; the first column is left-aligned, the others right-aligned."""
    header = [plain(text) for text in table.header]
    groups = [[[plain(text) for text in (row.label, *row.cells)] for row in group] for group in table.groups]
    widths = [len(text) for text in header]
    for group in groups:
        for texts in group:
            widths = [max(width, len(text)) for width, text in zip(widths, texts, strict=True)]
    rule = "+" + "+".join("-" * (width + 2) for width in widths) + "+"
    lines = [rule, _ascii_line(header, widths), rule]
    for group in groups:
        lines += [_ascii_line(texts, widths) for texts in group]
        if group:
            lines.append(rule)
    return "\n".join(lines)


def _ascii_line(cells: Sequence[str], widths: Sequence[int]) -> str:
    aligned = [text.ljust(width) if index == 0 else text.rjust(width)
               for index, (text, width) in enumerate(zip(cells, widths, strict=True))]
    return "| " + " | ".join(aligned) + " |"


def rich_table(table: Table, width: int) -> str:
    """The same with rich's frame, improvements in bold green; the text holds terminal codes.

    Raises:
        ImportError: rich is not installed.
    """
    import io

    from rich.console import Console
    from rich.table import Table as RichTable
    from rich.text import Text

    made = RichTable()
    for index, title in enumerate(table.header):
        made.add_column(Text(plain(title)), justify="left" if index == 0 else "right")
    for group in table.groups:
        for row in group:
            last = Text(plain(row.cells[-1]), style="bold green" if row.better else "")
            made.add_row(Text(plain(row.label)), *[Text(plain(cell)) for cell in row.cells[:-1]], last)
        made.add_section()
    out = io.StringIO()
    Console(file=out, force_terminal=True, width=width).print(made)
    return out.getvalue().rstrip("\n")
