"""The report of `stratagem profile`: for each task the parts of a step's time, and what helps against the largest."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self, final

from stratagem import _events as events
from stratagem._base.errors import DataLossError
from stratagem.cli._profile_trace import PARTS, DividedTime, divided
from stratagem.cli._tables import aligned, count

_BAR = 30  # characters of a bar that is the whole time
_NAMED = 5  # functions whose programs are counted

# Part → what it is when it is the largest, and what helps.
MEANINGS = {
    "compute": ("devices compute", "larger batches use them better; docs/performance.md"),
    "collective": (
        "workers wait for each other and send gradients",
        "larger batches, gradients in bfloat16; is one worker slower? docs/scaling.md",
    ),
    "input": (
        "devices wait for data",
        "batch before `map`, `num_parallel_calls`, `cache`; docs/input.md#when-input-is-slow",
    ),
    "compile": (
        "programs are made",
        "equal shapes (`drop_remainder=True`), tensors in place of numbers that change; docs/performance.md#one-program",
    ),
    "checkpoint": (
        "steps wait while checkpoints are saved",
        "save less often, or CheckpointOptions(enable_async=True); docs/checkpoints.md",
    ),
    "host": (
        "Python runs while devices wait",
        "larger batches, `compile(steps_per_execution=n)`, fewer values read; docs/performance.md",
    ),
    "unaccounted": (
        "the main thread sleeps or waits outside of this library while devices wait",
        "is it in the program's own reading, in `time.sleep`, or do other programs take the cores? The trace shows when",
    ),
}


@final
@dataclass(frozen=True)
class ProfiledTask:
    """One process of the job: the facts about it, its time, and the folder of its trace."""

    facts: events.MeasuredTask
    time: DividedTime | None
    folder: str

    @property
    def largest(self) -> str:
        """The part that takes most of the time; empty without steps."""
        parts = {} if self.time is None else self.time.parts
        return max(parts, key=parts.__getitem__, default="")

    @property
    def name(self) -> str:
        """The task and its host."""
        return f"{self.facts.task} on {self.facts.host}"

    def as_json(self) -> Any:
        """The task as an object; times are in seconds, and those of all steps together."""
        found = self.facts.as_json() | {"trace": self.folder}
        if self.time is not None:
            made = {"programs_made": self.time.programs, "compilations": self.time.compilations}
            found |= {"seconds": self.time.seconds, "parts": self.time.parts, "largest": self.largest, **made}
        return found


@final
@dataclass(frozen=True)
class ProfileReport:
    """The tasks of a run that were measured. problems: what was not, and why."""

    program: Sequence[str]
    code: int
    tasks: list[ProfiledTask]
    problems: list[str]

    @classmethod
    def read(cls, folder: Path, program: Sequence[str], code: int) -> Self:
        """Reads what the processes of a run have written into its folder."""
        tasks, idle, problems = [], [], []
        found = sorted(folder.glob(f"*/{events.MEASURED}"), key=lambda path: _by_number(path.parent.name))
        for path in found:
            facts = events.MeasuredTask.read(path.parent)
            if not facts.steps:
                tasks += [ProfiledTask(facts, None, str(path.parent))] if facts.coordinated else []
                idle += [] if facts.coordinated else [facts]
                continue
            try:
                tasks.append(ProfiledTask(facts, divided(path.parent), str(path.parent)))
            except DataLossError as error:
                problems.append(f"{facts.task}: {error}")
        if idle and tasks:
            problems.append(f"no steps in the main threads of {', '.join(facts.task for facts in idle)}.")
        else:
            problems += map(_without_steps, idle)
        lost = [path.name for path in folder.iterdir() if path.is_dir() and not (path / events.MEASURED).exists()]
        problems += [f"{name}: the process was killed before it wrote what was measured." for name in sorted(lost)]
        if not found and not lost:
            problems.append(
                f"nothing was measured: no process of {program[0]!r} has used stratagem, or it was killed. A process that "
                "does writes what was measured when it ends, or when its last recorded step does."
            )
        return cls(list(program), code, tasks, problems)

    def as_json(self) -> Any:
        """The report as an object: `program`, `code`, `tasks`, `problems`."""
        tasks = [task.as_json() for task in self.tasks]
        return {"program": list(self.program), "code": self.code, "tasks": tasks, "problems": list(self.problems)}

    def lines(self, *, bars: bool) -> Iterator[str]:
        """The tables. bars: draw them, by characters that are not ASCII."""
        for task in self.tasks:
            yield ""
            yield from _of_steps(task, task.time, "█" if bars else "#") if task.time is not None else [f"{task.name}:"]
            yield from _of_workers(task)


def _of_steps(task: ProfiledTask, time: DividedTime, bar: str) -> Iterator[str]:
    facts = task.facts
    yield (
        f"{task.name} ({facts.devices}): {count(facts.steps, 'step')} of {_ms(time.seconds / facts.steps)}, after "
        f"{facts.left_out} left out ({facts.before:.1f} s, {count(facts.programs, 'program')} made)"
    )
    rows = []
    for part in PARTS:
        share = time.parts[part] / time.seconds
        rows.append(
            [f"  {part}", _ms(time.parts[part] / facts.steps), f"{100 * share:.1f} %", bar * round(_BAR * share)]
        )
    rows.append(["  all", _ms(time.seconds / facts.steps), "100.0 %", ""])
    yield from aligned(rows, right=(1, 2))
    if time.programs:
        made = sorted(time.programs.items(), key=lambda item: -item[1])
        named = ", ".join(f"{name}: {number}" for name, number in made[:_NAMED]) + ", …" * (len(made) > _NAMED)
        yield f"  {count(sum(time.programs.values()), 'program')} made in these steps ({named})"
    elif time.compilations:
        yield f"  {count(time.compilations, 'compilation')} by XLA in these steps, none of a function's program"
    what, cure = MEANINGS[task.largest]
    yield f"  {task.largest} is the largest part: {what}."
    yield f"  > {cure}"
    if facts.ended not in (events.COMPLETE, events.ENDED):
        yield f"  (The recording is shorter than asked for: {facts.ended}.)"


def _of_workers(task: ProfiledTask) -> Iterator[str]:
    """The times of the workers of parameter servers, as the coordinator counts them."""
    for name, spent in task.facts.coordinated.items():
        total = sum(spent["seconds"].values())
        if not total:
            continue
        steps = max(spent["steps"], 1)
        yield f"  {name} of parameter servers: {count(spent['steps'], 'step')} of {_ms(total / steps)} since the job began"
        rows = [
            [f"    {part}", _ms(seconds / steps), f"{100 * seconds / total:.1f} %"]
            for part, seconds in spent["seconds"].items()
        ]
        yield from aligned(rows, right=(1, 2))
    if task.facts.coordinated:
        yield "  (Of these there is no trace. `print(coordinator.report())` says more: docs/parameter_servers.md.)"


def _without_steps(facts: events.MeasuredTask) -> str:
    if facts.left_out:
        taken = f"took {count(facts.left_out, 'step')}, and the first ones are left out: --skip {facts.left_out // 2}"
        return f"{facts.task} (process {facts.pid}) {taken} would record some."
    return (
        f"{facts.task} (process {facts.pid}) took no step in its main thread ({facts.ended}). A step is a call of a "
        "tf.function, of strategy.run, or of what `fit` and an Estimator run."
    )


def _by_number(name: str) -> list[tuple[int, str]]:
    """A key by which worker-10 comes after worker-2."""
    return [(int(part), "") if part.isdigit() else (-1, part) for part in name.split("-")]


def _ms(seconds: float) -> str:
    return f"{1e3 * seconds:,.2f} ms"
