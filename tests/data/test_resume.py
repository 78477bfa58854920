"""A resumed iteration equals the uninterrupted one, for pipelines composed at random, and so does the next iteration."""

import itertools
import logging
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.data.random_pipelines import SOURCES, STEPS, Step, built, some, through_json


@pytest.fixture(autouse=True, scope="module")
def no_warnings() -> Iterator[None]:
    """Replays and skipped elements are told in the log."""
    logging.disable(logging.WARNING)
    yield
    logging.disable(logging.NOTSET)


def leaves_epochs_unfinished(steps: list[Step]) -> bool:
    """Whether an iteration may begin epochs of a shuffle without finishing them: how many depends on what was read ahead."""
    return any(name.startswith("repeat") or name == "choose" for name, _, _ in steps)


def check(source: str, size: int, steps: list[Step], epochs: int, before: int, elsewhere: int) -> None:
    """Save after some epochs and elements; go on, and go on in a fresh, equal pipeline that was used before."""
    with tempfile.TemporaryDirectory() as folder:
        here, there = Path(folder, "here"), Path(folder, "there")
        here.mkdir()
        dataset = built(source, size, steps, here)
        for _ in range(epochs):
            some(dataset.as_numpy_iterator())
        iterator = dataset.as_numpy_iterator()
        for _ in itertools.islice(iterator, before):
            pass
        state = through_json(iterator.get_state())
        shutil.copytree(here, there)
        expected = [some(iterator)]
        iterator.close()
        if not leaves_epochs_unfinished(steps):
            expected.append(some(dataset.as_numpy_iterator()))
        other = built(source, size, steps, there)
        resumed = other.as_numpy_iterator()
        for _ in itertools.islice(resumed, elsewhere):
            pass
        resumed.set_state(state)
        found = [some(resumed)]
        resumed.close()
        if not leaves_epochs_unfinished(steps):
            found.append(some(other.as_numpy_iterator()))
        assert found == expected


@pytest.mark.thorough
@settings(max_examples=100)
@given(
    source=st.sampled_from(sorted(SOURCES)),
    size=st.integers(0, 12),
    steps=st.lists(STEPS, max_size=4),
    epochs=st.integers(0, 1),
    before=st.integers(0, 20),
    elsewhere=st.sampled_from([0, 0, 0, 3]),
)
def test_a_resumed_pipeline_goes_on_as_the_uninterrupted_one(
    source: str, size: int, steps: list[Step], epochs: int, before: int, elsewhere: int
) -> None:
    check(source, size, steps, epochs, before, elsewhere)
