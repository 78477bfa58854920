"""What a test starts has ended before its patches go (tests/conftest.py)."""

import threading
from collections.abc import Iterator

import pytest

SEEN: list[str] = []


class Used:
    """What a thread uses that a test has started."""

    @staticmethod
    def name() -> str:
        return "the real one"


@pytest.fixture
def told_to_stop() -> Iterator[threading.Event]:
    """Is set when the test is over, as a coordinator or a server is told to stop."""
    stop = threading.Event()
    yield stop
    stop.set()


def test_a_thread_outlives_its_test_for_a_moment(
    told_to_stop: threading.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Used, "name", staticmethod(lambda: "the patched one"))

    def work() -> None:
        told_to_stop.wait()
        threading.Event().wait(0.5)  # in which, but for the guard, the patch would go
        SEEN.append(Used.name())

    threading.Thread(target=work).start()


def test_it_has_used_what_the_test_had_patched_until_its_end() -> None:
    assert SEEN in ([], ["the patched one"])  # empty: this test was chosen alone
    assert Used.name() == "the real one"
