"""StepCall: the coordinator's request to a worker to take steps; StepAnswer: what the worker did, or why it did not."""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any

from stratagem._servers.remote._carried_prefix import PrefixRequest, ResultFacts
from stratagem._servers.remote._time_breakdown import TimeCategory

PlanKey = tuple[int, ...]


@dataclass(frozen=True)
class StepCall:
    """Asks a worker to take a step of a plan for each of some closures.

    inputs: arrays, and an `IteratorElementRef` or `PrefixInputRef` for each that the worker has. prefix: what the host computes
    before each step; None if that is nothing, or the coordinator has done it. closures, below, coordinator: as in `PushId`.
    pushes: how many pushes the first closure has made before. ready: updates with shapes of gradients for which their
    servers have programs. use_prefetched: whether the first step may use prefetched values. more_follow: whether
    another call is likely to follow at once.
    """

    plan: PlanKey
    inputs: Sequence[Any]
    prefix: PrefixRequest | None
    closures: Sequence[int]
    below: int
    coordinator: str
    pushes: int
    ready: Set[Any]
    use_prefetched: bool
    more_follow: bool


@dataclass(frozen=True)
class StepId:
    """Identifies a step; equal if it is called again. pushes: those of its closure before the step."""

    plan: PlanKey
    coordinator: str
    closure: int
    pushes: int


@dataclass(frozen=True)
class MissingPlan:
    """The worker does not have the plan, or not the prefix that runs before it."""


@dataclass(frozen=True)
class MissingProgram:
    """The worker, or a server, does not have the program of a function of the plan for values of these shapes."""

    function: Any
    shapes: Any


@dataclass(frozen=True)
class ElementShapeMismatch:
    """The next element of the iterator with this number does not have the shapes that the coordinator expected."""

    iterator: int


@dataclass(frozen=True)
class OtherResults:
    """The results of the host before the step are of other kinds than the coordinator expected. facts: of these results."""

    facts: tuple[ResultFacts, ...]


@dataclass(frozen=True)
class LaterStepFailure:
    """A step after the first one failed: called alone, it raises its error."""


Stop = MissingPlan | MissingProgram | ElementShapeMismatch | OtherResults | LaterStepFailure


@dataclass(frozen=True)
class StepAnswer:
    """The steps that a worker has taken.

    results: one list for each step, with the strings that it returns after its numbers. pushes: of the last step's closure;
    after a stop, those of the next closure before its step. seconds: by category. stop: why the next step was not taken; None
    if all were.
    """

    results: Sequence[Sequence[Any]]
    pushes: int
    seconds: Mapping[TimeCategory, float]
    stop: Stop | None
