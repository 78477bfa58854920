"""One picture of what the benchmarks found: each comparison's median ratio, its interval, and its target."""

from pathlib import Path

import click
import matplotlib as mpl

mpl.use("Agg")

from matplotlib import pyplot
from parts.results import FOLDER, Comparison, Result, read

MET, MISSED, NO_TARGET = "tab:green", "tab:red", "tab:blue"


def newest(results: list[Result]) -> list[tuple[Result, Comparison]]:
    """The last figure of each comparison on each kind of machine, in the order of benchmarks."""
    found = {
        (result.machine.instructions, result.benchmark, comparison.name): (result, comparison)
        for result in sorted(results, key=lambda result: result.date)
        for comparison in result.comparisons
    }
    return [found[key] for key in sorted(found)]


def draw(figures: list[tuple[Result, Comparison]], path: Path) -> None:
    """A forest plot with a logarithmic axis: twice as fast is as far from 1 as twice as slow."""
    figure, axes = pyplot.subplots(figsize=(11, 1.4 + 0.28 * len(figures)), layout="constrained")
    labels = []
    for row, (result, found) in enumerate(reversed(figures)):
        color = NO_TARGET if found.target is None else MISSED if found.missed else MET
        axes.plot([found.ratio.low, found.ratio.high], [row, row], color=color, linewidth=2)
        axes.plot(found.ratio.median, row, "o", color=color, markersize=5)
        if found.target is not None:
            axes.plot([found.target] * 2, [row - 0.4, row + 0.4], color="black", linewidth=1.5)
        labels.append(f"{result.benchmark}: {found.name}  [{result.machine.instructions}, {result.date[:10]}]")
    axes.axvline(1, color="gray", linewidth=1, linestyle=":")
    axes.set(xscale="log", yticks=range(len(labels)), ylim=(-1, len(labels)))
    axes.set_yticklabels(labels, fontsize=7)
    axes.set_xlabel("our time / the other's, 95 % interval; black: target; below 1 ours is faster")
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=110)


@click.command()
@click.option(
    "--json",
    "folder",
    default=FOLDER,
    type=click.Path(file_okay=False, path_type=Path),
    help="The folder of the findings.",
)
@click.option(
    "--picture", type=click.Path(dir_okay=False, path_type=Path), help="The file. [default: ratios.png there]"
)
def main(folder: Path, picture: Path | None) -> None:
    """Draw the newest figure of every comparison."""
    figures = newest([read(path) for path in sorted(folder.glob("*.json"))])
    if not figures:
        raise click.ClickException(f"{folder} holds no comparison: run benchmarks first, make bench runs all")
    picture = picture or folder / "ratios.png"
    draw(figures, picture)
    click.echo(f"chart: {len(figures)} comparisons in {picture}")


if __name__ == "__main__":
    main()
