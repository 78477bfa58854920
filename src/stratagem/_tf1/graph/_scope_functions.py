"""tf1.variable_scope, tf1.name_scope and tf1.get_variable_scope: the scopes that are open in the current call of a model_fn."""

import contextlib
from collections.abc import Iterator
from typing import Any

from stratagem._base.exports import exported
from stratagem._base.types import DTypeLike
from stratagem._tf1.graph._model_build import begun_building, current_building
from stratagem._tf1.graph._scopes import AUTO_REUSE, VariableScope


@exported(v1=["variable_scope"])
@contextlib.contextmanager
def variable_scope(
    name_or_scope: str | VariableScope | None,
    default_name: str | None = None,
    values: object = None,
    initializer: Any = None,
    regularizer: Any = None,
    caching_device: object = None,
    partitioner: object = None,
    custom_getter: Any = None,
    reuse: Any = None,
    dtype: DTypeLike | None = None,
    use_resource: bool | None = None,
    constraint: Any = None,
    auxiliary_name_scope: bool = True,
) -> Iterator[VariableScope]:
    """Opens a variable scope for the body, as `tf.compat.v1.variable_scope`.

    name_or_scope: a name below the open scope, or an earlier scope to open again.
    default_name: made unique and used if name_or_scope is None.
    initializer, regularizer, constraint, dtype, custom_getter: the defaults of `get_variable` in the body.
    reuse: True, AUTO_REUSE, or None to inherit.

    Raises TypeError without a name, ValueError for any other `reuse`.
    """
    if reuse not in (None, False, True) and reuse is not AUTO_REUSE:
        raise ValueError(
            f"The reuse parameter must be True or False or None, or tf.compat.v1.AUTO_REUSE, got {reuse!r}."
        )
    scopes = current_building().scopes
    given = name_or_scope
    if given is None:
        if default_name is None:
            raise TypeError("If default_name is None then name_or_scope is required")
        if reuse:
            raise ValueError("reuse=True cannot be used without a name_or_scope")
        given = scopes.default_name(default_name)
    if not isinstance(given, str | VariableScope):
        raise TypeError(f"VariableScope: name_or_scope must be a string or VariableScope, got {given!r}.")
    changes = {
        "initializer": initializer,
        "regularizer": regularizer,
        "getter": custom_getter,
        "reuse": reuse,
        "dtype": dtype,
        "constraint": constraint,
    }
    with scopes.variable_scope(given, **changes) as scope:
        yield scope


@exported(v1=["name_scope"])
@contextlib.contextmanager
def name_scope(name: str | None, default_name: str | None = None, values: object = None) -> Iterator[str]:
    """Prefixes the names of tensors, operations and summaries in the body with `name`, made unique.

    No effect outside a model_fn.
    """
    building = begun_building()
    if building is None:
        yield f"{name or default_name or ''}/"
        return
    with building.scopes.name_scope(default_name if name is None else name) as stack:
        yield stack


@exported(v1=["get_variable_scope"])
def get_variable_scope() -> VariableScope:
    """Returns the open variable scope."""
    return current_building().scopes.variables
