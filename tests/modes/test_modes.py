"""The same computation gives the same numbers in every mode, and TensorFlow's."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import stratagem as tf
from tests.modes import comparing, modes, programs
from tests.modes.tables import TABLES, THINGS
from tests.sample import day

PROGRAMS = {program.name: program for program in programs.programs()}


def _sample(mode: str, names: list[str], count: int) -> list[str]:
    """Some of the names, others every day and in every mode."""
    random = np.random.default_rng([day(), *mode.encode()])
    return [names[i] for i in random.choice(len(names), count, replace=False)]


def _of_two_tables(mode: str) -> list[str]:
    chosen = _sample(mode, [table.__name__ for table in TABLES], 2)
    tables = [table for table in TABLES if table.__name__ in chosen]
    return [name for table in tables for name in _sample(mode, [thing.name for thing in table.things()], 1)]


def check(thing: Any, mode: str) -> None:
    said = comparing.difference(thing, mode)
    reason = thing.differ.get("*") or thing.differ.get(modes.MODES[mode][0])
    if reason is None:
        assert said is None, f"{thing.name}, {mode}: {said}"


@pytest.mark.sampled
@pytest.mark.parametrize("mode", modes.MODES)
def test_some_of_all_things_are_the_same_in_a_mode(mode: str) -> None:
    for name in _of_two_tables(mode):
        check(THINGS[name], mode)


@pytest.mark.thorough
@pytest.mark.parametrize("name", THINGS)
def test_a_thing_is_the_same_in_all_modes(name: str) -> None:
    for mode in modes.MODES:
        check(THINGS[name], mode)


@pytest.mark.thorough
@pytest.mark.parametrize("name", [thing.name for thing in THINGS.values() if thing.differ])
def test_named_differences_from_tensorflow_are_still_there(name: str) -> None:
    thing = THINGS[name]
    for reference in modes.REFERENCES if "*" in thing.differ else thing.differ:
        mode = next(m for m, (of, way, _) in modes.MODES.items() if of == reference and way is modes.eagerly)
        if isinstance(comparing.recorded()[name][reference], list) and comparing.difference(thing, mode) is not None:
            return
    pytest.fail(f"{name} agrees with TensorFlow in all references: {thing.differ}")


def run_program(program: programs.Program, way: Callable[[Any, programs.Program], list[Any]]) -> None:
    found = [np.asarray(result) for result in way(tf, program)]
    said = comparing.compared(found, comparing.recorded()[program.name], program.within)
    assert said is None, f"{program.name}: {said}"


def _programs_of(mode: str) -> list[str]:
    return [name for name in PROGRAMS if mode in programs.MODES or name.startswith("model: ")]


@pytest.mark.sampled
@pytest.mark.parametrize("mode", [*programs.MODES, *programs.OF_MODELS])
def test_some_of_all_programs_are_the_same_in_a_mode(mode: str) -> None:
    for name in _sample(mode, _programs_of(mode), 2):
        run_program(PROGRAMS[name], (programs.MODES | programs.OF_MODELS)[mode])


@pytest.mark.thorough
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_is_the_same_in_all_modes(name: str) -> None:
    for mode, way in (programs.MODES | programs.OF_MODELS).items():
        if name in _programs_of(mode):
            run_program(PROGRAMS[name], way)


def test_every_thing_and_program_has_been_recorded() -> None:
    assert set(comparing.recorded()) == {*THINGS, *PROGRAMS}
