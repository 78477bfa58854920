"""Steps that workers of other processes take: each once, though programs that they need come one after another."""

from typing import Any

import pytest

from stratagem.coordinator import _coordinator
from tests.coordinator.functions import Coordinator
from tests.remote.far import far_strategy
from tests.remote.programs import PROGRAMS
from tests.remote.serving import difference, one_device, ran
from tests.remote.tables import TABLES


@pytest.mark.parametrize("name", ["reads after an update", "two optimizers", *TABLES])
def test_a_step_that_has_to_wait_for_programs_goes_on_where_it_was(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What it has read before its first update, it does not read again after it."""
    monkeypatch.setattr(_coordinator, "_IDLE", 0.05)
    strategy, program = far_strategy(monkeypatch, servers=2), {**PROGRAMS, **TABLES}[name].times(4)
    coordinator: Any = Coordinator(strategy)

    def send(step: Any, batch: Any) -> Any:
        return coordinator.schedule(step, args=batch).fetch()

    assert difference(ran(program, strategy, send), ran(program, one_device())) <= 1e-9
    pushes = [server.call("traffic").result() for server in strategy.servers.actors]
    assert [traffic.dropped for traffic in pushes] == [0, 0]
