"""Every use of private JAX and Keras API, and every hook into their classes; a test fails loudly when an upgrade moves one.

Upper layers say *what* should happen (they pass a function), this file knows only *where* it is attached. A hook acts on
objects that a strategy or a compiled step has claimed and leaves all others as Keras has them.
"""

import contextlib
import contextvars
import functools
import itertools
import os
import random
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, cast

import jax
import jax.numpy as jnp
import keras
import numpy as np
from jax._src import core as jax_core
from jax._src import distributed as jax_distributed
from jax._src import xla_bridge
from jax._src.array import ArrayImpl
from jax._src.lax import lax as jax_lax
from jax._src.literals import TypedNdArray
from keras.src import backend as keras_backend
from keras.src import utils as keras_utils
from keras.src.backend.common import dtypes as promotion
from keras.src.backend.common import global_state
from keras.src.backend.common.name_scope import current_path
from keras.src.backend.jax import numpy as jax_numpy
from keras.src.legacy.saving import legacy_h5_format
from keras.src.losses import loss as loss_module
from keras.src.metrics.metric import Metric
from keras.src.optimizers.base_optimizer import BaseOptimizer, clip_by_global_norm
from keras.src.optimizers.loss_scale_optimizer import LossScaleOptimizer
from keras.src.random import seed_generator
from keras.src.random.seed_generator import GLOBAL_SEED_GENERATOR, SeedGenerator
from keras.src.saving import saving_lib
from keras.src.trainers import data_adapters
from keras.src.trainers import trainer as trainer_module
from keras.src.trainers.data_adapters import array_slicing
from keras.src.trainers.data_adapters import data_adapter as data_adapter_module
from keras.src.utils import rng_utils, tracking

from stratagem._errors import UnimplementedError

# 64-bit types exist where they are asked for; defaults stay 32-bit (design: Dtypes).
jax.config.update("jax_explicit_x64_dtypes", "allow")


def _convert_exactly() -> None:
    """Let a number that is converted to a 64-bit type where that is asked for keep its 64 bits.

    JAX (0.10.2) takes `jnp.asarray(0.1, "float64")` through float32, as its conversion first cuts NumPy's numbers, so every
    Python number in Keras, an optimizer's hyperparameters for example, would be rounded. (A tensor times a NumPy number
    converts implicitly, and JAX still rounds that.)
    """
    convert = jax_lax._convert_element_type

    @functools.wraps(convert)
    def new_convert(operand: Any, new_dtype: Any = None, *args: Any, **kwargs: Any) -> Any:
        if isinstance(operand, np.ndarray | np.generic) and operand.dtype == new_dtype and new_dtype in _WIDE:
            operand = TypedNdArray(np.asarray(operand))
        return convert(operand, new_dtype, *args, **kwargs)

    jax_lax._convert_element_type = new_convert


def _exact_number(value: Any, dtype: Any) -> Any:
    """A NumPy number of this 64-bit type as a tensor; anything else as it is."""
    is_one = isinstance(value, np.ndarray | np.generic) and value.dtype == dtype
    return jnp.asarray(value, dtype=dtype) if is_one else value


def _operate_exactly() -> None:
    """Let operations on 64-bit tensors take NumPy numbers of the same type, as JAX itself does in places.

    It does so in the gradient of a pad, where it draws normal numbers (so in many initializers) and in `argmax`, but cuts the
    numbers to 32 bits, and then refuses the two types. Every operation of `lax` sends its operands through one function, but
    for general reductions.
    """
    reshard: Callable[..., Any] = jax_core.auto_insert_reshard
    reduce: Callable[..., Any] = jax_lax.reduce

    @functools.wraps(reshard)
    def new_reshard(*operands: Any) -> Any:
        wide = next((v.dtype for v in operands if isinstance(v, jax.Array) and v.dtype in _WIDE), None)
        return reshard(*operands) if wide is None else reshard(*(_exact_number(v, wide) for v in operands))

    @functools.wraps(reduce)
    def new_reduce(operands: Any, init_values: Any, *args: Any, **kwargs: Any) -> Any:
        if len(jax.tree.leaves(operands)) > 1:  # sums and the like know their first value by its number
            pairs = functools.partial(jax.tree.map, lambda v, x: _exact_number(v, x.dtype) if x.dtype in _WIDE else v)
            init_values = pairs(init_values, operands)
        return reduce(operands, init_values, *args, **kwargs)

    jax_core.auto_insert_reshard, jax_lax.reduce = new_reshard, new_reduce


def _allow_messages() -> None:
    """Let JAX's errors about decisions on tensors be made of a text alone.

    Keras, to tell what a layer was called with, makes an error anew from its class and a longer text.
    """

    def allow(cls: Any) -> None:
        init = cls.__init__

        @functools.wraps(init)
        def new_init(self: Any, tracer: Any, *args: Any) -> None:
            Exception.__init__(self, tracer) if isinstance(tracer, str) else init(self, tracer, *args)

        cls.__init__ = new_init

    for cls in (
        jax.errors.ConcretizationTypeError,
        jax.errors.TracerArrayConversionError,
        jax.errors.TracerBoolConversionError,
        jax.errors.TracerIntegerConversionError,
    ):
        allow(cls)


_allow_messages()
_WIDE = (np.dtype(np.float64), np.dtype(np.int64), np.dtype(np.uint64))
_convert_exactly()
_operate_exactly()

# Keras promotes float64 to float32 on JAX, as JAX without 64-bit types does: in a float64 model means (so most losses),
# BatchNormalization and more would round to 32 bits. With a float64 argument the result is float64, as in TF.
promotion.BIT64_TO_BIT32_DTYPE["float64"] = "float64"

KerasVariable = keras_backend.Variable
DataAdapter = data_adapter_module.DataAdapter


# --- JAX -------------------------------------------------------------------------------------------------------------


def trace_level() -> object:
    """An object that is equal for two calls made at the same level of tracing (inside the same scan body, say)."""
    return jax_core.trace_ctx.trace


def is_constant(tensor: Any) -> bool:
    """True for a number that a trace will write into its equations: it has no name by which the program could be cut."""
    return not isinstance(tensor, jax_core.Tracer) or isinstance(getattr(tensor, "val", None), jax_core.Literal)


def stand_in(constant: jax.Array, tracer: Any) -> None:
    """From now on, operations of the current trace that read `constant` read `tracer`, as long as both are alive."""
    jax_core.trace_ctx.trace.frame.constid_to_tracer[id(constant)] = tracer


def reserve_threads(replicas: int) -> None:
    """Give XLA's CPU client threads enough for `replicas` virtual devices, before it starts.

    A replica that waits in an all-reduce holds a thread. With as many threads as cores (XLA's default), two replicas on two
    cores leave one, and an operation that waits for its own parts on that one never ends: measured on the tutorial's CNN,
    every run stopped within an epoch. XLA reads the number from the environment, and only there.
    """
    if replicas > 1 and not backends_started():
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        os.environ.setdefault("PJRT_NPROC", str(cores + 2 * replicas))


def configured_cpu_devices() -> int:
    """How many CPU devices JAX will start with, as far as its configuration says."""
    flag = re.search(r"--xla_force_host_platform_device_count=(\d+)", os.environ.get("XLA_FLAGS", ""))
    return max(jax.config.jax_num_cpu_devices, int(flag[1]) if flag else 1)  # type: ignore[attr-defined]


def backends_started() -> bool:
    """True once JAX has started a backend, after which devices can no longer be configured."""
    return bool(xla_bridge.backends_are_initialized())


def sub_jaxprs(params: dict[str, Any]) -> Iterable[Any]:
    """The programs inside an equation's parameters."""
    return jax_core.jaxprs_in_params(params)


@functools.cache
def _empty_jaxpr() -> Any:
    return jax.make_jaxpr(lambda: ())().jaxpr


def new_jaxpr(constvars: Any, invars: Any, outvars: Any, eqns: Any) -> Any:
    """A program of these equations. (Its constructor wants a debug info that only private code can make.)"""
    effects = frozenset().union(*(e.effects for e in eqns))
    return _empty_jaxpr().replace(constvars=constvars, invars=invars, outvars=outvars, eqns=eqns, effects=effects)


def _numpy_of_tensor(tensor: jax.Array) -> np.ndarray:
    """The tensor's value as a NumPy array (waits for it), as `tf.Tensor.numpy()`."""
    return np.asarray(tensor)


def _numpy_of_tracer(tensor: Any) -> np.ndarray:
    """`.numpy()` inside a trace: the same decision as any other that needs a value."""
    return cast(np.ndarray, tensor.__array__())


def _set_shape(tensor: Any, shape: Any) -> None:
    """TF code tells shapes that TF cannot know, behind `py_function`: here they are known, and compared."""
    dims = None if shape is None else list(shape)
    if dims is not None and (
        len(dims) != tensor.ndim or any(d not in (None, s) for d, s in zip(dims, tensor.shape, strict=True))
    ):
        raise ValueError(f"Tensor's shape {tensor.shape} is not compatible with supplied shape {dims}.")


# TF code calls `.numpy()` on tensors, and our tensors are JAX's own arrays: added methods, nothing replaced.

ArrayImpl.numpy = _numpy_of_tensor  # type: ignore[attr-defined]
jax_core.Tracer.numpy = _numpy_of_tracer  # type: ignore[attr-defined]
ArrayImpl.get_shape = jax_core.Tracer.get_shape = lambda tensor: tensor.shape  # type: ignore[attr-defined]
ArrayImpl.set_shape = jax_core.Tracer.set_shape = _set_shape  # type: ignore[attr-defined]


if not xla_bridge.backends_are_initialized():
    reserve_threads(configured_cpu_devices())


# --- Keras variables -------------------------------------------------------------------------------------------------


def intercept_variables(
    *,
    created: Callable[[Any], Any],
    initialize: Callable[[Any, Any], Any],
    read: Callable[[Any], jax.Array],
    place: Callable[[Any, jax.Array], jax.Array],
    add: Callable[[Any, Any, int], bool],
) -> None:
    """Attach placement to every Keras variable.

    created(variable) runs before the variable has a value and returns its placement (None: as Keras has it), kept in
    `variable._placement`. For a placed variable initialize(variable, initializer) returns the initializer of its first
    value, or None where it has seen to that itself; read(variable) gives what user code sees, and
    place(variable, value) what is stored. add(variable, amount, sign) may refuse `assign_add` (sign 1) and
    `assign_sub` (sign -1), or do it itself and return True.
    """
    init, value, with_initializer = (
        KerasVariable.__init__,
        KerasVariable.value,
        KerasVariable._initialize_with_initializer,
    )
    direct_assign, assign = KerasVariable._direct_assign, KerasVariable.assign

    @functools.wraps(init)
    def new_init(self: Any, *args: Any, **kwargs: Any) -> None:
        self._placement, self._born = created(self), next(_births)
        init(self, *args, **kwargs)

    def new_with_initializer(self: Any, initializer: Any) -> None:
        if self._placement is not None:
            initializer = initialize(self, initializer)
        if initializer is not None:
            with_initializer(self, initializer)

    def new_value(self: Any) -> Any:
        if self._placement is None or self._value is None:
            return value.fget(self)
        scope = keras_backend.get_stateless_scope()
        known = None if scope is None else scope.get_current_value(self)
        return self._maybe_autocast(read(self) if known is None else known)

    def new_direct_assign(self: Any, new: Any) -> None:
        if self._placement is None:
            direct_assign(self, new)
        else:
            self._value = place(self, new)

    def exact(self: Any, delta: Any) -> Any:
        """A number that is added to a 64-bit variable, in its type: JAX would cut it to 32 bits."""
        if self._dtype not in ("float64", "int64") or hasattr(delta, "aval") or isinstance(delta, KerasVariable):
            return delta
        return jnp.asarray(delta, dtype=self._dtype)

    def new_assign_add(self: Any, delta: Any) -> Any:
        return self.value if add(self, delta, 1) else assign(self, self + exact(self, delta))

    def new_assign_sub(self: Any, delta: Any) -> Any:
        return self.value if add(self, delta, -1) else assign(self, self - exact(self, delta))

    def new_array(self: Any, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        """The value as a NumPy array. (Keras' own does not know `copy`, which NumPy passes and so deprecates.)"""
        array = np.asarray(new_value(self), dtype)
        return array.copy() if copy else array

    represent = KerasVariable.__repr__

    def new_repr(self: Any) -> str:
        if self._placement is None or self._value is None:
            return str(represent(self))
        value = "" if isinstance(self.value, jax_core.Tracer) else f", value={self.value}"
        return f"<Variable path={self.path}, shape={self.shape}, dtype={self.dtype}{value}>"

    KerasVariable.__repr__ = new_repr
    KerasVariable._placement, KerasVariable._born = None, -1
    KerasVariable.__array__, KerasVariable.numpy = new_array, lambda self: new_array(self)
    KerasVariable.__init__ = new_init
    KerasVariable.value = property(new_value, doc=value.__doc__)
    KerasVariable._direct_assign = new_direct_assign
    KerasVariable._initialize_with_initializer = new_with_initializer
    KerasVariable.assign_add, KerasVariable.assign_sub = new_assign_add, new_assign_sub


_births = itertools.count()


def creation_order(variable: Any) -> int:
    """A number that is larger for variables created later (the same for all that are older than this module)."""
    return int(variable._born)


def in_stateless_scope() -> bool:
    """True inside a Keras stateless scope, a step's capture included: assignments are recorded, not made."""
    return bool(keras_backend.in_stateless_scope())


class _Assignments(keras.StatelessScope):  # type: ignore[misc]
    def __init__(self) -> None:
        super().__init__()
        self.made: dict[int, tuple[Any, Any]] = {}

    def add_update(self, update: tuple[Any, Any]) -> None:
        self.made[id(update[0])] = update
        super().add_update(update)


@contextlib.contextmanager
def recorded() -> Iterator[dict[int, tuple[Any, Any]]]:
    """In the body, assignments are not made: (variable, value) is kept here. Variables created there get values after it.

    Keras' own scope would then give values to all that wait for theirs, also where it is opened while they get them.
    """
    scope, before = _Assignments(), keras_backend.get_stateless_scope()
    waiting = global_state.get_global_attribute("uninitialized_variables")
    global_state.set_global_attribute("uninitialized_variables", [])
    global_state.set_global_attribute("stateless_scope", scope)
    try:
        yield scope.made
    finally:
        global_state.set_global_attribute("stateless_scope", before)
        new = global_state.get_global_attribute("uninitialized_variables")
        global_state.set_global_attribute("uninitialized_variables", waiting)
        for variable in new:
            variable._deferred_initialize()


def scoped_value(variable: Any, outermost: Any) -> Any:
    """The variable's value in the stateless scopes opened inside the scope `outermost` (branches, loop bodies), or None."""
    scope = keras_backend.get_stateless_scope()
    while scope is not None and scope is not outermost:
        if id(variable) in scope.state_mapping:
            return scope.state_mapping[id(variable)]
        scope = scope.original_scope
    return None


def stored(variable: Any) -> jax.Array:
    """What the variable stores: for a placed one the array over its whole mesh. It is donated by the next step."""
    return variable._value


def store(variable: Any, array: jax.Array) -> None:
    """Replace what the variable stores."""
    variable._value = array


def initialized(variable: Any) -> bool:
    """False before a variable has its first value: while it is being made, or was made inside an abstract trace."""
    return getattr(variable, "_value", None) is not None


def set_initial_value(variable: Any, value: np.ndarray) -> None:
    """Give a variable this value: at once, or, while it waits for its first value, instead of its initializer."""
    if initialized(variable):
        variable.assign(value)
        return
    if tuple(value.shape) != tuple(variable.shape):
        raise ValueError(f"{variable.path} has shape {tuple(variable.shape)}, the initial value {tuple(value.shape)}.")
    # Every replica's slot of a summed variable starts from the initializer, so that gives each its part of the whole.
    summed = variable._placement is not None and variable.synchronization == "on_read" and variable.aggregation == "sum"
    part = value / variable._placement.mesh.num_replicas if summed else value
    variable._initializer = lambda shape, dtype=None: keras.ops.convert_to_tensor(part, dtype=dtype)


def intercept_shards(
    *,
    create: Callable[[type, tuple[Any, ...], dict[str, Any]], Any],
    slot: Callable[[Any, Any, str, Any], None],
) -> None:
    """Let a variable be a view on several, its shards: it has them in `variables`, and they have it in `_of`.

    create(class, args, kwargs) runs before the constructor of a variable that is called with these, and returns what
    takes the variable's place, or None. Layers, metrics and optimizers know shards only; files that Keras writes, views.
    slot(optimizer, shard, name, variable) is told what an optimizer keeps for a shard.
    """

    def new(cls: type, *args: Any, **kwargs: Any) -> Any:
        made = create(cls, args, kwargs) if args or kwargs else None  # no arguments: a copy is being made
        return object.__new__(cls) if made is None else made

    from_reference = BaseOptimizer.add_variable_from_reference

    @functools.wraps(from_reference)
    def new_from_reference(self: Any, reference_variable: Any, name: Any = None, initializer: Any = "zeros") -> Any:
        made = from_reference(self, reference_variable, name, initializer)
        if reference_variable._of is not None:
            slot(self, reference_variable, name or "var", made)
        return made

    KerasVariable._of, KerasVariable.__new__ = None, staticmethod(new)
    BaseOptimizer.add_variable_from_reference = new_from_reference
    _track_shards()
    _save_views()


def is_view(value: Any) -> bool:
    """True for a variable that is kept in shards."""
    return getattr(type(value), "is_sharded_variable", False) is True


def joined(values: Iterable[Any]) -> list[Any]:
    """The values with, in place of the first shard of a variable, the view on all, and without the others."""
    found: list[Any] = []
    seen: set[int] = set()
    for value in values:
        whole = value._of if isinstance(value, KerasVariable) else None
        if whole is None:
            found.append(value)
        elif id(whole) not in seen:
            found.append(whole)
            seen.add(id(whole))
    return found


def _track_shards() -> None:
    def each(original: Any, position: int) -> Any:
        @functools.wraps(original)
        def routed(self: Any, *args: Any) -> Any:
            if not is_view(args[position]):
                return original(self, *args)
            for shard in args[position].variables:
                original(self, *args[:position], shard)
            return args[position]

        return routed

    tracker = tracking.Tracker
    tracker.track, tracker.untrack = each(tracker.track, 0), each(tracker.untrack, 0)
    tracker.add_to_store = each(tracker.add_to_store, 1)


_LISTS = ("_trainable_variables", "_non_trainable_variables", "_variables")


def _save_views() -> None:
    def within(original: Any) -> Any:
        @functools.wraps(original)
        def routed(saveable: Any, *args: Any, **kwargs: Any) -> Any:
            lists = [found for name in _LISTS if isinstance(found := getattr(saveable, name, None), list)]
            shards = [(found, list(found)) for found in lists if len(joined(found)) < len(found)]
            for found, _ in shards:
                found[:] = joined(found)
            try:
                return original(saveable, *args, **kwargs)
            finally:
                for found, before in shards:
                    found[:] = before

        return routed

    saving_lib._save_state, saving_lib._load_state = within(saving_lib._save_state), within(saving_lib._load_state)
    legacy_weights = legacy_h5_format._legacy_weights
    legacy_h5_format._legacy_weights = lambda layer: joined(legacy_weights(layer))


def is_making_own_state() -> bool:
    """True while an optimizer or a seed generator makes variables, which are never cut."""
    scopes = global_state.get_global_attribute("name_scope_stack")
    return bool(scopes) and isinstance(scopes[-1].caller, BaseOptimizer | SeedGenerator)


def below_scope(name: str) -> contextlib.AbstractContextManager[Any]:
    """In the body, paths of new variables go on with `name`."""
    return cast(contextlib.AbstractContextManager[Any], keras_backend.name_scope(name))


# --- Keras layers, losses, metrics, optimizers, random seeds -----------------------------------------------------------

_builders: list[Callable[[Any], None]] = []


def after_build(callback: Callable[[Any], None]) -> Callable[[], None]:
    """Call `callback(owner)` after any layer or optimizer has made its variables. Returns a function that ends this."""
    _builders.append(callback)

    def unregister() -> None:
        if callback in _builders:
            _builders.remove(callback)

    return unregister


def announce_build(owner: Any) -> None:
    """Tell those who wait for variables that `owner` may have new ones."""
    for callback in list(_builders):
        callback(owner)


def _average_statistics(layer: Any) -> None:
    """TF averages BatchNormalization's moving statistics over replicas; Keras 3 says 'none'."""
    for variable in layer._non_trainable_variables:
        variable._aggregation = "mean"


def _hook_layers() -> None:
    post_build = keras.layers.Layer._post_build

    def new_post_build(self: Any) -> None:
        post_build(self)
        if isinstance(self, keras.layers.BatchNormalization):
            _average_statistics(self)
        announce_build(self)

    keras.layers.Layer._post_build = new_post_build
    maybe_build = keras.layers.Layer._maybe_build

    @functools.wraps(maybe_build)
    def new_maybe_build(self: Any, call_spec: Any) -> None:
        """As in TF, a layer is built outside of the trace: what it makes of its own numbers outlives that."""
        if self.built:
            return
        with jax.ensure_compile_time_eval():
            maybe_build(self, call_spec)

    keras.layers.Layer._maybe_build = new_maybe_build
    moments = keras.layers.BatchNormalization._moments

    @functools.wraps(moments)
    def new_moments(self: Any, inputs: Any, mask: Any) -> Any:
        """As in TF, a replica without rows uses, and so keeps, the moving statistics (Keras: NaN)."""
        if inputs.shape[0] != 0 or self.moving_mean._placement is None:
            return moments(self, inputs, mask)
        return tuple(keras.ops.cast(v.value, inputs.dtype) for v in (self.moving_mean, self.moving_variance))

    keras.layers.BatchNormalization._moments = new_moments


_hook_layers()


def intercept_apply(around: Callable[[Any, list[Any], Any, Callable[[list[Any]], None]], None]) -> None:
    """Route `optimizer.apply(grads, variables)` through around(optimizer, grads, variables, apply_these)."""
    for cls in (BaseOptimizer, LossScaleOptimizer):
        cls.apply = _routed_apply(cls.apply, around)

    def apply_gradients(
        self: Any,
        grads_and_vars: Iterable[tuple[Any, Any]],
        name: str | None = None,
        skip_gradients_aggregation: bool = False,
        experimental_aggregate_gradients: bool = True,
    ) -> Any:
        """As in TF: sums the gradients over replicas unless told not to, then updates. Returns `iterations`."""
        pairs = list(grads_and_vars)
        grads, variables = [g for g, _ in pairs], [v for _, v in pairs]
        local = skip_gradients_aggregation or not experimental_aggregate_gradients
        _apply_locally(self, grads, variables) if local else self.apply(grads, variables)
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
    announce_build(optimizer)


def _routed_apply(original: Any, around: Any) -> Any:
    @functools.wraps(original)
    def apply(self: Any, grads: Iterable[Any], trainable_variables: Iterable[Any] | None = None) -> None:
        variables = None if trainable_variables is None else list(trainable_variables)
        _build_optimizer(self, variables)
        around(self, list(grads), variables, lambda summed: original(self, summed, variables))

    return apply


def apply_locally(optimizer: Any, grads: Sequence[Any], variables: Sequence[Any]) -> None:
    """Keras' own `apply`, as a server runs it: on these gradients of some variables, as if the optimizer had no others.

    A global norm, which needs all gradients, was applied before (`untangled_clip`).
    """
    mine = {id(v) for v in variables}
    slots = [v for v in optimizer._variables if v._beside is None or id(v._beside) in mine]
    averages = getattr(optimizer, "_model_variables_moving_average", None)
    swapped = {"_trainable_variables": list(variables), "_variables": slots, "global_clipnorm": None}
    if averages is not None:
        indices = [optimizer._get_variable_index(v) for v in variables]
        swapped["_model_variables_moving_average"] = [averages[i] for i in indices]
    before = {name: getattr(optimizer, name) for name in swapped}
    try:
        for name, value in swapped.items():
            object.__setattr__(optimizer, name, value)
        type(optimizer).apply.__wrapped__(optimizer, list(grads), list(variables))
    finally:
        for name, value in before.items():
            object.__setattr__(optimizer, name, value)


def keeps_rows(optimizer: Any) -> bool:
    """True if rows whose gradient is zero stay as they are, slots included: an update may skip them."""
    plain = optimizer.weight_decay is None and not optimizer.use_ema and not optimizer.gradient_accumulation_steps
    cls = type(optimizer)
    return plain and (cls is keras.optimizers.Adagrad or (cls is keras.optimizers.SGD and optimizer.momentum == 0))


@contextlib.contextmanager
def shaped(shapes: Sequence[tuple[Any, tuple[int, ...]]]) -> Iterator[None]:
    """In the body, each of these variables has this shape: to trace an update of some rows as one of a smaller variable."""
    before = [(variable, variable._shape) for variable, _ in shapes]
    try:
        for variable, shape in shapes:
            variable._shape = shape
        yield
    finally:
        for variable, shape in before:
            variable._shape = shape


def known_gradients(optimizer: Any, grads: Sequence[Any], variables: Sequence[Any]) -> tuple[list[Any], list[Any]]:
    """Without the variables that have no gradient, which Keras warns of. Raises ValueError if none has one."""
    return cast(tuple[list[Any], list[Any]], optimizer._filter_empty_gradients(list(grads), list(variables)))


def untangled_clip(optimizer: Any, grads: list[Any]) -> list[Any]:
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


def intercept_slots(beside: Callable[[Any], contextlib.AbstractContextManager[Any]]) -> None:
    """Make every slot of an optimizer within beside(its variable); the slot knows that variable as `_beside`."""
    add = BaseOptimizer.add_variable_from_reference

    @functools.wraps(add)
    def new_add(self: Any, reference_variable: Any, *args: Any, **kwargs: Any) -> Any:
        with beside(reference_variable):
            slot = add(self, reference_variable, *args, **kwargs)
        slot._beside = reference_variable
        return slot

    KerasVariable._beside = None
    BaseOptimizer.add_variable_from_reference = new_add


def intercept_take(rows: Callable[[Any, Any], Any]) -> None:
    """Let rows(x, indices) answer `keras.ops.take` along axis 0, unless it returns None."""
    take = jax_numpy.take

    @functools.wraps(take)
    def new_take(x: Any, indices: Any, axis: int | None = None) -> Any:
        found = rows(x, indices) if axis == 0 and not isinstance(x, jax.Array) else None
        return take(x, indices, axis=axis) if found is None else found

    global _asked
    jax_numpy.take, _asked = new_take, rows


_asked: Callable[[Any, Any], Any] = lambda table, indices: None  # noqa: E731


def looked_up(table: Any, indices: Any) -> Any:
    """The rows of a table that are to be asked for, not read from all of it; None: there is nobody to ask."""
    return _asked(table, indices)


def scoped(variable: Any) -> Any:
    """What the variable is in the stateless scope that is open, without a cast."""
    return keras_backend.get_stateless_scope().get_current_value(variable)


def is_loss_scaler(optimizer: Any) -> bool:
    """True for `LossScaleOptimizer`, which decides on its own whether a step counts."""
    return isinstance(optimizer, LossScaleOptimizer)


Method = Callable[..., Any]
Route = Callable[[Any, Method], Method]


def intercept_trainer(
    *, created: Callable[[Any], Any], methods: dict[str, Callable[[Any, Method], Any]], owner: Callable[[Any], Any]
) -> None:
    """Route methods of every `keras.Model`.

    created(model) is called when a model is made and gives what it remembers; `model.distribute_strategy` is
    owner(what it remembers). A call `model.<name>(*args, **kwargs)` becomes
    methods[name](model, bound original)(*args, **kwargs).
    """
    init = trainer_module.Trainer.__init__

    @functools.wraps(init)
    def new_init(self: Any) -> None:
        init(self)
        object.__setattr__(self, "_born_under", created(self))

    trainer_module.Trainer.__init__ = new_init
    keras.Model._born_under = None
    keras.Model.distribute_strategy = property(lambda self: owner(self._born_under))
    for name, route in methods.items():
        # Where Keras defines it: a class whose `compile` is not that of its base is taken for a user's.
        holder = next(cls for cls in keras.Model.__mro__ if name in vars(cls))
        setattr(holder, name, _routed_method(getattr(holder, name), route))


def _routed_method(original: Method, route: Callable[[Any, Method], Any]) -> Method:
    @functools.wraps(original)
    def routed(self: Any, *args: Any, **kwargs: Any) -> Any:
        return route(self, functools.partial(original, self))(*args, **kwargs)

    return routed


def user_level() -> int:
    """The `stacklevel` with which the caller's warning points to the line of the user's code that everything comes from."""
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] in _LIBRARIES:
        frame, level = frame.f_back, level + 1
    return level


_LIBRARIES = ("stratagem", "keras", "contextlib", "functools")


def is_default(method: Any) -> bool:
    """True for a method of a callback that is Keras' own and does nothing."""
    return bool(keras_utils.is_default(method))


def intercept_callbacks(*, backup: dict[str, Route], save: Callable[[Any, str], None]) -> None:
    """Route hooks of `BackupAndRestore`, and the saving of `ModelCheckpoint` for models that were made under a strategy.

    `BackupAndRestore` gets TensorFlow's argument `save_before_preemption`. save(callback, path) writes the model there.
    """
    cls, checkpoint = keras.callbacks.BackupAndRestore, keras.callbacks.ModelCheckpoint
    init, save_model = cls.__init__, checkpoint._save_model

    @functools.wraps(init)
    def new_init(self: Any, *args: Any, save_before_preemption: bool = False, **kwargs: Any) -> None:
        init(self, *args, **kwargs)
        if not self.save_freq and not save_before_preemption:
            raise ValueError("Either `save_freq` or `save_before_preemption` must be set.")
        self.save_before_preemption = save_before_preemption

    @functools.wraps(save_model)
    def new_save_model(self: Any, epoch: int, batch: int | None, logs: Any) -> None:
        if self.model._born_under is None:
            save_model(self, epoch, batch, logs)
            return
        if self.save_best_only and self.monitor_op is None:
            self._set_monitor_op()  # Keras does so at the end of the first epoch only
        path = self._get_file_path(epoch, batch, logs)
        if self._should_save_model(epoch, batch, logs, path):
            save(self, path)
            if self.verbose > 0:
                keras_utils.io_utils.print_msg(f"\nEpoch {epoch + 1}: finished saving model to {path}")

    cls.__init__, cls.save_before_preemption, checkpoint._save_model = new_init, False, new_save_model
    for name, route in backup.items():
        setattr(cls, name, _routed_method(getattr(cls, name), route))


# What a callback of Keras knows of the epochs so far, by class.
CALLBACK_STATE: dict[type, tuple[str, ...]] = {
    keras.callbacks.EarlyStopping: ("wait", "best", "best_epoch", "stopped_epoch"),
    keras.callbacks.History: ("epoch", "history"),
    keras.callbacks.ModelCheckpoint: ("best", "_batches_seen_since_last_saving", "_last_batch_seen"),
    keras.callbacks.ReduceLROnPlateau: ("wait", "best", "cooldown_counter"),
    keras.callbacks.SwapEMAWeights: ("_ema_weights_in_model",),
}


def data_adapter(x: Any, **options: Any) -> Any:
    """Keras' own reader of a `PyDataset`: its worker threads or processes, and its epochs."""
    return data_adapters.get_data_adapter(x, **options)


def train_validation_split(arrays: Any, validation_split: float) -> tuple[Any, Any]:
    """The arrays as two nests: all but the last part, and that part of the examples."""
    return cast(tuple[Any, Any], array_slicing.train_validation_split(arrays, validation_split=validation_split))


def intercept_loss(check: Callable[[Any], None]) -> None:
    """Call check(loss) before every call of a Keras loss object."""
    call = keras.losses.Loss.__call__

    @functools.wraps(call)
    def new_call(self: Any, y_true: Any, y_pred: Any, sample_weight: Any = None) -> Any:
        check(self)
        return call(self, y_true, y_pred, sample_weight)

    keras.losses.Loss.__call__ = new_call


def intercept_loss_reduction(
    *,
    reduce: Callable[[Any, Any, str | None, Callable[..., Any]], Any],
    weigh: Callable[[Any, Any, Callable[..., Any]], Any],
    added: Callable[[Any], Any],
    regularization: Callable[[Any], Any],
) -> None:
    """Attach to every place where Keras makes one number of the losses of many examples.

    reduce(values, sample_weight, reduction, original) for every loss object; weigh(sample_weight, mask, original) for
    the weights that a mask gives under a mean; added(loss) for every `layer.add_loss`; regularization(loss) for every
    weight regularizer.
    """
    reduce_values, apply_mask = loss_module.reduce_values, loss_module.apply_mask
    layer_class = keras.layers.Layer
    add_loss, regularizers = layer_class.add_loss, layer_class._get_regularization_losses

    @functools.wraps(reduce_values)
    def new_reduce_values(values: Any, sample_weight: Any = None, reduction: str | None = "sum_over_batch_size") -> Any:
        return reduce(values, sample_weight, reduction, reduce_values)

    @functools.wraps(apply_mask)
    def new_apply_mask(sample_weight: Any, mask: Any, dtype: Any, reduction: str | None) -> Any:
        original = functools.partial(apply_mask, dtype=dtype)
        if mask is None or reduction not in ("mean", "sum_over_batch_size"):
            return original(sample_weight, mask, reduction=reduction)
        return weigh(sample_weight, mask, original)

    @functools.wraps(add_loss)
    def new_add_loss(self: Any, loss: Any) -> None:
        add_loss(self, keras.tree.map_structure(added, loss))

    @functools.wraps(regularizers)
    def new_regularizers(self: Any) -> list[Any]:
        return [regularization(loss) for loss in regularizers(self)]

    loss_module.reduce_values, loss_module.apply_mask = new_reduce_values, new_apply_mask
    layer_class.add_loss, layer_class._get_regularization_losses = new_add_loss, new_regularizers


def intercept_metric_results(around: Callable[[Callable[[], Any]], Any]) -> None:
    """Run every metric's `result()` as around(compute). Adds TF's old name `reset_states`."""

    def wrap(cls: type) -> None:
        if "result" in vars(cls):
            result = cls.result  # type: ignore[attr-defined]

            @functools.wraps(result)
            def new_result(self: Any, *args: Any, **kwargs: Any) -> Any:
                return around(lambda: result(self, *args, **kwargs))

            cls.result = new_result  # type: ignore[attr-defined]
        subclasses: list[type] = cls.__subclasses__()
        for derived in subclasses:
            wrap(derived)

    wrap(Metric)
    init_subclass = Metric.__init_subclass__

    def new_init_subclass(cls: type, /, **kwargs: Any) -> None:
        init_subclass(**kwargs)
        if "result" in vars(cls):
            wrap(cls)

    Metric.__init_subclass__ = classmethod(new_init_subclass)
    Metric.reset_states = lambda self: self.reset_state()


def intercept_seeds(per_replica: Callable[[Any, jax.Array], jax.Array]) -> None:
    """Pass every seed that a SeedGenerator hands out through per_replica(state variable, seed)."""
    draw = SeedGenerator.next

    @functools.wraps(draw)
    def new_next(self: Any, ordered: bool = True) -> Any:
        self.state._same_on_replicas = True
        return per_replica(self.state, draw(self, ordered))

    SeedGenerator.next = new_next


SeedSource = Callable[[Any], Any]
_seed_source: contextvars.ContextVar[SeedSource | None] = contextvars.ContextVar("stratagem seeds", default=None)


def _hook_seed_source() -> None:
    draw, shared = SeedGenerator.next, seed_generator.global_seed_generator

    @functools.wraps(draw)
    def new_next(self: Any, ordered: bool = True) -> Any:
        source = _seed_source.get()
        return draw(self, ordered) if source is None else source(self)

    @functools.wraps(shared)
    def new_shared() -> Any:
        # Keras refuses its global generator in a trace, where it would freeze; a source gives the trace seeds of its own.
        return shared() if _seed_source.get() is None else global_seed_generator()

    SeedGenerator.next = new_next
    seed_generator.global_seed_generator = new_shared


_hook_seed_source()


@contextlib.contextmanager
def seeds_from(source: SeedSource) -> Iterator[None]:
    """In the body, every SeedGenerator's next seed (uint32, (2,)) is source(generator), and its state stays as it is."""
    token = _seed_source.set(source)
    try:
        yield
    finally:
        _seed_source.reset(token)


def seed_of(generator: Any) -> int | None:
    """The number that a user gave this SeedGenerator; None for one without, and for the global one."""
    shared = global_state.get_global_attribute(GLOBAL_SEED_GENERATOR)
    return None if generator is shared else cast(int | None, generator._initial_seed)


def is_seed_state(variable: Any) -> bool:
    """True for the state of a random seed generator, which advances alike on all replicas."""
    return getattr(variable, "_same_on_replicas", False)


def global_seed_generator() -> Any:
    """Keras' global seed generator; unlike Keras' own accessor it works inside our traces, which capture its state."""
    generator = global_state.get_global_attribute(GLOBAL_SEED_GENERATOR)
    if generator is None:
        generator = SeedGenerator(random.randint(1, 10**9))
        global_state.set_global_attribute(GLOBAL_SEED_GENERATOR, generator)
    return generator


_seeding: tuple[int, int | None] = (0, None)


def latest_seeding() -> tuple[int, int | None]:
    """How often a random seed was set, and the last one: for generators of other layers, which start anew then."""
    return _seeding


def set_random_seed(seed: int) -> None:
    """Seed Python's, NumPy's and Keras' generators, start the global seed generator anew, and tell other layers."""
    _seed_keras(seed)
    global_state.set_global_attribute(GLOBAL_SEED_GENERATOR, SeedGenerator(seed))


def _hook_random_seed() -> Callable[[int], None]:
    """`keras.utils.set_random_seed` seeds shuffles, too, as in TF. Returns that function."""
    set_seed: Callable[[int], None] = rng_utils.set_random_seed

    @functools.wraps(set_seed)
    def new_set_seed(seed: int) -> None:
        global _seeding
        set_seed(seed)
        _seeding = (_seeding[0] + 1, seed)

    rng_utils.set_random_seed = keras.utils.set_random_seed = new_set_seed
    return new_set_seed


_seed_keras = _hook_random_seed()


def connect_backend(client: Any, rank: int, processes: int) -> None:
    """Make JAX's backend, which must not have started, one of a job's. `client` is connected to the coordination service.

    JAX's own `initialize` cannot be used: its client aborts the process when the service or a peer is gone.
    """
    state = jax_distributed.global_state
    state.client, state.process_id, state.num_processes = client, rank, processes
    jax.config.update("jax_cpu_collectives_implementation", "gloo")


def scope_path() -> str:
    """The names of Keras' scopes around the present code, with slashes between: the layers that are being called."""
    return str(current_path())


def intercept_waits(around: Callable[[], contextlib.AbstractContextManager[None]]) -> None:
    """Enter `around()` wherever Python waits for an array: reading its value, or waiting until it is ready."""
    array: Any = ArrayImpl
    value, ready = array._value.fget, array.block_until_ready

    def new_value(self: Any) -> Any:
        if self._npy_value is not None:
            return value(self)
        with around():  # also where it is ready: what broke is raised here
            return value(self)

    def new_ready(self: Any) -> Any:
        with around():
            return ready(self)

    array._value, array.block_until_ready = property(new_value), new_ready
