"""Both graphs in one SVG file, as for a README: before on the left, after on the right."""

from __future__ import annotations

from xml.sax.saxutils import escape

from .diff import diff
from .outline import Outline
from .quantity import counted
from .scene import scenes
from .svg import ARROW, FONT, STYLE, draw

MARGIN = 24.0
HEADING = 44.0
BETWEEN = 72.0
LIMIT = 200
"""Boxes per graph; a picture with more cannot be read."""


def picture(before: Outline, after: Outline) -> str:
    """The picture as SVG text."""
    left, right = (draw(scene) for scene in scenes(before, after, diff(before, after), LIMIT))
    left_width, right_width = max(left.width, 220), max(right.width, 220)
    width = MARGIN * 2 + left_width + BETWEEN + right_width
    height = MARGIN * 2 + HEADING + max(left.height, right.height)
    second = MARGIN + left_width + BETWEEN
    line = second - BETWEEN / 2
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" '
        f'height="{height:.0f}" role="img" aria-label="The graph before and after">',
        f"<style>{STYLE}.h {{ font: 600 16px {FONT}; fill: #1e293b; text-anchor: middle; }}</style>",
        f"<defs>{ARROW}</defs>",
        f'<rect width="{width:.0f}" height="{height:.0f}" rx="10" fill="#ffffff"/>',
        f'<path d="M{line:.1f} {MARGIN}V{height - MARGIN:.1f}" stroke="#cbd5e1" stroke-dasharray="4 4"/>',
        _heading(MARGIN + left_width / 2, "before", before),
        _heading(second + right_width / 2, "after", after),
        f'<g transform="translate({MARGIN + (left_width - left.width) / 2:.1f} {MARGIN + HEADING})">{left.body}</g>',
        f'<g transform="translate({second + (right_width - right.width) / 2:.1f} {MARGIN + HEADING})">{right.body}</g>',
        "</svg>",
        "",
    ])


def _heading(x: float, word: str, model: Outline) -> str:
    text = f"{word}: {counted(len(model.nodes), 'node')}, {counted(len(model.constants), 'constant')}"
    return f'<text x="{x:.1f}" y="{MARGIN + 14}" class="h">{escape(text)}</text>'
