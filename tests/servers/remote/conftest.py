"""What all tests of this folder begin with."""

import pytest

# Private: a worker is brought values where another function waits for it, which no test arranges every time.
from stratagem._servers.remote._prefetch import PrefetchedValues


@pytest.fixture
def always(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every push brings values, also where no other function waits."""
    monkeypatch.setattr(
        PrefetchedValues, "expects_step", property(lambda _: True, lambda _, value: None), raising=False
    )
