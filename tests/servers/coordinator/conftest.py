"""One strategy with three workers for all tests of a file."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.eventually import eventually
from tests.servers.coordinator.functions import WORKERS, Coordinator
from tests.servers.remote.serving import serving


@pytest.fixture(scope="module")
def strategy() -> Any:
    """On two servers."""
    return serving(servers=2, workers=WORKERS)


@pytest.fixture
def coordinator(strategy: Any) -> Iterator[Any]:
    """Its coordinator, which a test leaves without anything to do.

    A function still counts as running for a moment after its value can be fetched.
    """
    coordinator = Coordinator(strategy)
    yield coordinator
    eventually(coordinator.done)
