"""With one worker, variables on servers change nothing: the same weights as on one device, to the last digits."""

import functools
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pytest

import stratagem as tf
from tests.servers.remote.programs import OPTIMIZERS, OTHERS, PROGRAMS, training
from tests.servers.remote.serving import difference, one_device, ran, serving
from tests.servers.remote.tables import TABLES
from tests.thorough import thorough_if

LIMIT = {"float64": 1e-9, "float32": 1e-5}
Layout = tuple[int, int | None]  # servers, and shards of a variable
WHOLE, SPREAD, IN_TWO, IN_THREE = (1, None), (2, None), (3, 2), (2, 3)
SAID = {WHOLE: "whole", SPREAD: "spread", IN_TWO: "in two", IN_THREE: "in three"}
WHOLE_VARIABLE = ("lamb", "adafactor")  # which are refused for shards
EVERY = {**PROGRAMS, **TABLES}


@functools.cache
def reference(kind: str, name: str) -> list[np.ndarray]:
    return ran(program(kind, name), one_device())


def program(kind: str, name: str) -> Any:
    return EVERY[name] if kind == "program" else training({**OPTIMIZERS, **OTHERS}[name])


def check(kind: str, name: str, layout: Layout) -> None:
    servers, shards = layout
    found, made = ran(program(kind, name), serving(servers, shards=shards)), program(kind, name)
    assert difference(found, reference(kind, name)) <= LIMIT[made.dtype]


def cases(names: Iterable[str], layouts: Sequence[Layout], quick: dict[str, Layout]) -> list[Any]:
    """Every name with every layout but those that are refused; those that are not quick are other instances of the same."""
    every = [(name, layout) for name in names for layout in layouts]
    every = [(name, layout) for name, layout in every if name not in WHOLE_VARIABLE or layout[1] is None]
    return [pytest.param(*c, marks=thorough_if(quick.get(c[0]) != c[1]), id=f"{c[0]}-{SAID[c[1]]}") for c in every]


@pytest.mark.parametrize(
    ("name", "layout"),
    cases(
        OPTIMIZERS,
        [WHOLE, IN_TWO, IN_THREE],
        {"adam": IN_TWO},
    ),
)
def test_an_optimizer_on_servers_is_the_optimizer_on_one_device(name: str, layout: Layout) -> None:
    check("optimizer", name, layout)


@pytest.mark.thorough
@pytest.mark.parametrize(("name", "layout"), cases(OTHERS, [SPREAD, IN_TWO, IN_THREE], {}))
def test_so_are_other_optimizers_and_options(name: str, layout: Layout) -> None:
    check("optimizer", name, layout)


# What servers do apart: assignments, and look-ups of every kind.
QUICK = ("assignments", "embeddings only", "looked up late", "later update first", "look-ups", "shared table")


@pytest.mark.sampled
@pytest.mark.parametrize(("name", "layout"), cases(EVERY, [SPREAD, IN_TWO], dict.fromkeys(QUICK, IN_TWO)))
def test_a_program_computes_the_same_on_servers(name: str, layout: Layout) -> None:
    check("program", name, layout)


def test_a_loop_that_schedules_its_steps_computes_the_same() -> None:
    """The first worker draws the random numbers that one device would."""
    strategy = serving(2)
    coordinator = tf.distribute.experimental.coordinator.ClusterCoordinator(strategy)

    def send(step: Any, batch: Any) -> Any:
        return coordinator.schedule(step, args=batch).fetch()

    program = PROGRAMS["dropout"]
    assert difference(ran(program, strategy, send), reference("program", "dropout")) <= LIMIT["float64"]
