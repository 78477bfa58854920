"""`tf.audio`: sounds as wave files (WAV) with samples of 16 bits. They run on the host, also in functions of datasets."""

import io
import wave
from typing import Any, NamedTuple

import numpy as np

from stratagem._base.errors import InvalidArgumentError
from stratagem._base.exports import exported
from stratagem._core.step import host_function
from stratagem._ops._convert import Tensor, on_device, on_host, static_int

_FULL_SCALE = np.float32(1 << 15)  # of a sample of 16 bits: 1.0


class DecodeWav(NamedTuple):
    """The results of `decode_wav`. audio: (samples, channels), float32, from -1 to 1. sample_rate: per second, int32."""

    audio: Tensor
    sample_rate: Tensor


@exported("audio.decode_wav")
@host_function
def decode_wav(
    contents: Any, desired_channels: int = -1, desired_samples: int = -1, name: str | None = None
) -> DecodeWav:
    """Decodes a WAV file with samples of 16 bits.

    contents: the file, a scalar string. desired_channels: how many there are to be: the last one of the file is repeated,
    further ones are left out; -1: as many as in the file. desired_samples: the same for the samples, which are filled up with
    zeros.

    Raises InvalidArgumentError for anything else than such a file, and for other negative numbers.
    """
    channels_wanted = _count("channels", desired_channels)
    samples_wanted = _count("samples", desired_samples)
    data = np.asarray(on_host(contents, "string"))
    if data.ndim:
        raise InvalidArgumentError(f"tf.audio.decode_wav: contents is a scalar, got the shape {data.shape}.")
    try:
        _check_chunks(data.item())
        with wave.open(io.BytesIO(data.item())) as file:
            channels, width, rate = file.getnchannels(), file.getsampwidth(), file.getframerate()
            frames = file.readframes(file.getnframes())
    except (wave.Error, EOFError) as error:
        raise InvalidArgumentError(f"tf.audio.decode_wav: the contents are not a whole WAV file: {error}.") from error
    if width != 2:
        raise InvalidArgumentError(f"tf.audio.decode_wav: can only read 16-bit WAV files, but received {8 * width}.")
    samples = np.frombuffer(frames, "<i2").reshape(-1, channels).astype(np.float32) / _FULL_SCALE
    if channels_wanted is not None:
        samples = samples[:, np.minimum(np.arange(channels_wanted), channels - 1)]
    if samples_wanted is not None:
        samples = np.pad(samples[:samples_wanted], ((0, max(samples_wanted - len(samples), 0)), (0, 0)))
    return DecodeWav(on_device(np.ascontiguousarray(samples)), on_device(np.asarray(rate, np.int32)))


def _count(what: str, wanted: Any) -> int | None:
    """Returns how many channels or samples there are to be; None for as many as in the file."""
    count = static_int(wanted, f"a tensor is the number of {what}")
    if count < -1:
        raise InvalidArgumentError(f"tf.audio.decode_wav: desired_{what} is -1, or a number of them, got {count}.")
    return None if count == -1 else count


def _check_chunks(file: bytes) -> None:
    """Raises EOFError if a file ends within one of its chunks, of which the standard library reads as much as there is."""
    at = 12
    while at < len(file):
        at += 8 + int.from_bytes(file[at + 4 : at + 8], "little")
        if at > len(file):
            raise EOFError("it ends within a chunk")


@exported("audio.encode_wav")
@host_function
def encode_wav(audio: Any, sample_rate: Any, name: str | None = None) -> Tensor:
    """Encodes samples, (samples, channels) of float32 from -1 to 1, as a WAV file of 16 bits: a scalar string.

    Larger samples are cut off. sample_rate: per second.

    Raises InvalidArgumentError for a different rank, no channels, and a rate that is not positive.
    """
    samples, rate = np.asarray(on_host(audio, "float32")), static_int(sample_rate, "a tensor is the rate of samples")
    if rate < 1:
        raise InvalidArgumentError(f"tf.audio.encode_wav: sample_rate is positive, got {rate}.")
    if samples.ndim != 2 or not samples.shape[1]:
        raise InvalidArgumentError(f"tf.audio.encode_wav: audio is (samples, channels), got the shape {samples.shape}.")
    scaled = samples * _FULL_SCALE
    # Halves are rounded away from zero, as by C's `roundf`.
    rounded = np.trunc(scaled + np.copysign(np.float32(0.5), scaled))
    file = io.BytesIO()
    with wave.open(file, "wb") as writer:
        writer.setnchannels(samples.shape[1])
        writer.setsampwidth(2)
        writer.setframerate(rate)
        writer.writeframes(np.clip(rounded, -(1 << 15), (1 << 15) - 1).astype("<i2").tobytes())
    return on_device(np.array(file.getvalue(), object))
