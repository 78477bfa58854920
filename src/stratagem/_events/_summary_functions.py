"""`tf.summary.scalar` and its siblings: the contents of each kind of summary, and the TensorBoard plugin that shows it."""

import contextlib
import re
from collections.abc import Callable, Iterator
from typing import Any

import keras
import numpy as np

from stratagem._base.errors import InvalidArgumentError, UnimplementedError
from stratagem._base.exports import exported
from stratagem._base.tensor_proto import serialized_tensor
from stratagem._events._array_encoders import buckets as buckets_of
from stratagem._events._array_encoders import pictures, sounds
from stratagem._events._messages import SummaryMessage, SummaryMetadata
from stratagem._events._summary_recording import Prepare, is_traced, record
from stratagem._ops import cast, convert_image_dtype, tensor
from stratagem._private import scope_path

Values = Callable[[np.ndarray], np.ndarray]  # encodes a tensor's value for writing

_BUCKETS = 30
_WAV_ENCODING = b"\x10\x0b"  # AudioPluginData(encoding=WAV)
_NOT_ALLOWED_IN_SCOPES = re.compile(r"[^-_.A-Za-z0-9]")


@exported("summary.scalar", v1=())
def scalar(name: str, data: Any, step: Any = None, description: str | None = None) -> Any:
    """Writes one number (as float32) under `name` within Keras' name scopes. Returns whether it was written, a bool tensor.

    step: an integer, a tensor or a variable; by default the default step. description: Markdown.

    Raises:
        ValueError: `data` is not a scalar, or there is a writer and no step.
    """
    value = _numbers("scalar", data)
    if value.ndim:
        raise ValueError(f"Expected scalar shape, saw shape: {value.shape}.")
    return _summary(
        name, "scalar_summary", "scalars", value, lambda: cast(value, "float32"), _unchanged, step, description
    )


@exported("summary.histogram", v1=())
def histogram(
    name: str, data: Any, step: Any = None, buckets: int | None = None, description: str | None = None
) -> Any:
    """Writes the distribution of the numbers in a tensor of any shape, in 30 buckets or as many as asked for.

    The written tensor is float64 (buckets, 3): left edge, right edge, count. Otherwise the same as `scalar`.
    """
    value, count = _numbers("histogram", data), _BUCKETS if buckets is None else int(buckets)
    return _summary(
        name,
        "histogram_summary",
        "histograms",
        value,
        lambda: value,
        lambda v: buckets_of(v, count),
        step,
        description,
    )


@exported("summary.image", v1=())
def image(name: str, data: Any, step: Any = None, max_outputs: int = 3, description: str | None = None) -> Any:
    """Writes the first `max_outputs` pictures of a batch, (number, height, width, channels), as PNG files.

    channels: 1 (gray), 2 (with alpha), 3 (RGB) or 4. Floating-point numbers range from 0 to 1, integers up to the largest value
    of their dtype. Otherwise the same as `scalar`.

    Raises:
        ValueError: `data` has another rank.
        InvalidArgumentError: another number of channels, or a negative `max_outputs`.
    """
    value = _numbers("image", data)
    _check(value, 4, max_outputs)
    if value.shape[3] not in (1, 2, 3, 4):
        raise InvalidArgumentError(f"image must have 1, 2, 3, or 4 channels, got {value.shape[3]}")
    height, width = value.shape[1:3]
    return _summary(
        name,
        "image_summary",
        "images",
        value,
        lambda: convert_image_dtype(value[:max_outputs], "uint8", saturate=True),
        lambda pixels: pictures(pixels, width, height),
        step,
        description,
    )


@exported("summary.text", v1=())
def text(name: str, data: Any, step: Any = None, description: str | None = None) -> Any:
    """Writes a tensor of strings (Markdown), which must be known when a program is traced. Otherwise the same as `scalar`.

    Raises:
        TypeError: `data` does not hold strings.
    """
    value = tensor(data)
    if value.dtype != object:
        raise TypeError(f"tensor must be of type tf.string; got tf.{value.dtype.name}")
    return _summary(name, "text_summary", "text", value, lambda: value, _unchanged, step, description)


@exported("summary.audio", v1=())
def audio(
    name: str,
    data: Any,
    sample_rate: Any,
    step: Any = None,
    max_outputs: int = 3,
    encoding: str | None = None,
    description: str | None = None,
) -> Any:
    """Writes the first `max_outputs` clips of a batch, (number, frames, channels) from -1 to 1, as 16-bit WAV files.

    sample_rate: in Hz. Otherwise the same as `scalar`.

    Raises:
        ValueError: `data` has another rank, or the encoding is not "wav".
        InvalidArgumentError: `max_outputs` is negative.
    """
    if encoding not in (None, "wav"):
        raise ValueError(f"Unknown encoding: {encoding!r}")
    value, rate = _numbers("audio", data), int(sample_rate)
    _check(value, 3, max_outputs)
    return _summary(
        name,
        "audio_summary",
        "audio",
        value,
        lambda: value[:max_outputs],
        lambda clips: sounds(clips, rate),
        step,
        description,
        content=_WAV_ENCODING,
    )


@exported("summary.write", v1=())
def write(tag: str, tensor: Any, step: Any = None, metadata: Any = None, name: str | None = None) -> Any:
    """Writes any tensor with a custom SummaryMetadata. `tensor` may be a function, called only if the summary is written.

    metadata: a message with `SerializeToString`, or its bytes; it tells TensorBoard which plugin shows the summary.

    Raises:
        ValueError: there is a writer and no step.
    """
    prepare: Prepare = tensor if callable(tensor) else lambda: tensor
    message = metadata.SerializeToString() if hasattr(metadata, "SerializeToString") else metadata or b""
    return _write(tag, prepare, _unchanged, step, message, traced=not callable(tensor) and is_traced(tensor))


@exported("summary.experimental.write_raw_pb")
def write_raw_pb(tensor: Any, step: Any = None, name: str | None = None) -> Any:
    """Writes a serialized Summary message, a string.

    Raises:
        ValueError: there is a writer and no step.
    """
    return record(lambda: tensor, lambda value: bytes(value.item()), step, traced=False)


def keras_model(name: str, model: Any, step: Any = None) -> Any:
    """Writes the layers of a Keras model and their connections, for TensorBoard's dashboard "Graphs"."""
    metadata = SummaryMetadata(plugin_data={"plugin_name": "graph_keras_model", "content": b"1"})
    return _write(tag_of(name), model.to_json, _unchanged, step, metadata.SerializeToString(), traced=False)


@exported("summary.experimental.summary_scope")
@contextlib.contextmanager
def summary_scope(name: str, default_name: str = "summary", values: object = None) -> Iterator[tuple[str, str]]:
    """A scope for custom summaries: yields the tag for `name`, including the enclosing name scopes, and the scope's name."""
    chosen = name or default_name
    tag = tag_of(chosen)
    with keras.name_scope(_NOT_ALLOWED_IN_SCOPES.sub("", chosen) or default_name):
        yield tag, f"{scope_path()}/"


def tag_of(name: str) -> str:
    """The tag of a summary: its name after the enclosing name scopes of Keras, such as the layer that is being called."""
    scopes = scope_path()
    return f"{scopes}/{name}" if scopes else name


def refuse(what: str, instead: str) -> Any:
    """Makes a function that raises, for a name of TensorFlow that has no meaning without its graphs."""

    def refused(*args: Any, **kwargs: Any) -> None:
        raise UnimplementedError(f"tf.summary.{what}: there are no TensorFlow graphs here. {instead}")

    refused.__name__ = refused.__qualname__ = what
    refused.__doc__ = f"Raises UnimplementedError. {instead}"
    return refused


_PROFILE = "To see where the time goes, use jax.profiler.trace(logdir), or the TensorBoard callback's profile_batch."
graph = exported("summary.graph", v1=())(
    refuse("graph", "The TensorBoard callback writes the layers of a Keras model (write_graph=True).")
)
trace_on = exported("summary.trace_on", v1=())(refuse("trace_on", _PROFILE))
trace_export = exported("summary.trace_export", v1=())(refuse("trace_export", _PROFILE))
trace_off = exported("summary.trace_off", v1=())(refuse("trace_off", _PROFILE))


def _summary(
    name: str,
    default_name: str,
    plugin: str,
    value: Any,
    prepare: Prepare,
    encode: Values,
    step: Any,
    description: str | None,
    content: bytes = b"",
) -> Any:
    metadata = SummaryMetadata(
        plugin_data={"plugin_name": plugin, "content": content}, summary_description=description or ""
    )
    tag = tag_of(name or default_name)
    return _write(tag, prepare, encode, step, metadata.SerializeToString(), traced=is_traced(value))


def _write(tag: str, prepare: Prepare, encode: Values, step: Any, metadata: bytes, *, traced: bool) -> Any:
    def summary(value: np.ndarray) -> bytes:
        content = serialized_tensor(encode(value))
        return bytes(SummaryMessage(value=[{"tag": tag, "tensor": content, "metadata": metadata}]).SerializeToString())

    return record(lambda: tensor(prepare()), summary, step, traced=traced)


def _unchanged(value: np.ndarray) -> np.ndarray:
    return value


def _numbers(kind: str, data: Any) -> Any:
    value = tensor(data)
    if value.dtype == object:
        raise UnimplementedError(f"tf.summary.{kind} takes numbers, got strings.")
    return value


def _check(value: Any, rank: int, max_outputs: int) -> None:
    if value.ndim != rank:
        raise ValueError(f"Tensor must have rank {rank}. Received rank {value.ndim}, shape {value.shape}")
    if max_outputs < 0:
        raise InvalidArgumentError(f"max_outputs must not be negative, got {max_outputs}.")
