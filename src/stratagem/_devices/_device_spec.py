"""`tf.DeviceSpec`: the name of a device in its parts, and the one parser of such names."""

from typing import Any, Self

from stratagem._base.exports import exported

_SHORT_KINDS = {"CPU", "GPU", "TPU", "EPU", "CUSTOM"}  # those that need no `device:` before them
_FIELDS = ("job", "replica", "task", "device_type", "device_index")


@exported("DeviceSpec", v1=())
class DeviceSpec:
    """A device, or some parts of its name, as `tf.DeviceSpec`. It cannot be changed: `replace` makes another one.

    job, device_type: texts. replica, task, device_index: integers. None: not said, which fits all.
    Raises ValueError for a number that is none.
    """

    __slots__ = ("_device_index", "_device_type", "_job", "_replica", "_task")

    def __init__(
        self,
        job: str | None = None,
        replica: int | None = None,
        task: int | None = None,
        device_type: str | None = None,
        device_index: int | None = None,
    ) -> None:
        self._job = None if job is None else str(job)
        self._replica = None if replica is None else int(replica)
        self._task = None if task is None else int(task)
        self._device_type = _kind(device_type)
        self._device_index = None if device_index is None else int(device_index)

    @property
    def job(self) -> str | None:
        """The name of the job."""
        return self._job

    @property
    def replica(self) -> int | None:
        """The number of the replica."""
        return self._replica

    @property
    def task(self) -> int | None:
        """The number of the task."""
        return self._task

    @property
    def device_type(self) -> str | None:
        """The kind of device, such as "CPU" or "GPU"."""
        return self._device_type

    @property
    def device_index(self) -> int | None:
        """The number of the device among those of its kind."""
        return self._device_index

    @classmethod
    def from_string(cls, spec: str) -> Self:
        """Returns the parts of a name such as "/job:worker/task:1/device:GPU:0" or "/cpu:0".

        Raises ValueError for a part that is unknown, for two kinds of devices, and for a number that is none.
        """
        return cls(**parse_device_name(spec))

    def parse_from_string(self, spec: str) -> "DeviceSpec":
        """Returns the parts of a name, as `from_string`."""
        return self.from_string(spec)

    def to_string(self) -> str:
        """Returns the name, such as "/job:worker/task:1/device:GPU:0"; a kind without a number is "/device:GPU:*"."""
        parts = [(name, value) for name in ("job", "replica", "task") if (value := getattr(self, name)) is not None]
        text = "".join(f"/{name}:{value}" for name, value in parts)
        if self.device_type is None:
            return text
        return f"{text}/device:{self.device_type}:{'*' if self.device_index is None else self.device_index}"

    def make_merged_spec(self, dev: "DeviceSpec") -> Self:
        """Returns a spec with the parts of `dev`, and where it says nothing, those of this one."""
        return type(self)(**_fields(self) | {name: value for name, value in _fields(dev).items() if value is not None})

    def replace(self, **kwargs: Any) -> Self:
        """Returns a spec with some parts exchanged. Raises TypeError for a part that does not exist."""
        return type(self)(**_fields(self) | kwargs)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self)) and self.to_string() == other.to_string()

    def __hash__(self) -> int:
        return hash(self.to_string())

    def __repr__(self) -> str:
        return f"<DeviceSpec({', '.join(f'{name}={value}' for name, value in _fields(self).items())})>"


def _changeable(name: str) -> Any:
    """A property for a part that can be changed."""
    read: property = getattr(DeviceSpec, name)
    return read.setter(lambda spec, value: spec._change(name, value))


@exported(v1=["DeviceSpec"])
class MutableDeviceSpec(DeviceSpec):
    """The spec of TensorFlow 1, `tf.compat.v1.DeviceSpec`, whose parts can be changed."""

    __slots__ = ()
    job, replica, task, device_type, device_index = map(_changeable, _FIELDS)

    def _change(self, name: str, value: Any) -> None:
        changed = type(self)(**_fields(self) | {name: value})
        setattr(self, f"_{name}", getattr(changed, name))

    def parse_from_string(self, spec: str) -> "MutableDeviceSpec":
        """Changes all parts to those of a name, and returns this spec."""
        for name, value in _fields(self.from_string(spec)).items():
            self._change(name, value)
        return self

    def merge_from(self, dev: DeviceSpec) -> None:
        """Changes the parts that `dev` says."""
        for name, value in _fields(dev).items():
            if value is not None:
                self._change(name, value)


def parse_device_name(name: str, *, any_kind: bool = False) -> dict[str, Any]:
    """Returns the parts that a device's name says, by the names of DeviceSpec's arguments.

    any_kind: whether kinds that TensorFlow does not have, such as "METAL:0", may stand without `device:`.
    Raises ValueError as `DeviceSpec.from_string`.
    """
    found: dict[str, Any] = {}
    for part in name.split("/") if name else ():
        key, *rest = part.split(":")
        if key == "job" and len(rest) == 1:
            found[key] = rest[0]
        elif key in ("replica", "task") and len(rest) == 1:
            found[key] = int(rest[0])
        elif len(rest) <= 1 and (key.upper() in _SHORT_KINDS or (any_kind and key.isidentifier() and rest)):
            _add_device(found, name, key.upper(), *rest)
        elif key == "device" and len(rest) == 2:
            _add_device(found, name, *rest)
        elif part:
            raise ValueError(f"Unknown attribute {key!r} is encountered while parsing the device spec: {name!r}.")
    return found


def _add_device(found: dict[str, Any], name: str, kind: str, index: str = "*") -> None:
    if "device_type" in found:
        raise ValueError(f"Multiple device types are not allowed while parsing the device spec: {name}.")
    found["device_type"] = kind
    found["device_index"] = None if index == "*" else int(index)


def _kind(device_type: Any) -> str | None:
    """Returns a kind as TensorFlow writes it: the two that programs write small are written large."""
    if device_type is None:
        return None
    return str(device_type).upper() if device_type in ("cpu", "gpu") else str(device_type)


def _fields(spec: DeviceSpec) -> dict[str, Any]:
    return {name: getattr(spec, name) for name in _FIELDS}
