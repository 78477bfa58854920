"""Coordinators whose threads do not stay for long when they have nothing to do."""

import pytest


@pytest.fixture(autouse=True)
def threads_that_end_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker's thread ends when it had nothing to do for a second: here after a moment, as tests leave no threads."""
    # Private: there is nothing in this time that a program would set.
    monkeypatch.setattr("stratagem._servers.coordinator._coordinator._IDLE", 0.05)
