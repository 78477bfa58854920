"""tf.data.Options, the sharding policies and the constants of tf.data."""

import copy
import enum
from typing import Any, ClassVar, Final, final

from stratagem._data.stages._cardinality import INFINITE, UNKNOWN

AUTOTUNE: Final = -1
INFINITE_CARDINALITY: Final = INFINITE
UNKNOWN_CARDINALITY: Final = UNKNOWN
SHARD_HINT: Final = -1


class AutoShardPolicy(enum.IntEnum):
    """The ways to divide the input of several workers among them."""

    OFF = -1
    AUTO = 0
    FILE = 1
    DATA = 2
    HINT = 3


class _NamedSettings:
    """Named settings: an unknown name or a value of the wrong type is an error, as in TensorFlow."""

    _defaults: ClassVar[dict[str, tuple[type, Any]]]

    def __init__(self) -> None:
        self.__dict__.update({name: copy.deepcopy(default) for name, (_, default) in self._defaults.items()})

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in self._defaults:
            raise AttributeError(
                f"Cannot set the property {name} on {type(self).__name__}. It has: {', '.join(self._defaults)}."
            )
        kind, default = self._defaults[name]
        if value is not default and not isinstance(value, kind):
            raise TypeError(f'Property "{name}" must be of type {kind}, got: {value!r} (type: {type(value)})')
        self.__dict__[name] = value

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.__dict__ == other.__dict__

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


@final
class DistributeOptions(_NamedSettings):
    """`Options.experimental_distribute`."""

    auto_shard_policy: AutoShardPolicy
    num_devices: int | None
    _defaults: ClassVar = {"auto_shard_policy": (AutoShardPolicy, AutoShardPolicy.AUTO), "num_devices": (int, None)}


@final
class ThreadingOptions(_NamedSettings):
    """`Options.threading`: accepted, but without effect here."""

    max_intra_op_parallelism: int | None
    private_threadpool_size: int | None
    _defaults: ClassVar = {"max_intra_op_parallelism": (int, None), "private_threadpool_size": (int, None)}


@final
class Options(_NamedSettings):
    """The options of a dataset: `dataset.with_options(options)`."""

    deterministic: bool | None
    experimental_deterministic: bool | None
    experimental_distribute: DistributeOptions
    threading: ThreadingOptions
    _defaults: ClassVar = {
        "deterministic": (bool, None),
        "experimental_deterministic": (bool, None),
        "experimental_distribute": (DistributeOptions, DistributeOptions()),
        "threading": (ThreadingOptions, ThreadingOptions()),
    }

    def merge(self, options: "Options") -> "Options":
        """These options, overridden by those that were changed in `options`."""
        merged: Options = options._merged_into(self)
        return merged
