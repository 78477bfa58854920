"""Optimizers of Keras: how they apply gradients, and what they keep beside a variable."""

import contextlib
import functools
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import keras
from keras.src import backend as keras_backend
from keras.src.optimizers.base_optimizer import BaseOptimizer, clip_by_global_norm
from keras.src.optimizers.loss_scale_optimizer import LossScaleOptimizer

from stratagem._base.errors import UnimplementedError
from stratagem._private._layers import announce_build
from stratagem._private._scopes import give_first_values, unscoped
from stratagem._private._traces import OutsideOfTraces
from stratagem._private._variables import KerasVariable


def intercept_apply(
    around: Callable[[Any, list[Any], Any, Callable[[list[Any]], None]], None],
    at_once: Callable[[keras.optimizers.Optimizer, list[Any], list[keras.Variable]], bool],
) -> None:
    """Route `optimizer.apply(grads, variables)` through around(optimizer, grads, variables, apply_these).

    `apply_gradients` first asks at_once(optimizer, grads, variables) whether it has applied them.
    """
    for cls in (BaseOptimizer, LossScaleOptimizer):
        cls.apply = _routed_apply(cls.apply, around)

    def apply_gradients(
        self: Any,
        grads_and_vars: Iterable[tuple[Any, Any]],
        name: str | None = None,
        skip_gradients_aggregation: bool = False,
        experimental_aggregate_gradients: bool = True,
    ) -> Any:
        """Sums the gradients over replicas unless told not to, then updates, as in TF. Returns `iterations`."""
        pairs = list(grads_and_vars)
        grads, variables = [g for g, _ in pairs], [v for _, v in pairs]
        local = skip_gradients_aggregation or not experimental_aggregate_gradients
        if local:
            _apply_locally(self, grads, variables)
        else:
            _build_optimizer(self, variables)
            at_once(self, grads, variables) or self.apply(grads, variables)
        return self.iterations

    BaseOptimizer.apply_gradients = apply_gradients


def _apply_locally(optimizer: Any, grads: list[Any], variables: list[Any]) -> None:
    original = type(optimizer).apply.__wrapped__
    _build_optimizer(optimizer, variables)
    original(optimizer, grads, variables)


def _build_optimizer(optimizer: Any, variables: Iterable[Any] | None) -> None:
    if optimizer.built or variables is None:
        return
    with keras_backend.name_scope(optimizer.name, caller=optimizer):
        optimizer.build(list(variables))
    optimizer.built = True


Outside = Callable[[Any], contextlib.AbstractContextManager[Any] | None]


def intercept_builds(outside: Outside) -> None:
    """Builds an optimizer within outside(optimizer), at once even during a trace, as TF does, and announces it.

    Some of Keras' optimizers make variables from values (Nadam), or start them from the weights (ScheduleFreeAdamW): in a trace
    the first is an error and the second was forgotten with the trace.
    """

    def wrap(cls: Any) -> None:
        if "build" in vars(cls):
            cls.build = _built_at_once(cls.build, outside)
        for derived in cls.__subclasses__():
            wrap(derived)

    wrap(BaseOptimizer)

    def new_init_subclass(cls: Any, /, **kwargs: Any) -> None:
        super(BaseOptimizer, cls).__init_subclass__(**kwargs)
        if "build" in vars(cls):
            cls.build = _built_at_once(cls.build, outside)

    BaseOptimizer.__init_subclass__ = classmethod(new_init_subclass)


def _built_at_once(build: Any, outside: Outside) -> Any:
    @functools.wraps(build)
    def built(self: Any, *args: Any, **kwargs: Any) -> Any:
        if self.built or "_building" in vars(
            self
        ):  # the second: called by the method that this one's class has written anew
            return build(self, *args, **kwargs)
        where = outside(self)
        if where is None:
            return build(self, *args, **kwargs)
        object.__setattr__(self, "_building", True)
        try:
            with OutsideOfTraces(), unscoped(), where:
                give_first_values()
                result = build(self, *args, **kwargs)
                announce_build(self)
        finally:
            object.__delattr__(self, "_building")
        return result

    return built


def _routed_apply(original: Any, around: Any) -> Any:
    @functools.wraps(original)
    def apply(self: Any, grads: Iterable[Any], trainable_variables: Iterable[Any] | None = None) -> None:
        variables = None if trainable_variables is None else list(trainable_variables)
        _build_optimizer(self, variables)
        around(self, list(grads), variables, lambda summed: original(self, summed, variables))

    return apply


def computed_settings(optimizer: keras.optimizers.Optimizer) -> dict[str, Any]:
    """Returns by name the settings of an optimizer that the present step computes; those of Keras' classes are numbers.

    One that has any gets their values back by `take_settings`, where it updates variables.
    """
    found: Callable[[], dict[str, Any]] | None = getattr(optimizer, "computed_settings", None)
    return {} if found is None else found()


def apply_locally(
    optimizer: keras.optimizers.Optimizer,
    grads: Sequence[Any],
    variables: Sequence[keras.Variable],
    others: Collection[int] | None = None,
    settings: Mapping[str, Any] = MappingProxyType({}),
) -> None:
    """Keras' own `apply`, as a server runs it: on these gradients of some variables, as if the optimizer had no others.

    settings: those of `computed_settings`, with their values.

    others: the ids of what it changes beside these variables and their slots; None: that is to be found out, so nothing is
    accumulated, for which Keras writes all variables.

    Without any it counts the update, as every server does. (Keras' `apply` would do nothing then.) A global norm, which needs
    all gradients, was applied before (`untangled_clip`).
    """
    mine = {id(v) for v in variables}
    slots = [
        v
        for v in optimizer._variables
        if (id(v._slot_of) in mine if v._slot_of is not None else others is None or id(v) in others)
    ]
    swapped = {"_trainable_variables": list(variables), "_variables": slots, "global_clipnorm": None}
    if others is None:
        swapped["gradient_accumulation_steps"] = None
    # A copy with the same variables: other threads use the optimizer meanwhile, and one may save it. (Keras' own way to copy
    # makes new variables.)
    one = object.__new__(type(optimizer))
    one.__dict__.update(optimizer.__dict__ | swapped)
    if settings:
        one.take_settings(settings)
    if variables:
        type(optimizer).apply.__wrapped__(one, list(grads), list(variables))
    else:
        one._backend_apply_gradients([], [])
        one._iterations.assign_add(1)


def keeps_rows(optimizer: keras.optimizers.Optimizer) -> bool:
    """True if rows whose gradient is zero stay as they are, slots included: an update may skip them."""
    plain = optimizer.weight_decay is None and not optimizer.use_ema and not optimizer.gradient_accumulation_steps
    cls = type(optimizer)
    return plain and (cls is keras.optimizers.Adagrad or (cls is keras.optimizers.SGD and optimizer.momentum == 0))


def known_gradients(
    optimizer: keras.optimizers.Optimizer, grads: Sequence[Any], variables: Sequence[keras.Variable]
) -> tuple[list[Any], list[Any]]:
    """Drops the variables that have no gradient, which Keras warns of. Raises ValueError if none has one."""
    return optimizer._filter_empty_gradients(list(grads), list(variables))


def untangled_clip(optimizer: keras.optimizers.Optimizer, grads: list[Any]) -> list[Any]:
    """The gradients after what Keras does with all of them together: `global_clipnorm`.

    Raises UnimplementedError where that has to wait for other gradients (`gradient_accumulation_steps`).
    """
    norm = optimizer.global_clipnorm
    if not norm or norm <= 0:
        return grads
    if optimizer.gradient_accumulation_steps:
        raise UnimplementedError(
            f"{optimizer.name}: global_clipnorm with gradient_accumulation_steps needs the sum of all gradients in one place, "
            "which no server has. Use clipnorm, which is per variable."
        )
    # Keras divides by the loss scale first: the norm grows by the same factor.
    return list(clip_by_global_norm(grads, norm * (optimizer.loss_scale_factor or 1.0)))


def intercept_slots(around: Callable[[keras.Variable], contextlib.AbstractContextManager[keras.Variable]]) -> None:
    """Make every slot of an optimizer within around(its variable); the slot knows that variable as `_slot_of`."""
    add = BaseOptimizer.add_variable_from_reference

    @functools.wraps(add)
    def new_add(self: Any, reference_variable: Any, *args: Any, **kwargs: Any) -> Any:
        with around(reference_variable):
            slot = add(self, reference_variable, *args, **kwargs)
        slot._slot_of = reference_variable
        return slot

    KerasVariable._slot_of = None
    BaseOptimizer.add_variable_from_reference = new_add


def advance_momenta(optimizer: keras.optimizers.Optimizer, stepped: Any) -> None:
    """Multiplies Nadam's product of momenta by the last one, if a step was made: Keras has it beside the variables.

    What an optimizer does in a scope of Keras' own it returns for its variables alone.
    """
    if not isinstance(optimizer, keras.optimizers.Nadam):
        return
    product = optimizer._u_product
    own = getattr(optimizer, "_momentum", None)
    steps = keras.ops.cast(optimizer.iterations, product.dtype)
    last = own(0, product.dtype) if own is not None else optimizer.beta_1 * (1.0 - 0.5 * keras.ops.power(0.96, steps))
    product.assign(keras.ops.where(stepped, product.value * last, product.value))


def is_loss_scaler(optimizer: keras.optimizers.Optimizer) -> bool:
    """True for `LossScaleOptimizer`, which decides on its own whether a step counts."""
    return isinstance(optimizer, LossScaleOptimizer)
