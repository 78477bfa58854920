"""Splits an optimizer's update into one part for each server, and moves the variables that a part reads to its server."""

from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass
from typing import Any

from stratagem._base.errors import ContextError, MixedStrategiesError, UnimplementedError
from stratagem._core.mesh import ReplicaMesh
from stratagem._core.values import placement_of
from stratagem._private import settings_of
from stratagem._servers.remote._servers import Servers
from stratagem._servers.remote._step_analysis import AppliedUpdate
from stratagem._servers.remote._update import ServerUpdate, gradient_kind


@dataclass(frozen=True, eq=False)
class UpdatePart:
    """One server's part of an update. gradients: the indices of those that it takes. new: the server does not know it yet."""

    server: int
    key: Hashable
    gradients: tuple[int, ...]
    update: ServerUpdate
    new: bool


def parts_of(servers: Servers, applied: AppliedUpdate, mesh: ReplicaMesh) -> list[UpdatePart]:
    """Returns the parts of an update, one for each server, and teaches each server its part and the variables that it reads.

    A server without gradients has a part, too, for every server counts every update. The lock `tracing` is held.

    Raises:
        ContextError: the optimizer has a variable that is on no server.
        MixedStrategiesError: the optimizer has a variable on servers of another strategy.
        UnimplementedError: a part would read variables that other servers change.
    """
    optimizer, variables = applied.update.optimizer, applied.update.variables
    count, names = len(variables), applied.update.numbers
    groups = applied.groups[:count]
    kinds = [gradient_kind(optimizer, v, g is not None) for v, g in zip(variables, groups, strict=True)]
    numbers = tuple((name, v.aval.dtype) for name, v in zip(names, applied.gradients[count:], strict=True))
    homes = [servers.home(placement_of(v)) for v in variables]
    if None in homes:
        raise UnimplementedError(_trained_and_read(optimizer, variables[homes.index(None)]))
    parts = []
    for server in range(len(servers)):
        indices = tuple(i for i, home in enumerate(homes) if home == server)
        own_kinds = tuple(kinds[i] for i in indices)
        settings = (settings_of(optimizer), numbers)
        key = (server, id(optimizer), settings, *(id(variables[i]) for i in indices), own_kinds)
        known = servers.update(key)
        given = numbers if indices else ()  # who only counts the update needs none
        made = known or ServerUpdate(optimizer, [variables[i] for i in indices], own_kinds, mesh, given)
        taken = (*indices, *range(count, count + len(given)))
        parts.append(UpdatePart(server, key, taken, made, known is None))
    if any(part.new for part in parts):
        for variable, targets in _required_servers(servers, applied, parts, mesh):
            servers.move_to(targets, placement_of(variable))
        for part in parts:
            if part.new:
                keys = [servers.key(placement_of(v)) for v in part.update.state]
                servers.teach(part.key, part.server, part.update, keys)
    return parts


def _required_servers(
    servers: Servers, applied: AppliedUpdate, parts: Sequence[UpdatePart], mesh: ReplicaMesh
) -> list[tuple[Any, Collection[int]]]:
    """Returns the extra variables that the parts read, each with the servers that must hold it.

    Changes nothing; raises the errors of `parts_of`.
    """
    optimizer, found = applied.update.optimizer, {}
    for part in parts:
        for variable in part.update.state:
            _check_on_servers(servers, optimizer, variable)
        found.update({id(v): v for v in part.update.extra_reads})
    if len(servers) == 1:
        return []
    # The part without variables: it only counts the update, and changes the same on every server.
    counting = next((p.update for p in parts if not p.gradients), None) or ServerUpdate(optimizer, [], [], mesh)
    trained = {id(v) for v in applied.update.variables}
    required: list[tuple[Any, Collection[int]]] = []
    for name, variable in found.items():
        if name in trained or servers.trains(variable):
            raise UnimplementedError(_trained_and_read(optimizer, variable))
        writers = [p.server for p in parts if name in p.update.written]
        if not writers or name in counting.written:  # no server changes it, or all change it in the same way
            required.append((variable, range(len(servers))))
            continue
        readers = {p.server for p in parts if any(variable is v for v in p.update.extra_reads)}
        readers |= servers.readers(variable)
        if len(readers) > 1:
            raise UnimplementedError(
                f"{optimizer.name}: {variable.path} is changed by the updates of variables on several servers, each of which "
                "would have a value of its own. Take another optimizer, or a single server."
            )
        required.append((variable, writers))
    return required


def _check_on_servers(servers: Servers, optimizer: Any, variable: Any) -> None:
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
