"""A scene as SVG: boxes with rounded corners, edges as curves, everything with a tooltip."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape, quoteattr

from .layout import Layout, arrange
from .scene import ADDED, CHANGED, GROUP, INTERFACE, REMOVED, SAME, Box, Scene

TITLE_HEIGHT = 22.0
LINE_HEIGHT = 15.0
_TITLE_WIDTH = 8.2
_LINE_WIDTH = 6.4
COLOURS = {
    SAME: ("#eef2f7", "#94a3b8"),
    REMOVED: ("#fde2e1", "#d9534f"),
    ADDED: ("#dcf5e3", "#2f9e57"),
    CHANGED: ("#fff3cf", "#d39e00"),
    INTERFACE: ("#ffffff", "#475569"),
    GROUP: ("#e2e8f0", "#64748b"),
}
"""Fill and line of each kind of box."""
FONT = "ui-sans-serif, system-ui, 'Segoe UI', Helvetica, Arial, sans-serif"


@dataclass(frozen=True, slots=True)
class Drawing:
    """SVG elements (without the svg element itself) and the room they take."""

    body: str
    width: float
    height: float


def box_size(box: Box) -> tuple[float, float]:
    """Width and height that the text of a box needs."""
    width = len(box.title) * _TITLE_WIDTH
    for line in box.lines:
        width = max(width, len(line) * _LINE_WIDTH)
    return max(64.0, width + 20), TITLE_HEIGHT + 6 + LINE_HEIGHT * len([line for line in box.lines if line])


def draw(scene: Scene) -> Drawing:
    """Lay out and draw a scene."""
    sizes = [box_size(box) for box in scene.boxes]
    layout = arrange(sizes, scene.edges)
    parts = [_edge(layout.routes[index], text) for index, text in enumerate(scene.texts)]
    parts += [_box(index, box, layout, sizes[index]) for index, box in enumerate(scene.boxes)]
    return Drawing("\n".join(parts), layout.width, layout.height)


def _edge(points: Sequence[tuple[float, float]], text: str) -> str:
    (x, y), steps = points[0], []
    for next_x, next_y in points[1:]:
        middle = (y + next_y) / 2
        steps.append(f"C{_n(x)} {_n(middle)} {_n(next_x)} {_n(middle)} {_n(next_x)} {_n(next_y)}")
        x, y = next_x, next_y
    return (f'<path class="e" d="M{_n(points[0][0])} {_n(points[0][1])}{"".join(steps)}" marker-end="url(#arrow)">'
            f"<title>{escape(text)}</title></path>")


def _box(index: int, box: Box, layout: Layout, size: tuple[float, float]) -> str:
    width, height = size
    x, y = layout.x[index] - width / 2, layout.y[index] - height / 2
    fill, line = COLOURS[box.kind]
    radius = height / 2 if box.kind == INTERFACE else 5
    centre = _n(layout.x[index])
    texts = [f'<text x="{centre}" y="{_n(y + 18)}" class="t">{escape(box.title)}</text>']
    for number, text in enumerate(line_ for line_ in box.lines if line_):
        top = y + TITLE_HEIGHT + 11 + LINE_HEIGHT * number
        texts.append(f'<text x="{centre}" y="{_n(top)}" class="l">{escape(text)}</text>')
    return (f'<g class="n" data-k={quoteattr(box.key)}><rect x="{_n(x)}" y="{_n(y)}" width="{_n(width)}" '
            f'height="{_n(height)}" rx="{_n(radius)}" fill="{fill}" stroke="{line}"/>{"".join(texts)}'
            f"<title>{escape(box.details)}</title></g>")


def _n(number: float) -> str:
    """A coordinate in as few characters as will do."""
    return f"{number:.1f}".removesuffix(".0")


STYLE = f"""
.n text {{ font-family: {FONT}; text-anchor: middle; fill: #1e293b; }}
.t {{ font-size: 14px; font-weight: 600; }}
.l {{ font-size: 11px; fill: #475569; }}
.e {{ fill: none; stroke: #94a3b8; stroke-width: 1.3; }}
"""
ARROW = ('<marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
         '<path d="M0 0L8 4L0 8z" fill="#94a3b8"/></marker>')
