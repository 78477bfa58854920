"""The base of tf1.layers: a layer finds its variables by the name of its scope."""

import functools
import inspect
import re
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from stratagem._base.exports import exported
from stratagem._ops import Tensor, as_dtype, tensor
from stratagem._tf1.graph._function_wrappers import titled
from stratagem._tf1.graph._get_variable import collect_regularization, get_variable
from stratagem._tf1.graph._keys import GraphKeys
from stratagem._tf1.graph._model_build import ModelBuild, current_building
from stratagem._tf1.graph._scopes import VariableScope


@exported(v1=["layers.Layer"])
class Layer:
    """An object with variables that is called on a tensor, as `tf.compat.v1.layers.Layer`.

    A subclass creates its variables in `build(input_shape)` with `add_weight`, and computes in `call(inputs)`. Within one
    call of a model_fn a layer keeps its variables however often it is called.

    trainable: False hides its variables from optimizers.
    name: of its variable scope; by default that of the class, made unique.
    dtype: of its variables; by default that of the first input.
    _scope, _reuse: used by the functions of tf1.layers.
    """

    def __init__(
        self,
        trainable: bool = True,
        name: str | None = None,
        dtype: Any = None,
        activity_regularizer: Callable[[Any], Any] | None = None,
        _scope: str | VariableScope | None = None,
        _reuse: bool | None = None,
    ) -> None:
        self.trainable = trainable
        self.dtype: Any = None if dtype is None else np.dtype(as_dtype(dtype).as_numpy_dtype)
        self.built = False
        self._base = name or _snake_case(type(self).__name__)
        self._given_scope: Any = _scope
        self._reuse = _reuse
        self._activity_regularizer = activity_regularizer
        self._scope: VariableScope | None = None
        self._building: ModelBuild | None = None
        self._weights: list[Any] = []

    @property
    def name(self) -> str:
        """The last part of the name of its variable scope."""
        return self._base if self._scope is None else self._scope.name.rpartition("/")[2]

    @property
    def scope_name(self) -> str:
        """The name of its variable scope. Raises ValueError before the first call, when there is none."""
        if self._scope is None:
            raise ValueError(
                f'No name available for layer scope because the layer "{self._base}" has not been used yet.'
            )
        return self._scope.name

    @property
    def variables(self) -> list[Any]:
        """All variables, in the order of their creation."""
        return list(self._weights)

    weights = variables

    @property
    def trainable_variables(self) -> list[Any]:
        """The variables that optimizers change, without tensors that a custom getter returned in a variable's place."""
        return [v for v in self._weights if not isinstance(v, jax.Array) and v.trainable]

    trainable_weights = trainable_variables

    @property
    def non_trainable_variables(self) -> list[Any]:
        """The variables that optimizers do not change."""
        return [v for v in self._weights if isinstance(v, jax.Array) or not v.trainable]

    non_trainable_weights = non_trainable_variables

    def build(self, input_shape: tuple[int, ...]) -> None:
        """Creates the variables."""
        self.built = True

    def call(self, *args: Any, **kwargs: Any) -> Any:
        """Returns the output."""
        raise NotImplementedError(f"{type(self).__name__}.call")

    def add_weight(
        self,
        name: str,
        shape: Sequence[int] = (),
        dtype: Any = None,
        initializer: Any = None,
        regularizer: Callable[[Any], Any] | None = None,
        trainable: bool = True,
        constraint: Callable[[Any], Any] | None = None,
        **settings: Any,
    ) -> Any:
        """Returns a variable of this name in the layer's scope: a new one, or, where the scope is reused, the existing one.

        A custom getter may return a tensor instead.
        """
        building = current_building()
        before = list(building.declared.values())
        variable = get_variable(
            name,
            shape,
            self.dtype if dtype is None else dtype,
            initializer,
            trainable=trainable and self.trainable,
            constraint=constraint,
            **settings,
        )
        # As in TensorFlow, the layer's regularizer adds to that of the scope. A reused variable has its loss already.
        if regularizer is not None and not any(v is variable for v in before):
            collect_regularization(f"{self.scope_name}/{name}", regularizer, variable)
        self._weights.append(variable)
        return variable

    add_variable = add_weight

    def __call__(self, inputs: Any, *args: Any, scope: Any = None, **kwargs: Any) -> Any:
        """Returns the output for `inputs`, a tensor or a structure of tensors that `call` accepts."""
        building = current_building()
        if self._building is not building:  # in each call of the model_fn, a layer that outlives it starts anew
            self._building, self.built, self._scope, self._weights = building, False, None, []
        scopes = building.scopes
        if self._scope is None:
            given = self._given_scope if scope is None else scope
            if given is None:
                given = self._base if self._reuse else scopes.default_name(self._base)
            own = {"reuse": self._reuse}
        else:
            given, own = self._scope, {"reuse": True if self.built else self._reuse}
        with scopes.variable_scope(given, **own) as inside:
            self._scope = self._scope or inside
            if not isinstance(inputs, dict | list | tuple):
                inputs = tensor(inputs)
            if not self.built:
                self._build(inputs)
            outputs = self.call(inputs, *args, **kwargs)
            if self._activity_regularizer is not None:
                with scopes.name_scope("ActivityRegularizer"):
                    loss = self._activity_regularizer(outputs) / outputs.shape[0]
                    building.collect(GraphKeys.REGULARIZATION_LOSSES, loss)
        return outputs

    apply = __call__

    def _build(self, inputs: Any) -> None:
        single = not isinstance(inputs, dict | list | tuple)
        if self.dtype is None:
            floating = single and jnp.issubdtype(inputs.dtype, np.floating)
            self.dtype = np.dtype(inputs.dtype) if floating else np.dtype(np.float32)
        self.build(tuple(inputs.shape) if single else inputs)
        self.built = True


def weight_settings(initializer: Any, regularizer: Any = None, constraint: Any = None) -> dict[str, Any]:
    """Returns the settings of one weight, as `Layer.add_weight` takes them."""
    return {"initializer": initializer, "regularizer": regularizer, "constraint": constraint}


def _snake_case(name: str) -> str:
    """Returns Conv2DTranspose as conv2d_transpose."""
    return re.sub(r"([a-z])([A-Z])", r"\1_\2", re.sub(r"(.)([A-Z][a-z]+)", r"\1_\2", name)).lower()


def as_function(cls: Any, name: str) -> Callable[..., Tensor]:
    """Returns a function that creates a layer and calls it: function(inputs, <the layer's arguments>, reuse=None)."""

    @functools.wraps(cls.__init__)
    def layer(inputs: Any, *args: Any, reuse: bool | None = None, **kwargs: Any) -> Tensor:
        own = bound.bind(None, *args, **kwargs).arguments.get("name")
        made = cls(*args, **kwargs, **({"_scope": own, "_reuse": reuse} if takes_scope else {}))
        return made(inputs)

    bound = inspect.signature(cls.__init__)
    takes_scope = any(p.kind is p.VAR_KEYWORD for p in bound.parameters.values())
    plain = [p for p in list(bound.parameters.values())[1:] if p.kind is not p.VAR_KEYWORD]
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    last = [inspect.Parameter("reuse", kind, default=None)] if takes_scope else []
    layer.__signature__ = inspect.Signature([inspect.Parameter("inputs", kind), *plain, *last])  # type: ignore[attr-defined]
    return titled(layer, name, f"`{cls.__name__}(...)(inputs)`: {(cls.__doc__ or '').strip()}")


def python_bool(training: Any, where: str) -> bool:
    """Returns `training` as a Python bool. Raises TypeError for a tensor, whose value is unknown while the step is traced."""
    if isinstance(training, bool | np.bool_ | int):
        return bool(training)
    raise TypeError(
        f"{where}: training is {training!r}. It has to be True or False of Python, because the step is compiled for one of "
        "them: pass training=(mode == tf.estimator.ModeKeys.TRAIN)."
    )
