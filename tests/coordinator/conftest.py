"""One strategy with three workers for all tests of a file."""

from collections.abc import Iterator
from typing import Any

import pytest

from stratagem._servers.coordinator import _coordinator
from tests.coordinator.functions import WORKERS, Coordinator
from tests.remote.serving import serving


@pytest.fixture(autouse=True)
def threads_that_end_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker's thread ends when it had nothing to do: here after a moment."""
    monkeypatch.setattr(_coordinator, "_IDLE", 0.05)


@pytest.fixture(scope="module")
def strategy() -> Any:
    """On two servers."""
    return serving(servers=2, workers=WORKERS)


@pytest.fixture
def coordinator(strategy: Any) -> Iterator[Any]:
    """Its coordinator, which a test leaves without anything to do."""
    coordinator = Coordinator(strategy)
    yield coordinator
    assert coordinator.done()
