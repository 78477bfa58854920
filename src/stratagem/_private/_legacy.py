"""Legacy names: every place where Keras gets a method, a property or a form of call back that its third version dropped."""

import functools
from collections.abc import Callable, Iterable
from typing import Any, ClassVar, final

import keras
from keras.src.metrics.metric import Metric
from keras.src.optimizers.base_optimizer import BaseOptimizer
from keras.src.optimizers.loss_scale_optimizer import LossScaleOptimizer
from keras.src.optimizers.multi_optimizer import MultiOptimizer
from keras.src.utils import summary_utils

from stratagem._private._scopes import unscoped
from stratagem._private._traces import OutsideOfTraces

Method = Callable[..., Any]
# The positional and the keyword arguments of a call.
Arguments = tuple[tuple[Any, ...], dict[str, Any]]
Conversion = Callable[[tuple[Any, ...], dict[str, Any]], Arguments]


class SlotNames:
    """The base of optimizers that have TensorFlow 1's names for their slots and settings.

    slots: the slots of a variable by these names, with the attributes in which Keras has them; in the order of the weights.
    settings: the settings in `get_config`, in TensorFlow's order.
    """

    slots: ClassVar[dict[str, str]] = {}
    settings: ClassVar[tuple[str, ...]] = ()


@final
class CallableList(list[keras.Variable]):
    """The variables of an optimizer, for Keras 3's property; called, as the method was, those that TensorFlow counts."""

    def __init__(self, variables: Iterable[keras.Variable], counted: Callable[[], list[keras.Variable]]) -> None:
        super().__init__(variables)
        self._counted = counted

    def __call__(self) -> list[keras.Variable]:
        """Returns the variables of TensorFlow's `optimizer.variables()`."""
        return self._counted()


def add_optimizer_methods(
    *,
    methods: dict[str, Method],
    accept: Callable[[keras.optimizers.Optimizer, dict[str, Any]], dict[str, Any]],
    counted: Callable[[keras.optimizers.Optimizer], list[keras.Variable]],
) -> None:
    """Give every optimizer these methods, and let its `variables` be called.

    accept(optimizer, arguments): the arguments, of those that no optimizer's signature has, that Keras gets.
    counted(optimizer): what `optimizer.variables()` returns.
    """
    init = BaseOptimizer.__init__

    @functools.wraps(init)
    def new_init(self: Any, *args: Any, **kwargs: Any) -> None:
        init(self, *args, **accept(self, kwargs))

    BaseOptimizer.__init__ = new_init
    for name, method in methods.items():
        setattr(BaseOptimizer, name, method)
    for cls in (BaseOptimizer, LossScaleOptimizer, MultiOptimizer):
        cls.variables = _called_too(cls.variables, counted)


def _called_too(variables: Any, counted: Callable[[Any], list[Any]]) -> property:
    return property(lambda self: CallableList(variables.fget(self), functools.partial(counted, self)))


def add_loss_scaling(
    members: dict[str, Method | property],
    before: Callable[[keras.optimizers.Optimizer, list[Any]], list[Any]],
) -> None:
    """Give `LossScaleOptimizer` these methods and properties.

    Its `apply_gradients` begins with before(optimizer, gradients); `_scaled_by_keras` tells whether `scale_loss` was called.
    """
    for name, added in members.items():
        setattr(LossScaleOptimizer, name, added)
    apply_gradients, scale_loss = BaseOptimizer.apply_gradients, LossScaleOptimizer.scale_loss

    @functools.wraps(apply_gradients)
    def new_apply_gradients(self: Any, grads_and_vars: Any, *args: Any, **kwargs: Any) -> Any:
        pairs = list(grads_and_vars)
        grads = before(self, [g for g, _ in pairs])
        return apply_gradients(self, zip(grads, (v for _, v in pairs), strict=True), *args, **kwargs)

    @functools.wraps(scale_loss)
    def new_scale_loss(self: Any, loss: Any) -> Any:
        object.__setattr__(self, "_scaled_by_keras", True)
        return scale_loss(self, loss)

    LossScaleOptimizer._scaled_by_keras = False
    LossScaleOptimizer.apply_gradients = new_apply_gradients
    LossScaleOptimizer.scale_loss = new_scale_loss


def add_model_properties(properties: dict[str, Callable[[keras.Model], Any]]) -> None:
    """Give every model these properties, which a model's own attributes of these names hide."""
    for name, read in properties.items():
        setattr(keras.Model, name, _OverridableProperty(read))


def add_model_methods(methods: dict[str, Method]) -> None:
    """Give every model these methods."""
    for name, method in methods.items():
        setattr(keras.Model, name, method)


@final
class _OverridableProperty:
    """A property that an attribute of the object hides."""

    def __init__(self, read: Callable[[Any], Any]) -> None:
        self._read = read

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        return self if instance is None else self._read(instance)


def add_layer_methods(
    add_metric: Method,
    of_layer: Conversion,
    of_metric: Conversion,
) -> None:
    """Give layers `add_metric`, and let `add_weight` take the arguments that `of_layer` and `of_metric` convert.

    `compute_mask` has the arguments of Keras 2: the mask may be left out.
    """
    keras.layers.Layer.add_metric = add_metric
    compute_mask = keras.layers.Layer.compute_mask

    @functools.wraps(compute_mask)  # with the mark by which Keras knows a layer that has none of its own
    def new_compute_mask(self: Any, inputs: Any, mask: Any = None, previous_mask: Any = None) -> Any:
        return compute_mask(self, inputs, mask if previous_mask is None else previous_mask)

    del new_compute_mask.__wrapped__  # it has its own parameters
    keras.layers.Layer.compute_mask = new_compute_mask
    for cls, converted in ((keras.layers.Layer, of_layer), (Metric, of_metric)):
        cls.add_weight = _converting(cls.add_weight, converted)
    keras.layers.Layer.add_variable = _converting(keras.layers.Layer.add_variable, of_layer)


def weigh_layers(set_weights: Method, counts: Callable[[Any], bool]) -> None:
    """Give layers this `set_weights`; summaries and `count_params` count the weights of which `counts` is true."""
    keras.layers.Layer.set_weights = set_weights
    for name in ("count_params", "weight_memory_size"):
        setattr(summary_utils, name, _of_those(getattr(summary_utils, name), counts))


def _of_those(function: Callable[[list[Any]], Any], counts: Callable[[Any], bool]) -> Callable[[Iterable[Any]], Any]:
    @functools.wraps(function)
    def measured(weights: Iterable[Any]) -> Any:
        return function([weight for weight in weights if counts(weight)])

    return measured


def _converting(method: Method, converted: Callable[..., Any]) -> Method:
    @functools.wraps(method)
    def add_weight(self: Any, *args: Any, **kwargs: Any) -> Any:
        args, kwargs = converted(args, kwargs)
        return method(self, *args, **kwargs)

    return add_weight


def add_mean(layer: keras.layers.Layer, name: str) -> keras.metrics.Mean:
    """Return a new metric of the layer, also during a trace and after the layer was built."""
    with OutsideOfTraces(), unscoped():
        metric = keras.metrics.Mean(name=name)
    locked = layer._tracker.locked
    layer._tracker.unlock()
    layer._tracker.add_to_store("metrics", metric)
    if locked:
        layer._tracker.lock()
    return metric


def own_metrics(layer: keras.layers.Layer) -> list[keras.metrics.Metric]:
    """The metrics that a layer itself has, without those of its sublayers."""
    return list(layer._metrics)


def sublayers(layer: keras.layers.Layer) -> list[keras.layers.Layer]:
    """The layer and all layers in it."""
    return list(layer._flatten_layers())


def compiled_parts(model: keras.Model) -> tuple[Any, Any, Any]:
    """A model's compiled loss, its compiled metrics and the metric of its loss; each None if it has none."""
    return (
        getattr(model, "_compile_loss", None),
        getattr(model, "_compile_metrics", None),
        getattr(model, "_loss_tracker", None),
    )


def let_symbols_answer_operators() -> None:
    """Let `array + symbol` be decided by the symbol: JAX refuses an operand that says it can become an array, and cannot."""

    def jax_array(self: Any) -> Any:
        raise AttributeError(
            "A KerasTensor has no value: it can be used in layers, in keras.ops and in tensor functions."
        )

    keras.KerasTensor.__jax_array__ = property(jax_array)
