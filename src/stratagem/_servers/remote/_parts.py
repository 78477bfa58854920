"""Parts: an optimizer's update as one part for each server, and where the servers keep what these read."""

from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass
from typing import Any

from stratagem._base.errors import ContextError, MixedStrategiesError, UnimplementedError
from stratagem._core.mesh import ReplicaMesh
from stratagem._core.values import placement_of
from stratagem._private import settings_of
from stratagem._servers.remote._servers import Servers
from stratagem._servers.remote._step_analysis import AppliedUpdate
from stratagem._servers.remote._update import ServerUpdate, how


@dataclass(frozen=True, eq=False)
class UpdatePart:
    """What one server does of an update. mine: which of its gradients this takes; new: the server does not know it yet."""

    server: int
    key: Hashable
    mine: tuple[int, ...]
    update: ServerUpdate
    new: bool


def parts_of(servers: Servers, applied: AppliedUpdate, mesh: ReplicaMesh) -> list[UpdatePart]:
    """One part for each server, which then knows it, and keeps what it reads: every server counts every update.

    `tracing` is held.

    Raises:
        ContextError: the optimizer has a variable that is on no server.
        MixedStrategiesError: it has one on servers of another strategy.
        UnimplementedError: a part would need what others change.
    """
    optimizer, variables = applied.update.optimizer, applied.update.variables
    hows = [how(optimizer, v, g is not None) for v, g in zip(variables, applied.groups, strict=True)]
    homes = [servers.home(placement_of(v)) for v in variables]
    if None in homes:
        raise UnimplementedError(_trained_and_read(optimizer, variables[homes.index(None)]))
    parts = []
    for server in range(len(servers)):
        mine = tuple(i for i, home in enumerate(homes) if home == server)
        kinds = tuple(hows[i] for i in mine)
        key = (server, id(optimizer), settings_of(optimizer), *(id(variables[i]) for i in mine), kinds)
        known = servers.update(key)
        made = known or ServerUpdate(optimizer, [variables[i] for i in mine], kinds, mesh)
        parts.append(UpdatePart(server, key, mine, made, known is None))
    if any(part.new for part in parts):
        for variable, keepers in _keepers(servers, applied, parts, mesh):
            servers.keep_on(keepers, placement_of(variable))
        for part in parts:
            if part.new:
                keys = [servers.key(placement_of(v)) for v in part.update.state]
                servers.teach(part.key, part.server, part.update, keys)
    return parts


def _keepers(
    servers: Servers, applied: AppliedUpdate, parts: Sequence[UpdatePart], mesh: ReplicaMesh
) -> list[tuple[Any, Collection[int]]]:
    """Of what parts read beside their variables, where it has to be kept. Changes nothing; raises as `parts_of`."""
    optimizer, found = applied.update.optimizer, {}
    for part in parts:
        for variable in part.update.state:
            _check(servers, optimizer, variable)
        found.update({id(v): v for v in part.update.beside})
    if len(servers) == 1:
        return []
    counting = next((p.update for p in parts if not p.mine), None) or ServerUpdate(optimizer, [], [], mesh)
    trained = {id(v) for v in applied.update.variables}
    keepers: list[tuple[Any, Collection[int]]] = []
    for name, variable in found.items():
        if name in trained or servers.trains(variable):
            raise UnimplementedError(_trained_and_read(optimizer, variable))
        writers = [p.server for p in parts if name in p.update.written]
        if not writers or name in counting.written:  # none changes it, or all do, and do the same
            keepers.append((variable, range(len(servers))))
            continue
        readers = {p.server for p in parts if any(variable is v for v in p.update.beside)} | servers.readers(variable)
        if len(readers) > 1:
            raise UnimplementedError(
                f"{optimizer.name}: {variable.path} is changed by the updates of variables on several servers, each of which "
                "would have a value of its own. Take another optimizer, or a single server."
            )
        keepers.append((variable, writers))
    return keepers


def _check(servers: Servers, optimizer: Any, variable: Any) -> None:
    placement: Any = placement_of(variable)
    if placement is None or not placement.remote:
        raise ContextError(
            f"{optimizer.name} has variable {variable.path}, which is on no parameter server: create the optimizer within "
            "`with strategy.scope():`, as the model."
        )
    if placement.servers is not servers:
        raise MixedStrategiesError(
            f"Mixing different tf.distribute.Strategy objects: {optimizer.name} updates variables of one, and reads "
            f"{variable.path}, which is on servers of another ParameterServerStrategy. Create all of them under one strategy."
        )


def _trained_and_read(optimizer: Any, variable: Any) -> str:
    return (
        f"{optimizer.name}: {variable.path} is updated by an optimizer, and the update of other variables reads it, by its "
        "learning rate perhaps: that is not possible with several servers. Assign what it reads to a variable that no "
        "optimizer updates."
    )
