"""A page that needs no network: both graphs side by side, to zoom, move, search and compare node by node."""

from __future__ import annotations

from html import escape

from .diff import GraphDiff, diff, diff_lines
from .explain import Event, explain, explanation_lines
from .outline import Outline
from .plain import plain
from .quantity import counted
from .scene import ADDED, CHANGED, GROUP, REMOVED, SAME, Scene, scenes
from .svg import ARROW, COLOURS, STYLE, Drawing, draw
from .table import Table

_LEGEND = {SAME: "same", REMOVED: "removed", ADDED: "added", CHANGED: "changed", GROUP: "many nodes"}


def page(title: str, before: Outline, after: Outline, table: Table, events: list[Event]) -> str:
    """The whole page as HTML."""
    found = diff(before, after)
    left, right = scenes(before, after, found)
    return _PAGE.format(
        title=escape(plain(title)), style=STYLE + _STYLE, legend=_legend(), arrow=ARROW,
        before=_pane("before", left, draw(left)), after=_pane("after", right, draw(right)),
        table=_table(table), lists=_lists(found, events), script=_SCRIPT)


def _legend() -> str:
    return "".join(f'<span style="background:{COLOURS[kind][0]};border-color:{COLOURS[kind][1]}">{word}</span>'
                   for kind, word in _LEGEND.items())


def _pane(word: str, scene: Scene, drawing: Drawing) -> str:
    return (f'<section><h2>{word}: {counted(scene.nodes, "node")}</h2><svg class="pane" tabindex="0" '
            f'data-w="{drawing.width:.0f}" data-h="{drawing.height:.0f}"><g class="view">{drawing.body}</g></svg>'
            "</section>")


def _table(table: Table) -> str:
    head = "".join(f"<th>{escape(plain(text))}</th>" for text in table.header)
    groups = []
    for group in table.groups:
        rows = []
        for row in group:
            cells = [f"<td>{escape(plain(text))}</td>" for text in row.cells]
            if row.better:
                cells[-1] = f'<td class="better">{escape(plain(row.cells[-1]))}</td>'
            rows.append(f"<tr><th>{escape(plain(row.label))}</th>{''.join(cells)}</tr>")
        groups.append(f"<tbody>{''.join(rows)}</tbody>")
    return f"<table><thead><tr>{head}</tr></thead>{''.join(groups)}</table>"


def _lists(found: GraphDiff, events: list[Event]) -> str:
    parts = []
    if events:
        parts.append(("What became of the nodes", explanation_lines(explain(found, events))))
    parts.append(("What differs", diff_lines(found, limit=2000)))
    return "".join(f"<details><summary>{title}</summary><pre>{escape(chr(10).join(lines))}</pre></details>"
                   for title, lines in parts)


_STYLE = """
:root { color-scheme: light; }
* { box-sizing: border-box; }
body { margin: 0; font: 14px/1.4 ui-sans-serif, system-ui, sans-serif; color: #1e293b; background: #f8fafc; }
header { display: flex; gap: 16px; align-items: center; flex-wrap: wrap; padding: 10px 16px; background: #fff;
  border-bottom: 1px solid #e2e8f0; }
h1 { font-size: 16px; margin: 0; } h2 { font-size: 14px; margin: 8px 12px; }
header span { border: 1px solid; border-radius: 4px; padding: 1px 7px; margin-right: 6px; font-size: 12px; }
input { padding: 4px 8px; border: 1px solid #cbd5e1; border-radius: 4px; min-width: 220px; }
main { display: grid; grid-template-columns: 1fr 1fr; gap: 8px; padding: 8px; height: 68vh; }
section { background: #fff; border: 1px solid #e2e8f0; border-radius: 6px; display: flex; flex-direction: column;
  min-width: 0; min-height: 0; }
.pane { flex: 1; width: 100%; min-height: 0; cursor: grab; touch-action: none; outline: none; }
.n { cursor: pointer; } .n.found rect, .n.chosen rect { stroke-width: 3; stroke: #2563eb; }
aside { display: grid; grid-template-columns: auto 1fr; gap: 24px; padding: 8px 16px 32px; align-items: start; }
table { border-collapse: collapse; background: #fff; }
td, th { padding: 3px 12px; text-align: right; font-weight: 400; }
tr th:first-child { text-align: left; } thead th { font-weight: 600; border-bottom: 2px solid #cbd5e1; }
tbody + tbody tr:first-child > * { border-top: 1px solid #cbd5e1; } .better { color: #15803d; font-weight: 600; }
pre { background: #fff; border: 1px solid #e2e8f0; border-radius: 6px; padding: 10px; overflow: auto; max-height: 60vh;
  margin: 6px 0; } #told { white-space: pre-wrap; min-height: 6em; }
"""
_SCRIPT = """
const panes = [...document.querySelectorAll('svg.pane')];
const told = document.getElementById('told');
function place(p) { p.view.setAttribute('transform', `translate(${p.x} ${p.y}) scale(${p.k})`); }
function fit(p) {
  const box = p.svg.getBoundingClientRect(), w = +p.svg.dataset.w || 1, h = +p.svg.dataset.h || 1;
  p.k = Math.min(1.5, Math.max(0.005, Math.min((box.width - 24) / w, (box.height - 24) / h)));
  p.x = (box.width - w * p.k) / 2; p.y = Math.max(12, (box.height - h * p.k) / 2); place(p);
}
function begin(p) {
  fit(p);
  if (p.k >= 0.5) return;
  const top = [...p.svg.querySelectorAll('.n rect')].reduce((a, b) => +b.getAttribute('y') < +a.getAttribute('y') ? b : a);
  p.k = 0.7; p.y = 12 - p.k * +top.getAttribute('y');
  p.x = p.svg.getBoundingClientRect().width / 2 - p.k * (+top.getAttribute('x') + +top.getAttribute('width') / 2);
  place(p);
}
function zoom(p, factor, x, y) {
  const k = Math.min(8, Math.max(0.005, p.k * factor));
  p.x = x - (x - p.x) * k / p.k; p.y = y - (y - p.y) * k / p.k; p.k = k; place(p);
}
function show(p, node) {
  const box = p.svg.getBoundingClientRect(), r = node.querySelector('rect');
  if (p.k < 0.4) p.k = 0.8;
  p.x = box.width / 2 - p.k * (+r.getAttribute('x') + +r.getAttribute('width') / 2);
  p.y = box.height / 2 - p.k * (+r.getAttribute('y') + +r.getAttribute('height') / 2); place(p);
}
function choose(p, node) {
  document.querySelectorAll('.chosen').forEach(n => n.classList.remove('chosen'));
  node.classList.add('chosen'); told.textContent = node.querySelector('title').textContent;
  const key = node.dataset.k;
  if (key) for (const q of all) if (q !== p) {
    const twin = q.svg.querySelector(`.n[data-k="${CSS.escape(key)}"]`);
    if (twin) { twin.classList.add('chosen'); show(q, twin); }
  }
}
const all = panes.map(svg => {
  const p = {svg, view: svg.querySelector('.view'), x: 0, y: 0, k: 1};
  let from = null, moved = false;
  svg.addEventListener('wheel', e => {
    e.preventDefault(); const box = svg.getBoundingClientRect();
    zoom(p, Math.exp(-e.deltaY / 500), e.clientX - box.left, e.clientY - box.top);
  }, {passive: false});
  svg.addEventListener('pointerdown', e => { from = [e.clientX, e.clientY]; moved = false; });
  svg.addEventListener('pointermove', e => {
    if (!from) return;
    if (!moved && Math.hypot(e.clientX - from[0], e.clientY - from[1]) < 4) return;
    moved = true; svg.setPointerCapture(e.pointerId);
    p.x += e.clientX - from[0]; p.y += e.clientY - from[1]; from = [e.clientX, e.clientY]; place(p);
  });
  svg.addEventListener('pointerup', () => { from = null; });
  svg.addEventListener('click', e => { const n = e.target.closest('.n'); if (n && !moved) choose(p, n); });
  svg.addEventListener('dblclick', () => fit(p));
  svg.addEventListener('keydown', e => {
    const box = svg.getBoundingClientRect(), s = {ArrowLeft: [60, 0], ArrowRight: [-60, 0], ArrowUp: [0, 60],
      ArrowDown: [0, -60]}[e.key];
    if (s) { p.x += s[0]; p.y += s[1]; place(p); e.preventDefault(); }
    else if (e.key === '+') zoom(p, 1.25, box.width / 2, box.height / 2);
    else if (e.key === '-') zoom(p, 0.8, box.width / 2, box.height / 2);
    else if (e.key === '0') fit(p);
  });
  return p;
});
all.forEach(begin); addEventListener('resize', () => all.forEach(begin));
document.getElementById('find').addEventListener('input', e => {
  const text = e.target.value.toLowerCase();
  for (const p of all) {
    let first = null;
    for (const n of p.svg.querySelectorAll('.n')) {
      const hit = text && n.querySelector('title').textContent.toLowerCase().includes(text);
      n.classList.toggle('found', !!hit); if (hit && !first) first = n;
    }
    if (first) show(p, first);
  }
});
"""
_PAGE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title><style>{style}</style></head><body>
<header><h1>{title}</h1><div>{legend}</div><input id="find" type="search" placeholder="find a node, operator or value">
<small>wheel zooms, drag moves, click tells, double click shows all</small></header>
<svg width="0" height="0" style="position:absolute"><defs>{arrow}</defs></svg>
<main>{before}{after}</main>
<aside>{table}<div><pre id="told">Click a node to see what it reads and makes.</pre>{lists}</div></aside>
<script>{script}</script></body></html>
"""
