"""Event files, read by TensorBoard's own code; also runs on the TensorBoard of TensorFlow 2.15."""

import io
import wave
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tensorboard.util import tensor_util


def read(folder: Path | str) -> dict[str, list[dict[str, Any]]]:
    """All summaries of a folder, by tag in the order of the files: step, plugin, its content, description, type, value."""
    accumulator = EventAccumulator(str(folder), size_guidance={"tensors": 0})
    accumulator.Reload()
    found = {}
    for tag in accumulator.Tags()["tensors"]:
        metadata = accumulator.summary_metadata.get(tag)  # there is none where no plugin has one
        fact = {
            "plugin": metadata.plugin_data.plugin_name if metadata else "",
            "content": metadata.plugin_data.content.hex() if metadata else "",
            "description": metadata.summary_description if metadata else "",
        }
        found[tag] = [{"step": event.step, **fact, **_value(event.tensor_proto)} for event in accumulator.Tensors(tag)]
    return found


def _value(proto: Any) -> dict[str, Any]:
    array = tensor_util.make_ndarray(proto)
    strings = array.dtype.kind in "OSU"
    flat = array.ravel().tolist()
    # What TensorBoard reads has the shape; pictures and sounds are compared by what they show.
    shape = [dim.size for dim in proto.tensor_shape.dim]
    return {"type": int(proto.dtype), "shape": shape, "value": [_shown(v) for v in flat] if strings else flat}


def _shown(text: bytes | str) -> Any:
    data = text.encode() if isinstance(text, str) else text
    if data.startswith(b"\x89PNG"):
        picture = Image.open(io.BytesIO(data))
        return [picture.mode, np.asarray(picture).tolist()]
    if data.startswith(b"RIFF"):
        with wave.open(io.BytesIO(data)) as file:
            return [list(file.getparams()[:4]), np.frombuffer(file.readframes(1000), "<i2").tolist()]
    return data.decode()


def steps(folder: Path | str) -> dict[str, list[int]]:
    """The steps of every tag."""
    return {tag: [summary["step"] for summary in summaries] for tag, summaries in read(folder).items()}


def values(folder: Path | str, tag: str) -> dict[int, Any]:
    """A tag's numbers by step."""
    return {s["step"]: s["value"][0] if s["shape"] == [] else s["value"] for s in read(folder)[tag]}
