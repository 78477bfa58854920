"""Reads the trace of a profile: divides the time of the steps in it into parts, none of which is counted twice."""

import re
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any, Self, final

import jax
import numpy as np

from stratagem import _events as events
from stratagem._base.errors import DataLossError
from stratagem._base.job import Phase

PARTS = ("compute", "collective", "input", "compile", "checkpoint", "host", "unaccounted")
_PHASES = {str(phase): phase for phase in Phase}
_OF_PHASE = {Phase.INPUT: "input", Phase.COMPILING: "compile", Phase.CHECKPOINT: "checkpoint"}
_WITH_OTHERS = (Phase.COLLECTIVE, Phase.AGREEMENT)
# JAX's names of its own compilation, also of operations that run one by one.
_COMPILING = ("lower_sharding_computation", "backend_compile_and_load")
_COLLECTIVES = re.compile(
    r"(?i)^(psum|pmean|pmax|pmin|ppermute|pgather|all[-_]|reduce[-_]scatter|collective|nccl|send|recv)"
)
_OF_INPUT = "jit_input_function"  # the programs of `Dataset.map` and the like, as `_data` names them
_SILENT = ("ThreadpoolListener", "end: ")  # of no meaning here, and half of all events
_TIMELINE = 240  # pieces of the picture


@final
class Spans:
    """Times, as spans that do not overlap, in order. starts, ends: in ns."""

    def __init__(self, starts: np.ndarray, ends: np.ndarray) -> None:
        self.starts, self.ends = starts, ends
        self._before = np.concatenate([[0.0], np.cumsum(ends - starts)])

    @classmethod
    def union(cls, spans: Iterable[tuple[float, float]]) -> Self:
        """The times that any of some spans covers."""
        ordered = np.array(sorted(spans), float).reshape(-1, 2)
        if not len(ordered):
            return cls(np.zeros(0), np.zeros(0))
        reached = np.maximum.accumulate(ordered[:, 1])
        begins = np.concatenate([[True], ordered[1:, 0] > reached[:-1]])
        ends = np.append(np.flatnonzero(begins)[1:] - 1, len(ordered) - 1)
        return cls(ordered[begins, 0], reached[ends])

    def until(self, times: np.ndarray) -> np.ndarray:
        """Returns how much of these is before each of some times."""
        if not len(self.starts):
            return np.zeros(len(times))
        at = np.searchsorted(self.starts, times, side="right")
        last = np.maximum(at - 1, 0)
        return np.where(at == 0, 0.0, self._before[last] + np.clip(times, None, self.ends[last]) - self.starts[last])

    def within(self, starts: np.ndarray, ends: np.ndarray) -> np.ndarray:
        """Returns how much of these is within each of some other spans."""
        return self.until(ends) - self.until(starts)

    def pairs(self) -> Iterator[tuple[float, float]]:
        """The spans."""
        return zip(self.starts.tolist(), self.ends.tolist(), strict=True)

    def without(self, others: Self) -> Self:
        """The times of these that none of `others` covers."""
        cuts = np.unique(np.concatenate([self.starts, self.ends, others.starts, others.ends]))
        middles = (cuts[:-1] + cuts[1:]) / 2
        kept = self._cover(middles) & ~others._cover(middles)
        return type(self).union(zip(cuts[:-1][kept].tolist(), cuts[1:][kept].tolist(), strict=True))

    def _cover(self, times: np.ndarray) -> np.ndarray:
        if not len(self.starts):
            return np.zeros(len(times), bool)
        at = np.searchsorted(self.starts, times, side="right")
        return (at > 0) & (times < self.ends[np.maximum(at - 1, 0)])


@final
@dataclass(frozen=True)
class PhaseSpan:
    """A time of the main thread in one phase. computed: ns that the thread has computed in it; it slept or waited else."""

    phase: Phase
    start: float
    end: float
    computed: float


@final
@dataclass
class TraceContents:
    """The contents of a trace that matter here. operations: of devices, by run of a program. inline: of the main thread.

    (On CPUs a small program runs in the thread that calls it.)
    """

    phases: list[PhaseSpan] = field(default_factory=list)
    operations: dict[Any, list[tuple[float, float]]] = field(default_factory=dict)
    collectives: list[tuple[float, float]] = field(default_factory=list)
    inline: list[tuple[float, float]] = field(default_factory=list)
    compiling: list[tuple[float, float]] = field(default_factory=list)
    programs: Counter[str] = field(default_factory=Counter)
    compilations: int = 0


@final
@dataclass(frozen=True)
class DividedTime:
    """The time of some steps. parts: seconds by part, the sum of which is `seconds`.

    programs: how many were made in that time, by function. compilations: XLA's, also of operations that run one by one.
    timeline: the largest part of each of equal pieces of the time.
    """

    seconds: float
    parts: dict[str, float]
    programs: dict[str, int]
    compilations: int
    timeline: list[str]


def divided(folder: Path) -> DividedTime:
    """Reads the trace below a folder.

    Raises:
        DataLossError: there is none, or it has no steps, since the process was killed while it wrote.
    """
    files = sorted(folder.glob("plugins/profile/*/*.xplane.pb"))
    if not files:
        raise DataLossError(f"{folder} has no trace: the process ended before it was written.")
    contents = _read(files[-1])
    if not contents.phases:
        raise DataLossError(f"{files[-1]} has no phases of steps: it was recorded by something else.")
    return _divide(contents)


def _read(file: Path) -> TraceContents:
    contents = TraceContents()
    # From Python 3.12 on, jaxlib's iterators warn when they are first made, and where warnings are errors it aborts.
    with warnings.catch_warnings(action="ignore", category=DeprecationWarning):
        profile = jax.profiler.ProfileData.from_file(str(file))
        for plane in profile.planes:
            if plane.name.startswith(("/host:CPU", "/device:")):
                for line in plane.lines:
                    _read_line(line, contents)
    return contents


def _read_line(line: Any, contents: TraceContents) -> None:
    found = [event for event in line.events if not event.name.startswith(_SILENT)]
    main = any(event.name == events.BEGIN for event in found)
    _read_operations(found, contents, main)
    if main:
        _read_main_thread(found, contents)


def _read_main_thread(found: Sequence[Any], contents: TraceContents) -> None:
    """Reads the phases of the thread that takes the steps, and what it compiled."""
    marks: list[tuple[float, Phase | None, float]] = []
    for event in found:
        if event.name in _COMPILING:
            contents.compiling.append((event.start_ns, event.end_ns))
            contents.compilations += event.name == _COMPILING[1]
        elif event.name == events.PROGRAM:
            contents.programs[str(dict(event.stats)["of"])] += 1
        elif event.name == events.END or event.name.removeprefix(events.MARK) in _PHASES:
            phase = _PHASES.get(event.name.removeprefix(events.MARK))
            marks.append((event.start_ns, phase, float(dict(event.stats)["cpu"])))
    marks.sort(key=lambda mark: mark[0])
    for (start, phase, before), (end, _, after) in pairwise(marks):
        if phase is not None:
            contents.phases.append(PhaseSpan(phase, start, end, after - before))


def _read_operations(found: Sequence[Any], contents: TraceContents, main: bool) -> None:
    """Reads the operations of devices on one line of the trace. main: it is that of the main thread."""
    for event in found:
        if event.duration_ns <= 0 or event.name.startswith(events.MARK):
            continue
        facts = dict(event.stats)
        if "hlo_op" not in facts or facts.get("hlo_module") == _OF_INPUT:
            continue
        span = event.start_ns, event.end_ns
        if _COLLECTIVES.match(str(facts["hlo_op"])):
            contents.collectives.append(span)
        elif main:
            contents.inline.append(span)
        else:
            run = (facts.get("run_id"), facts.get("device_ordinal")) if "run_id" in facts else span
            contents.operations.setdefault(run, []).append(span)


def _divide(contents: TraceContents) -> DividedTime:
    phases = contents.phases
    begin, end = phases[0].start, phases[-1].end
    starts, ends = np.array([p.start for p in phases]), np.array([p.end for p in phases])
    layers = _layers(contents)
    busy = Spans.union(span for name in ("compute", "collective", "compile") for span in layers[name].pairs())
    left = np.maximum(ends - starts - busy.within(starts, ends), 0.0)
    inline = Spans.union(contents.inline).within(starts, ends)
    parts = dict.fromkeys(PARTS, 0.0)
    for name, spans in layers.items():
        parts[name] = float(spans.within(np.array([begin]), np.array([end]))[0])
    kinds = [_kinds(p, rest, own) for p, rest, own in zip(phases, left.tolist(), inline.tolist(), strict=True)]
    for kind in kinds:
        for name, spent in kind.items():
            parts[name] += spent
    return DividedTime(
        seconds=(end - begin) / 1e9,
        parts={name: spent / 1e9 for name, spent in parts.items()},
        programs=dict(contents.programs),
        compilations=contents.compilations,
        timeline=_timeline(layers, phases, kinds),
    )


def _layers(contents: TraceContents) -> dict[str, Spans]:
    """The times of which it is known what was done, whatever the main thread did: each without those before it."""
    # Between two operations of one run there is no gap worth a name: the whole run counts as computing.
    runs = [(min(s for s, _ in spans), max(e for _, e in spans)) for spans in contents.operations.values()]
    own = [s for spans in contents.operations.values() for s in spans]
    of_input = Spans.union((p.start, p.end) for p in contents.phases if p.phase is Phase.INPUT)
    inline = Spans.union(contents.inline).without(of_input)
    collective = Spans.union(contents.collectives).without(Spans.union([*own, *inline.pairs()]))
    compute = Spans.union([*runs, *inline.pairs()]).without(collective)
    compiling = [(p.start, p.end) for p in contents.phases if p.phase is Phase.COMPILING]
    compile_ = Spans.union([*compiling, *contents.compiling]).without(
        Spans.union([*compute.pairs(), *collective.pairs()])
    )
    return {"compute": compute, "collective": collective, "compile": compile_}


def _kinds(phase: PhaseSpan, left: float, inline: float) -> dict[str, float]:
    """Divides what is left of a phase while no device computes."""
    if phase.phase in _OF_PHASE:
        return {_OF_PHASE[phase.phase]: left}
    host = min(left, max(phase.computed - inline, 0.0))
    return {"host": host, "collective" if phase.phase in _WITH_OTHERS else "unaccounted": left - host}


def _timeline(layers: dict[str, Spans], phases: Sequence[PhaseSpan], kinds: Sequence[dict[str, float]]) -> list[str]:
    """Returns the largest part of each of equal pieces of the time."""
    edges = np.linspace(phases[0].start, phases[-1].end, _TIMELINE + 1)
    starts, ends = edges[:-1], edges[1:]
    shares = {name: np.zeros(_TIMELINE) for name in PARTS}
    for name, spans in layers.items():
        shares[name] += spans.within(starts, ends)
    busy = Spans.union(span for spans in layers.values() for span in spans.pairs())
    for phase, kind in zip(phases, kinds, strict=True):
        first, last = np.searchsorted(edges, [phase.start, phase.end], side="right") - 1
        pieces = slice(max(int(first), 0), min(int(last), _TIMELINE - 1) + 1)
        low, high = np.maximum(starts[pieces], phase.start), np.minimum(ends[pieces], phase.end)
        left = np.maximum(high - low - busy.within(low, high), 0.0)
        total = sum(kind.values()) or 1.0
        for name, spent in kind.items():
            shares[name][pieces] += left * spent / total
    largest = np.argmax(np.stack([shares[name] for name in PARTS]), axis=0)
    return [PARTS[i] for i in largest]
