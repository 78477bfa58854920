"""Operations that give variables their first values, and what asks whether they have them."""

from collections.abc import Iterable, Sequence
from typing import Any

import keras

from stratagem._base.exports import exported
from stratagem._tf1.graph import Operation, default_graph, global_variables, local_variables
from stratagem._tf1.sessions._session import Session


@exported(v1=["initialize_variables", "variables_initializer"])
def variables_initializer(var_list: Iterable[keras.Variable], name: str = "init") -> Operation:
    """Returns an operation that gives variables their first values; random ones are drawn anew unless seeds say otherwise."""
    variables = list(var_list)

    def initialize(session: Session, fed: Any) -> None:
        session.initialize(variables, fed)

    building = default_graph().building
    return Operation(name, lambda: building.effects.on_host(initialize))


@exported(v1=["global_variables_initializer", "initialize_all_variables"])
def global_variables_initializer() -> Operation:
    """Returns an operation that gives all variables of the graph so far, but for local ones, their first values."""
    default_graph()
    return variables_initializer(global_variables())


@exported(v1=["initialize_local_variables", "local_variables_initializer"])
def local_variables_initializer() -> Operation:
    """Returns an operation that gives the local variables of the graph so far, those of metrics, their first values."""
    default_graph()
    return variables_initializer(local_variables(), "init_local")


@exported(v1=["is_variable_initialized"])
def is_variable_initialized(variable: keras.Variable) -> Operation:
    """Returns what a session runs to learn whether a variable has a value: True or False."""
    building = default_graph().building
    return Operation(
        "IsVariableInitialized", lambda: building.effects.on_host(lambda session, fed: session.has(variable))
    )


@exported(v1=["report_uninitialized_variables"])
def report_uninitialized_variables(
    var_list: Sequence[keras.Variable] | None = None, name: str = "report_uninitialized_variables"
) -> Operation:
    """Returns what a session runs to learn the names of variables without values: an array of bytes objects.

    var_list: by default all of the graph, local ones too.
    """
    building = default_graph().building
    variables = [*global_variables(), *local_variables()] if var_list is None else list(var_list)
    return Operation(
        name, lambda: building.effects.on_host(lambda session, fed: session.names_without_value(variables))
    )
