"""tf.data.Options, the sharding policies and the constants of tf.data."""

import copy
import enum
from typing import Any, ClassVar, Final, final

from stratagem._base.exports import exported
from stratagem._data.stages._cardinality import INFINITE, UNKNOWN

AUTOTUNE: Final = exported("data.AUTOTUNE", "data.experimental.AUTOTUNE")(-1)
INFINITE_CARDINALITY: Final = INFINITE
UNKNOWN_CARDINALITY: Final = UNKNOWN
SHARD_HINT: Final = exported("data.experimental.SHARD_HINT")(-1)


@exported("data.experimental.AutoShardPolicy")
class AutoShardPolicy(enum.IntEnum):
    """The ways to divide the input of several workers among them."""

    OFF = -1
    AUTO = 0
    FILE = 1
    DATA = 2
    HINT = 3


@exported("data.experimental.AutotuneAlgorithm")
class AutotuneAlgorithm(enum.Enum):
    """TensorFlow's ways to find numbers of threads and sizes of buffers. They are fixed here, so that all mean the same."""

    DEFAULT = 0
    HILL_CLIMB = 1
    GRADIENT_DESCENT = 2
    MAX_PARALLELISM = 3
    STAGE_BASED = 4


@exported("data.experimental.ExternalStatePolicy")
class ExternalStatePolicy(enum.Enum):
    """The ways to save a pipeline with state outside of it. Random numbers are part of the position here: all mean the same."""

    WARN = 0
    IGNORE = 1
    FAIL = 2


class _NamedSettings:
    """Named settings: an unknown name or a value of the wrong type is an error, as in TensorFlow."""

    _defaults: ClassVar[dict[str, tuple[type, Any]]]
    _renamed: ClassVar[dict[str, str]] = {}  # earlier names, and the present ones
    _fixed = False

    def __init__(self) -> None:
        self.__dict__.update({name: copy.deepcopy(default) for name, (_, default) in self._defaults.items()})

    def __setattr__(self, name: str, value: Any) -> None:
        name = self._renamed.get(name, name)
        if name not in self._defaults:
            raise AttributeError(
                f"Cannot set the property {name} on {type(self).__name__}. It has: {', '.join(self._defaults)}."
            )
        if self._fixed:
            raise ValueError(
                f"Setting `{name}` of what `tf.data.Dataset.options()` returned has no effect. Set it on a new "
                "`tf.data.Options()` and call `dataset.with_options(options)`."
            )
        kind, default = self._defaults[name]
        if value is not default and not isinstance(value, kind):
            raise TypeError(f'Property "{name}" must be of type {kind}, got: {value!r} (type: {type(value)})')
        self.__dict__[name] = value

    def __getattr__(self, name: str) -> Any:
        if name not in self._renamed:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}.")
        return getattr(self, self._renamed[name])

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self._renamed})

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and all(getattr(self, n) == getattr(other, n) for n in self._defaults)

    __hash__ = None  # type: ignore[assignment]  # settings can change

    def _merged_into(self, base: Any) -> Any:
        """A copy of `base`, updated with all settings that were changed here."""
        result = type(self)()
        for name, (_, default) in self._defaults.items():
            mine, theirs = getattr(self, name), getattr(base, name)
            if isinstance(mine, _NamedSettings):
                result.__dict__[name] = mine._merged_into(theirs)
            else:
                result.__dict__[name] = theirs if mine == default else mine
        return result

    def _fix(self) -> None:
        """Makes setting anything here an error."""
        for value in self.__dict__.values():
            if isinstance(value, _NamedSettings):
                value._fix()
        self.__dict__["_fixed"] = True


@exported("data.experimental.DistributeOptions")
@final
class DistributeOptions(_NamedSettings):
    """`Options.experimental_distribute`."""

    auto_shard_policy: AutoShardPolicy
    num_devices: int | None
    _defaults: ClassVar = {"auto_shard_policy": (AutoShardPolicy, AutoShardPolicy.AUTO), "num_devices": (int, None)}


@exported("data.ThreadingOptions", "data.experimental.ThreadingOptions")
@final
class ThreadingOptions(_NamedSettings):
    """`Options.threading`: accepted, but without effect here."""

    max_intra_op_parallelism: int | None
    private_threadpool_size: int | None
    _defaults: ClassVar = {"max_intra_op_parallelism": (int, None), "private_threadpool_size": (int, None)}


@exported("data.experimental.AutotuneOptions")
@final
class AutotuneOptions(_NamedSettings):
    """`Options.autotune`: accepted, but without effect here: AUTOTUNE of `map` measures, others are fixed numbers."""

    autotune_algorithm: AutotuneAlgorithm | None
    cpu_budget: int | None
    enabled: bool | None
    ram_budget: int | None
    _defaults: ClassVar = {
        "autotune_algorithm": (AutotuneAlgorithm, None),
        "cpu_budget": (int, None),
        "enabled": (bool, None),
        "ram_budget": (int, None),
    }


@exported("data.experimental.OptimizationOptions")
@final
class OptimizationOptions(_NamedSettings):
    """`Options.experimental_optimization`: accepted, but without effect here, because a plan is optimised when it is made."""

    apply_default_optimizations: bool | None
    filter_fusion: bool | None
    filter_parallelization: bool | None
    inject_prefetch: bool | None
    map_and_batch_fusion: bool | None
    map_and_filter_fusion: bool | None
    map_fusion: bool | None
    map_parallelization: bool | None
    noop_elimination: bool | None
    parallel_batch: bool | None
    shuffle_and_repeat_fusion: bool | None
    _defaults: ClassVar = {
        "apply_default_optimizations": (bool, None),
        "filter_fusion": (bool, None),
        "filter_parallelization": (bool, None),
        "inject_prefetch": (bool, None),
        "map_and_batch_fusion": (bool, None),
        "map_and_filter_fusion": (bool, None),
        "map_fusion": (bool, None),
        "map_parallelization": (bool, None),
        "noop_elimination": (bool, None),
        "parallel_batch": (bool, None),
        "shuffle_and_repeat_fusion": (bool, None),
    }


@exported("data.Options")
@final
class Options(_NamedSettings):
    """The options of a dataset: `dataset.with_options(options)`.

    Only `experimental_distribute` has an effect: elements come in the same order whatever `deterministic` is, and the
    other options are about speed, which a plan decides itself. `experimental_deterministic` and `experimental_threading` are
    the earlier names of `deterministic` and `threading`.
    """

    autotune: AutotuneOptions
    deterministic: bool | None
    experimental_distribute: DistributeOptions
    experimental_external_state_policy: ExternalStatePolicy | None
    experimental_optimization: OptimizationOptions
    experimental_slack: bool | None
    experimental_symbolic_checkpoint: bool | None
    experimental_warm_start: bool | None
    threading: ThreadingOptions
    _renamed: ClassVar = {"experimental_deterministic": "deterministic", "experimental_threading": "threading"}
    _defaults: ClassVar = {
        "autotune": (AutotuneOptions, AutotuneOptions()),
        "deterministic": (bool, None),
        "experimental_distribute": (DistributeOptions, DistributeOptions()),
        "experimental_external_state_policy": (ExternalStatePolicy, None),
        "experimental_optimization": (OptimizationOptions, OptimizationOptions()),
        "experimental_slack": (bool, None),
        "experimental_symbolic_checkpoint": (bool, None),
        "experimental_warm_start": (bool, None),
        "threading": (ThreadingOptions, ThreadingOptions()),
    }

    def merge(self, options: "Options") -> "Options":
        """These options, overridden by those that were changed in `options`.

        Raises:
            TypeError: `options` are no Options.
        """
        if not isinstance(options, Options):
            raise TypeError(f"Could not merge options of type Options with {type(options).__name__}: {options!r:.100}.")
        merged: Options = options._merged_into(self)
        return merged


def fixed(options: Options) -> Options:
    """A copy of the options in which nothing can be set."""
    copied = Options().merge(options)
    copied._fix()
    return copied
