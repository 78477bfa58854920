"""Report: how a parameter-server job spent its time, how stale its updates were, and what to change."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Self, final

from stratagem._servers.remote import ServerStatistics, TimeCategory

_LARGE_SHARE = 0.3  # of the workers' time: worth a change
_BUSY_SHARE = 0.6  # of the time; a server that is busier keeps others waiting
_SLOW_FACTOR = 1.8  # a step that takes this many times as long as the others' is slow
_MIN_STEPS = 10  # fewer say nothing


@final
@dataclass(frozen=True)
class WorkerTimes:
    """The times of one worker. seconds: by category; together the time from its first function to its last.

    open: for how long the present category has lasted, which is counted when it is over: the waiting since the last
    function, say. open_in: that category.
    """

    index: int
    functions: int
    steps: int
    seconds: Mapping[TimeCategory, float]
    open: float = 0.0
    open_in: TimeCategory = TimeCategory.WAITING

    @property
    def total(self) -> float:
        """The sum of its seconds."""
        return sum(self.seconds.values())

    @property
    def own(self) -> float:
        """The seconds spent on steps themselves: data, computation and servers."""
        return sum(self.seconds[part] for part in (TimeCategory.COMPUTE, TimeCategory.SERVERS, TimeCategory.INPUT))

    @property
    def step(self) -> float:
        """The seconds of one step: `own` divided by the number of steps."""
        return self.own / max(self.steps, 1)

    def __sub__(self, before: Self) -> "WorkerTimes":
        seconds = {part: spent - before.seconds[part] for part, spent in self.seconds.items()}
        if self.total > before.total:  # what was open then has been counted since, and was before
            seconds[before.open_in] = max(seconds[before.open_in] - before.open, 0.0)
        functions, steps = self.functions - before.functions, self.steps - before.steps
        return WorkerTimes(self.index, functions, steps, seconds, self.open, self.open_in)


@final
@dataclass(frozen=True)
class Report:
    """Times and traffic of a job. `later - earlier` is the report of the time between two reports.

    workers: their times. servers: their traffic. reading: seconds in which `fit`, `evaluate` and the like read data on the
    coordinator.
    """

    workers: tuple[WorkerTimes, ...]
    servers: tuple[ServerStatistics, ...]
    reading: float

    def __sub__(self, before: "Report") -> "Report":
        workers = tuple(now - then for now, then in zip(self.workers, before.workers, strict=True))
        servers = tuple(now - then for now, then in zip(self.servers, before.servers, strict=True))
        return Report(workers, servers, self.reading - before.reading)

    @property
    def steps(self) -> int:
        """The number of steps of all workers."""
        return sum(worker.steps for worker in self.workers)

    @property
    def seconds(self) -> float:
        """The longest time of a worker, from its first function to its last."""
        return max((worker.total for worker in self.workers), default=0.0)

    @property
    def shares(self) -> dict[TimeCategory, float]:
        """The share of all workers' time that each category took; the sum is 1, or 0 if nothing was done."""
        total = sum(worker.total for worker in self.workers)
        return {part: sum(w.seconds[part] for w in self.workers) / total if total else 0.0 for part in TimeCategory}

    @property
    def staleness(self) -> float:
        """The mean number of updates by other steps that were applied between a step's reads and its push."""
        return sum(s.stale for s in self.servers) / max(sum(s.pushes for s in self.servers), 1)

    @property
    def advice(self) -> tuple[str, ...]:
        """Recommended changes, the most important first; empty if little can be gained, or too few steps were taken."""
        if self.steps < _MIN_STEPS:
            return ()
        return tuple(advice for rule in _RULES for advice in rule(self))

    def __str__(self) -> str:
        return "\n".join(_lines(self))


def _slow_worker(report: Report) -> Iterator[str]:
    """Names each worker that is slower than the others."""
    working = [worker for worker in report.workers if worker.steps >= _MIN_STEPS / 2]
    for worker in working:
        others = sorted(other.step for other in working if other is not worker)
        matters = worker.own > _LARGE_SHARE * worker.total
        if matters and others and worker.step > _SLOW_FACTOR * (middle := others[len(others) // 2]):
            yield (
                f"worker:{worker.index} needs {worker.step / middle:.1f} times as long for a step as the others: see what "
                "else runs on its machine, and how its data gets there."
            )


def _largest(report: Report) -> Iterator[str]:
    """Names the categories, other than computation, that take much of the workers' time."""
    for part, share in sorted(report.shares.items(), key=lambda item: -item[1]):
        if share >= _LARGE_SHARE and part is not TimeCategory.COMPUTE:
            yield f"{share:.0%} of the workers' time is {_DESCRIPTIONS[part]}. {_REMEDIES[part](report)}"
    if report.shares[TimeCategory.COMPUTE] >= 1 - _LARGE_SHARE:
        yield "The workers compute nearly all the time: more workers, or faster ones, are what makes the job faster."


_DESCRIPTIONS = {
    TimeCategory.SERVERS: "for servers: reading variables and pushing updates",
    TimeCategory.INPUT: "waiting for their data",
    TimeCategory.HANDING_OUT: "handing out functions and bringing back results",
    TimeCategory.COMPILING: "compiling",
    TimeCategory.WAITING: "waiting for a function to run",
    TimeCategory.ABSENT: "lost with workers that had ended",
}
_INPUT = "Batch before map, give map num_parallel_calls, prefetch, or cache what is made once."


def _server_advice(report: Report) -> str:
    busiest = max(range(len(report.servers)), key=lambda i: report.servers[i].busy)
    busy = report.servers[busiest].busy / report.seconds
    if busy < _BUSY_SHARE:
        return (
            f"The busiest, ps:{busiest}, works {busy:.0%} of the time, so it is the way to them: give a step more to compute "
            "(larger batches), and look rows of tables up instead of reading whole ones."
        )
    others = [server.busy for i, server in enumerate(report.servers) if i != busiest]
    if others and max(others) < report.servers[busiest].busy / 2:
        return (
            f"ps:{busiest} works {busy:.0%} of the time, the others half as much or less: cut its largest variables with a "
            "variable_partitioner."
        )
    return (
        f"They are busy {busy:.0%} of the time: add servers, with a variable_partitioner for large variables, or use SGD or "
        "Adagrad for tables, which update only the rows that were used."
    )


def _waiting_advice(report: Report) -> str:
    if report.reading > _LARGE_SHARE * report.seconds:
        return f"The coordinator reads data {report.reading / report.seconds:.0%} of the time. {_INPUT}"
    return "Schedule more functions before `join` or `fetch`, do less in callbacks and between steps, or use fewer workers."


def _scheduling_advice(report: Report) -> str:
    steps, functions = report.steps, sum(worker.functions for worker in report.workers)
    return (
        f"A function takes {steps / max(functions, 1):.1f} steps: let it take more (a loop in it; `steps_per_execution` in "
        "`fit`), with larger batches, and let workers make their data themselves (create_per_worker_dataset)."
    )


_REMEDIES: dict[TimeCategory, Callable[[Report], str]] = {
    TimeCategory.SERVERS: _server_advice,
    TimeCategory.INPUT: lambda report: _INPUT,
    TimeCategory.HANDING_OUT: _scheduling_advice,
    TimeCategory.COMPILING: lambda report: (
        "The job is short, or functions are traced again and again: pass tensors instead of Python numbers, and keep shapes "
        "the same (drop_remainder=True)."
    ),
    TimeCategory.WAITING: _waiting_advice,
    TimeCategory.ABSENT: lambda report: (
        "Their logs say why. `stratagem launch` starts lost workers again at once; a worker that is lost often has too little "
        "memory."
    ),
}


def _stale(report: Report) -> Iterator[str]:
    """Warns of stale updates, which no speed makes up for."""
    most = max(len(report.workers) - 1, 1)
    if report.staleness > 2 * most:
        yield (
            f"An update is computed from values that {report.staleness:.1f} others have changed since, more than the "
            f"{most} other workers explain: some steps take much longer than others. If the loss suffers, lower the "
            "learning rate, or make the steps alike."
        )


_RULES: tuple[Callable[[Report], Iterator[str]], ...] = (_slow_worker, _largest, _stale)


def _lines(report: Report) -> Iterator[str]:
    seconds = max(report.seconds, 1e-9)
    yield (
        f"{report.steps} steps of {len(report.workers)} workers in {report.seconds:.1f} s: "
        f"{report.steps / seconds:.1f} a second"
    )
    if not report.steps:
        return
    yield from _table(
        ("", "steps", *(part.value for part in TimeCategory)),
        [
            (f"worker:{w.index}", str(w.steps), *(f"{w.seconds[p] / max(w.total, 1e-9):.0%}" for p in TimeCategory))
            for w in report.workers
        ],
    )
    yield from _table(
        ("", "pushes", "busy", "MB/s in", "MB/s out", "rows/s", "staleness"),
        [
            (
                f"ps:{i}",
                str(s.pushes),
                f"{s.busy / seconds:.0%}",
                f"{s.received / seconds / 1e6:.1f}",
                f"{s.sent / seconds / 1e6:.1f}",
                f"{s.rows / seconds:.0f}",
                f"{s.stale / max(s.pushes, 1):.1f}",
            )
            for i, s in enumerate(report.servers)
        ],
    )
    yield from (f"- {advice}" for advice in report.advice)


def _table(names: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    widths = [max(map(len, column)) for column in zip(names, *rows, strict=True)]
    for row in (names, *rows):
        first, *others = zip(row, widths, strict=True)
        yield "  ".join([first[0].ljust(first[1]), *(text.rjust(width) for text, width in others)])
