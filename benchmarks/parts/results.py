"""What a benchmark found, as a file: one a run, which `benchmarks/chart.py` draws."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from parts.machine import Machine
from parts.paired import Ratio

FOLDER = Path(__file__).parents[1] / "results"


@dataclass(frozen=True)
class Comparison:
    """The ratio of our time to another's; below 1 ours is faster. A target is the most that it may be."""

    title: str
    ours: str
    other: str
    ratio: Ratio
    target: float | None = None

    @property
    def name(self) -> str:
        """What it is called in charts."""
        return f"{self.title}: {self.ours} / {self.other}"

    @property
    def missed(self) -> bool:
        """Whether the median is above the target."""
        return self.target is not None and self.ratio.median > self.target


@dataclass(frozen=True)
class Result:
    """A run of a benchmark. Seconds are the medians of a step, or of what the benchmark repeats, by title and contender."""

    benchmark: str
    date: str  # ISO 8601, UTC
    commit: str
    machine: Machine
    load: tuple[float, float]  # before and after
    versions: dict[str, str]
    seconds: dict[str, dict[str, float]]
    comparisons: tuple[Comparison, ...]

    def write(self, folder: Path) -> Path:
        """Write it as JSON. Returns the file, whose name has the date: earlier runs stay."""
        folder.mkdir(parents=True, exist_ok=True)
        stamp = self.date.replace("-", "").replace(":", "").partition("+")[0]
        path = folder / f"{self.benchmark}-{stamp}.json"
        path.write_text(json.dumps(asdict(self), indent=1) + "\n")
        return path


def read(path: Path) -> Result:
    """What `Result.write` wrote."""
    data = json.loads(path.read_text())
    comparisons = tuple(Comparison(**c | {"ratio": Ratio(**c["ratio"])}) for c in data.pop("comparisons"))
    machine, load = Machine(**data.pop("machine")), tuple(data.pop("load"))
    return Result(**data, machine=machine, load=load, comparisons=comparisons)
