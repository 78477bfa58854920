"""`tf.signal`."""

from dataclasses import replace
from typing import Any

from tests.ops.drawn.draws import FLOATS, Draw, Function

COMPLEX = ("complex64", "complex128")
# Transforms add up all entries: rounding is relative to the largest.
WITHIN = {"float32": 1e-5, "float64": 1e-11}
# TensorFlow computes windows and bands in the dtype asked for, ours are rounded once; of halves two digits are compared.
ROUNDED = {"float32": 3e-5, "float64": 1e-10, "float16": 1e-2, "bfloat16": 2e-2}


def parts(tf: Any, result: Any, *_: Any) -> Any:
    """The real and imaginary part, whose gradients can be added up."""
    return [tf.math.real(result), tf.math.imag(result)]


# Of two that are computed alike `make test` makes the calls of one.
THOROUGH = {
    *("fft3d", "ifft", "ifft2d", "ifft3d", "rfft2d", "rfft3d", "irfft", "irfft3d", "ifftshift", "idct", "mdct", "stft"),
    "mfccs_from_log_mel_spectrograms",
}


def _complex(name: str, rank: int) -> Function:
    def call(draw: Draw) -> Any:
        return [draw.array(draw.shape(rank, rank + 1), draw.choice(COMPLEX))], {}

    return Function(name, call, count=4, within=WITHIN)


def _lengths(draw: Draw, rank: int) -> Any:
    return {"fft_length": [draw.integer(1, 6) for _ in range(rank)]} if draw.flag() else {}


def _to_half(name: str, rank: int, differ: Any = None) -> Function:
    def call(draw: Draw) -> Any:
        array = draw.array(draw.shape(rank, rank + 1), draw.choice(FLOATS), special=False)
        return [array], _lengths(draw, rank)

    # TensorFlow has no gradients in three dimensions.
    return Function(name, call, count=6, within=WITHIN, gradients=rank < 3, compared=parts, differ=differ or {})


def _from_half(name: str, rank: int) -> Function:
    def call(draw: Draw) -> Any:
        array = draw.array(draw.shape(rank, rank + 1, min_size=2), draw.choice(COMPLEX))
        return [array], _lengths(draw, rank)

    return Function(name, call, count=4, within=WITHIN)


def _shift(name: str) -> Function:
    def call(draw: Draw) -> Any:
        array = draw.array(draw.shape(1, 3, max_size=5), draw.choice(("float32", "int64", "complex64")), special=False)
        axes = draw.choice([None, draw.axis(array.ndim), [draw.axis(array.ndim)]])
        return [array], {} if axes is None else {"axes": axes}

    return Function(name, call, count=6, gradients=True)


def _cosine(name: str) -> Function:
    def call(draw: Draw) -> Any:
        array = draw.array(draw.shape(1, 3, max_size=6), draw.choice(FLOATS), special=False)
        given = {"type": draw.integer(1, 4), "norm": draw.choice([None, "ortho"])}
        return [array], {**given, "n": draw.integer(1, 7)} if draw.flag() else given

    return Function(name, call, count=6, within=WITHIN, gradients=True)


def _window(name: str, **options: Any) -> Function:
    def call(draw: Draw) -> Any:
        kwargs = {key: draw.choice(values) for key, values in options.items()}
        return [draw.integer(1, 9)], kwargs

    return Function(name, call, count=6, within=ROUNDED)


def _frame(draw: Draw) -> Any:
    array = draw.array(draw.shape(1, 3, max_size=7), draw.choice((*FLOATS, "int32")), special=False)
    kwargs = {"pad_end": draw.flag(), "axis": draw.axis(array.ndim)}
    return [array, draw.integer(1, 5), draw.integer(1, 4)], {**kwargs, "pad_value": 3} if draw.flag() else kwargs


def _overlap(draw: Draw) -> Any:
    array = draw.array(draw.shape(2, 3, max_size=6), draw.choice((*FLOATS, "int32")), special=False)
    return [array, draw.integer(1, 7)], {}


def _stft(draw: Draw) -> Any:
    array = draw.array((*draw.shape(0, 1, 1, 2), draw.integer(1, 12)), draw.choice(FLOATS), special=False)
    kwargs: dict[str, Any] = {"pad_end": draw.flag()}
    if draw.flag():
        kwargs["fft_length"] = draw.integer(1, 9)
    if draw.integer(0, 2) == 0:
        kwargs["window_fn"] = None
    return [array, draw.integer(1, 7), draw.integer(1, 4)], kwargs


def _inverse_stft(draw: Draw) -> Any:
    length = draw.integer(2, 7)
    kwargs: dict[str, Any] = {"fft_length": draw.integer(2, 9)} if draw.flag() else {}
    if draw.integer(0, 2) == 0:
        kwargs["window_fn"] = None
    return [draw.array(draw.shape(2, 3, 1, 5), draw.choice(COMPLEX)), length, draw.integer(1, 4)], kwargs


def _inverse_window(draw: Draw) -> Any:
    return [draw.integer(1, 4)], {}


def _its_windows(tf: Any, result: Any) -> Any:
    return [result(5, dtype=tf.float32), result(8, dtype=tf.float64)]


def _mdct(draw: Draw) -> Any:
    array = draw.array((*draw.shape(0, 1, 1, 2), draw.integer(1, 20)), draw.choice(FLOATS), special=False)
    kwargs = {"pad_end": draw.flag(), "norm": draw.choice([None, "ortho"])}
    length = draw.choice((4, 8, 12, 6))
    return [array, length], {**kwargs, "window_fn": None} if draw.flag() else kwargs


def _inverse_mdct(draw: Draw) -> Any:
    array = draw.array((*draw.shape(1, 2, 1, 3), draw.choice((2, 4, 6))), draw.choice(FLOATS), special=False)
    kwargs = {"norm": draw.choice([None, "ortho"])}
    return [array], {**kwargs, "window_fn": None} if draw.flag() else kwargs


def _mel(draw: Draw) -> Any:
    low = draw.real(0.0, 200.0)
    return [draw.integer(1, 5), draw.integer(1, 9), draw.choice((8000, 4000.0)), low, draw.real(250.0, 2500.0)], {
        "dtype": draw.choice(FLOATS)
    }


def _mfcc(draw: Draw) -> Any:
    return [draw.array(draw.shape(1, 3, max_size=6), draw.choice(FLOATS), special=False)], {}


HALVES = (*FLOATS, "float16")
ALL: list[Function] = [
    *(_complex(f"signal.{name}", rank) for name, rank in (("fft", 1), ("fft2d", 2), ("fft3d", 3))),
    *(_complex(f"signal.{name}", rank) for name, rank in (("ifft", 1), ("ifft2d", 2), ("ifft3d", 3))),
    _to_half("signal.rfft", 1),
    _to_half(
        "signal.rfft2d", 2, dict.fromkeys((3, 4), "TensorFlow's gradient fails where a dimension is cut or padded")
    ),
    _to_half("signal.rfft3d", 3, {1: "TensorFlow does not pad a tensor without entries to fft_length"}),
    *(_from_half(f"signal.{name}", rank) for name, rank in (("irfft", 1), ("irfft2d", 2), ("irfft3d", 3))),
    _shift("signal.fftshift"),
    _shift("signal.ifftshift"),
    _cosine("signal.dct"),
    _cosine("signal.idct"),
    _window("signal.hann_window", periodic=(True, False), dtype=HALVES),
    _window("signal.hamming_window", periodic=(True, False), dtype=HALVES),
    _window("signal.kaiser_window", beta=(0.0, 3.5, 12.0), dtype=FLOATS),
    _window("signal.kaiser_bessel_derived_window", beta=(1.0, 4.0), dtype=FLOATS),
    _window("signal.vorbis_window", dtype=HALVES),
    Function("signal.frame", _frame, count=8, gradients=True),
    Function("signal.overlap_and_add", _overlap, count=5, gradients=True),
    Function(
        "signal.stft",
        _stft,
        count=6,
        within=WITHIN,
        compared=parts,
        gradients=True,
        differ={
            2: "frames are cut to one entry, where the window is 0: TensorFlow's gradient counts the others",
            4: "there are no frames, of which TensorFlow's gradient fails",
        },
    ),
    Function("signal.inverse_stft", _inverse_stft, count=4, within=WITHIN),
    Function("signal.inverse_stft_window_fn", _inverse_window, count=4, within=WITHIN, compared=_its_windows),
    Function("signal.mdct", _mdct, count=4, within=WITHIN, gradients=True),
    Function("signal.inverse_mdct", _inverse_mdct, count=4, within=WITHIN, gradients=True),
    Function("signal.linear_to_mel_weight_matrix", _mel, count=6, within=ROUNDED),
    Function("signal.mfccs_from_log_mel_spectrograms", _mfcc, count=4, within=WITHIN, gradients=True),
]
FUNCTIONS = [replace(f, quick=() if f.name.removeprefix("signal.") in THOROUGH else None) for f in ALL]
