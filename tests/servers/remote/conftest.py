"""What all tests of this folder begin with."""

import pytest

# Private: a worker is brought values where another function waits for it, which no test arranges every time.
from stratagem._servers.remote._prefetch import PrefetchBuffer


@pytest.fixture
def always(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every push brings values, also where no other function waits."""
    monkeypatch.setattr(PrefetchBuffer, "more", property(lambda _: True, lambda _, more: None), raising=False)
