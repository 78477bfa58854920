"""Summaries as serialized messages, for programs that write them to event files themselves."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from stratagem._base.tensor_proto import serialized_tensor
from stratagem._events._array_encoders import buckets, pictures
from stratagem._events._messages import SummaryMessage, SummaryMetadata
from stratagem._ops import convert_image_dtype

_BUCKETS = 30


def serialized_summaries(found: Sequence[tuple[str, str, Any]]) -> bytes:
    """Returns a serialized message of the type Summary.

    found: (kind, tag, value), where a kind is a function of `tf.compat.v1.summary` and a value is as that takes it.
    """
    return bytes(
        SummaryMessage(value=[_KINDS[kind](tag, np.asarray(value)) for kind, tag, value in found]).SerializeToString()
    )


def _scalar(tag: str, value: np.ndarray) -> dict[str, Any]:
    return {"tag": tag, "simple_value": float(value)}


def _histogram(tag: str, value: np.ndarray) -> dict[str, Any]:
    return _shown(tag, buckets(value, _BUCKETS), "histograms")


def _image(tag: str, value: np.ndarray) -> dict[str, Any]:
    pixels = np.asarray(convert_image_dtype(value, "uint8", saturate=True))
    return _shown(tag, pictures(pixels, *value.shape[1:3]), "images")


def _text(tag: str, value: np.ndarray) -> dict[str, Any]:
    return _shown(tag, value if value.dtype == object else np.vectorize(_encoded, otypes=[object])(value), "text")


def _encoded(text: Any) -> bytes:
    return text if isinstance(text, bytes) else str(text).encode()


def _shown(tag: str, value: np.ndarray, plugin: str) -> dict[str, Any]:
    metadata = SummaryMetadata(plugin_data={"plugin_name": plugin}).SerializeToString()
    return {"tag": tag, "tensor": serialized_tensor(value), "metadata": metadata}


_KINDS = {"scalar": _scalar, "histogram": _histogram, "image": _image, "text": _text}
