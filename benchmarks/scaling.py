"""How does the cost of a step grow? With virtual replicas, depth, width and the number of variables: time, and memory."""

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import click
import matplotlib as mpl

mpl.use("Agg")

from matplotlib import pyplot
from parts.child import child
from parts.report import Report, options, reported

PICTURE = Path(__file__).parents[1] / "docs" / "pictures" / "scaling.png"


@dataclass(frozen=True)
class Growth:
    """What grows, the sizes that are measured, and how many times more than the first a step of `size` should cost."""

    label: str
    sizes: tuple[int, ...]
    law: Callable[[int, int], float]
    because: str


GROWTHS = {
    "replicas": Growth(
        "virtual replicas, 256 rows together",
        (1, 4, 16, 64),
        lambda size, first: 1.0,
        "the same work on the same cores",
    ),
    "depth": Growth("dense layers of 256", (2, 8, 32), lambda size, first: size / first, "work is linear in layers"),
    "width": Growth(
        "units of 4 dense layers",
        (128, 512, 2048),
        lambda size, first: (size / first) ** 2,
        "work is quadratic in units",
    ),
    "variables": Growth("variables of 64 numbers", (16, 64, 256), lambda size, first: size / first, "an update each"),
}


def measure(report: Report, name: str, rounds: int) -> dict[int, tuple[float, float]]:
    """The seconds of a step, and the MiB that the process had at most, by size."""
    growth = GROWTHS[name]
    with ExitStack() as stack:
        made = {str(n): stack.enter_context(child("parts.scaling_child", name, str(n))) for n in growth.sizes}
        report.compare(name, made, rounds=rounds, steps=10, warm_up=5)
        memory = {size: contender.facts()["MiB"] for size, contender in made.items()}
    return {size: (report.seconds[name][str(size)], memory[str(size)]) for size in growth.sizes}


def draw(found: dict[str, dict[int, tuple[float, float]]], subtitle: str, path: Path) -> None:
    """A column for each thing that grows: time with the expected law above, memory below."""
    figure, axes = pyplot.subplots(2, len(found), figsize=(3.6 * len(found), 6), layout="constrained", squeeze=False)
    for column, (name, measured) in enumerate(found.items()):
        growth, sizes = GROWTHS[name], list(measured)
        times, memory = zip(*measured.values(), strict=True)
        law = [times[0] * growth.law(size, sizes[0]) for size in sizes]
        upper, lower = axes[0][column], axes[1][column]
        upper.loglog(sizes, [1000 * seconds for seconds in times], "o-", label="measured")
        upper.loglog(sizes, [1000 * seconds for seconds in law], "k--", label=growth.because)
        upper.set_ylabel("ms a step")
        upper.legend(fontsize=7)
        lower.semilogx(sizes, memory, "o-")
        lower.set(xlabel=growth.label, ylabel="MiB of the process at most", ylim=(0, None))
        for plot in (upper, lower):
            plot.set_xticks(sizes, [str(size) for size in sizes])
            plot.minorticks_off()
    figure.suptitle(subtitle, fontsize=8)
    figure.savefig(path, dpi=100)


@click.command()
@click.option("--only", "names", multiple=True, type=click.Choice(list(GROWTHS)), help="Which; all if none is named.")
@click.option("--picture", default=PICTURE, type=click.Path(dir_okay=False, path_type=Path), help="The chart's file.")
@options(9)
def main(names: tuple[str, ...], picture: Path, rounds: int, folder: Path) -> None:
    """Measure every growth, and draw it beside the law that is expected."""
    with reported("scaling", folder) as report:
        found = {name: measure(report, name, rounds) for name in names or GROWTHS}
        draw(found, report.conditions, picture)
        report.say(f"drawn in {picture}")


if __name__ == "__main__":
    main()
