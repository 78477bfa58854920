#!/usr/bin/env python3
"""Draws the pictures of docs/how_it_works.md, as SVG: what happens in a step, on a mesh, with servers.

pictures.py            writes docs/pictures/{step,mesh,servers,input}.svg
"""

from collections.abc import Callable
from pathlib import Path
from typing import final
from xml.sax.saxutils import escape

FOLDER = Path(__file__).parents[1] / "docs" / "pictures"
FONT = "font-family='Helvetica, Arial, sans-serif'"
INK, LINE = "#1f2937", "#4b5563"
BLUE, GREEN, YELLOW, RED, GRAY = "#dbeafe", "#dcfce7", "#fef3c7", "#fee2e2", "#f3f4f6"
MARGIN = 20


@final
class Drawing:
    """Boxes and arrows. Its size is known from the beginning, its shapes are added in the order in which they are painted."""

    def __init__(self, width: int, height: int, title: str) -> None:
        self._size = width + 2 * MARGIN, height + 2 * MARGIN
        self._title = title
        self._shapes: list[str] = []

    def box(self, x: int, y: int, width: int, height: int, name: str, *lines: str, fill: str = BLUE) -> None:
        """A box with a name and further lines, all centred."""
        self._shapes.append(
            f"<rect x='{x}' y='{y}' width='{width}' height='{height}' rx='7' fill='{fill}' stroke='{LINE}'/>"
        )
        first = y + height / 2 - 9 * len(lines) + 5
        for number, text in enumerate((name, *lines)):
            self.text(x + width // 2, round(first + 18 * number), text, bold=number == 0)

    def frame(self, x: int, y: int, width: int, height: int, name: str) -> None:
        """A dashed frame around what belongs together; its name is in the upper left corner."""
        self._shapes.append(
            f"<rect x='{x}' y='{y}' width='{width}' height='{height}' rx='9' fill='{GRAY}' stroke='{LINE}' "
            "stroke-dasharray='6 4'/>"
        )
        self.text(x + 12, y + 20, name, anchor="start", bold=True)

    def text(self, x: int, y: int, text: str, anchor: str = "middle", bold: bool = False) -> None:
        """One line of text."""
        weight = " font-weight='600'" if bold else ""
        size = 14 if bold else 13
        self._shapes.append(
            f"<text x='{x}' y='{y}' {FONT} font-size='{size}' fill='{INK}' text-anchor='{anchor}'{weight}>{escape(text)}</text>"
        )

    def arrow(self, *points: tuple[int, int], label: str = "", at: tuple[int, int] | None = None) -> None:
        """A line through points, with a head at the last. at: where its label is, by default beside the middle of the line."""
        path = " ".join(f"{x},{y}" for x, y in points)
        self._shapes.append(
            f"<polyline points='{path}' fill='none' stroke='{LINE}' stroke-width='1.6' marker-end='url(#head)'/>"
        )
        if label:
            (left, top), (right, bottom) = points[0], points[-1]
            x, y = at or ((left + right) // 2, (top + bottom) // 2 - 7)
            self.text(x, y, label)

    def svg(self) -> str:
        """The picture."""
        width, height = self._size
        return "\n".join(
            [
                f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {width} {height}' width='{width}' height='{height}' "
                f"role='img' aria-label='{escape(self._title)}'>",
                "<defs><marker id='head' viewBox='0 0 10 10' refX='9' refY='5' markerWidth='7' markerHeight='7' "
                f"orient='auto-start-reverse'><path d='M0,0 L10,5 L0,10 z' fill='{LINE}'/></marker></defs>",
                f"<rect width='{width}' height='{height}' rx='10' fill='white'/>",
                f"<g transform='translate({MARGIN},{MARGIN})'>",
                *self._shapes,
                "</g>",
                "</svg>",
                "",
            ]
        )


def step() -> str:
    """The stages of a step: those of the first call above, those of every call below."""
    drawing = Drawing(880, 365, "The stages of a step")
    drawing.frame(0, 0, 880, 190, "the first call of a kind")
    names = (
        ("record", "Python runs once;", "what it reads first", "becomes an input"),
        ("rewrite", "some equations have", "faster ones instead"),
        ("differentiate", "the tape's parts", "by jax.vjp"),
        ("check", "copies that would", "differ are refused"),
        ("compile", "shard_map over the", "mesh, jit, XLA"),
    )
    for number, (name, *lines) in enumerate(names):
        x = 20 + 172 * number
        drawing.box(x, 55, 150, 85, name, *lines, fill=YELLOW)
        if number:
            drawing.arrow((x - 22, 97), (x - 1, 97))
    drawing.frame(0, 235, 880, 130, "every call")
    drawing.box(20, 270, 322, 75, "key", "code, what it reads, shapes, dtypes:", "is there a program?")
    drawing.box(364, 270, 150, 75, "draw", "the next element", "of each iterator")
    drawing.box(536, 270, 150, 75, "host", "strings → numbers")
    drawing.box(708, 270, 150, 75, "run, commit", "new arrays become", "the variables", fill=GREEN)
    for x in (342, 514, 686):
        drawing.arrow((x, 307), (x + 21, 307))
    drawing.arrow((95, 270), (95, 141), label="no", at=(112, 216))
    drawing.arrow((783, 140), (783, 269), label="the program", at=(738, 216))
    return drawing.svg()


def mesh() -> str:
    """A global batch over a mesh of two workers with two devices each."""
    drawing = Drawing(880, 400, "A global batch on a mesh of two workers with two devices each")
    drawing.box(0, 0, 880, 44, "global batch: rows 0 … 127", fill=YELLOW)
    for worker in range(2):
        x = 450 * worker
        drawing.frame(x, 95, 430, 225, f"worker {worker}")
        for device in range(2):
            left, replica = x + 20 + 200 * device, 2 * worker + device
            rows = f"rows {32 * replica} … {32 * replica + 31}"
            drawing.box(left, 130, 190, 50, f"replica {replica}", rows)
            drawing.box(left, 195, 190, 50, "mirrored variables", "equal everywhere", fill=GREEN)
            drawing.box(left, 260, 190, 46, "its slot of a metric", fill=RED)
            drawing.arrow((left + 95, 44), (left + 95, 129))
    drawing.box(0, 350, 880, 44, "all-reduce: gradients are summed over the axis `replica`, once a step", fill=GRAY)
    for x in (115, 315, 565, 765):
        drawing.arrow((x, 320), (x, 349))
    return drawing.svg()


def servers() -> str:
    """A job with parameter servers: who sends what to whom."""
    drawing = Drawing(880, 385, "A job with parameter servers")
    drawing.box(330, 0, 220, 60, "coordinator", "schedule, join, fetch", fill=YELLOW)
    for number in range(3):
        x = 320 * number
        drawing.box(x, 130, 240, 66, f"worker:{number}", "its own dataset; reads,", "computes gradients")
        drawing.arrow((440, 60), (x + 120, 129), label="closures" if number == 0 else "", at=(215, 88))
    for number in range(2):
        x = 110 + 420 * number
        drawing.box(
            x, 280, 240, 76, f"ps:{number}", "variables and their slots;", "the optimizer runs here", fill=GREEN
        )
        for worker in range(3):
            drawing.arrow((320 * worker + 120, 196), (x + 120, 279))
    drawing.text(
        440, 385, "workers send rows to look up and gradients; a server answers with the values for the next step"
    )
    return drawing.svg()


def inputs() -> str:
    """The way of a batch, from a dataset to the step."""
    drawing = Drawing(880, 150, "The way of a batch to the replicas")
    names = (
        ("Dataset", "a plan of stages"),
        ("share", "this worker's part,", "by policy"),
        ("replica batches", "a piece for each", "local replica"),
        ("lockstep", "all workers make", "as many steps"),
        ("PerReplica", "arrays on the", "devices"),
    )
    for number, (name, *lines) in enumerate(names):
        x = 180 * number
        drawing.box(x, 0, 158, 84, name, *lines, fill=GREEN if number == 4 else BLUE)
        if number:
            drawing.arrow((x - 22, 42), (x - 1, 42))
    drawing.arrow((620, 125), (80, 125), (80, 86), label="", at=None)
    drawing.text(
        350, 145, "the position, a few numbers, is saved with the model: a restored run goes on at the next example"
    )
    return drawing.svg()


PICTURES: dict[str, Callable[[], str]] = {"input": inputs, "mesh": mesh, "servers": servers, "step": step}


def main() -> None:
    """Writes the pictures."""
    for name, draw in PICTURES.items():
        (FOLDER / f"{name}.svg").write_text(draw(), encoding="utf-8")
        print(f"pictures: wrote {name}.svg")


if __name__ == "__main__":
    main()
