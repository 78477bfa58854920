"""Calls of `tf.audio`, `tf.edit_distance` and the CTC decoders, recorded with TensorFlow 2.15.1 (`record_decoding.py`).

A program gets `tf` and returns arrays, numbers, texts and lists of them.
"""

from collections.abc import Callable
from typing import Any

import numpy as np


def logits(seed: int) -> Any:
    return np.random.default_rng(seed).normal(size=(7, 3, 5)).astype("float32")


def sound() -> Any:
    noise = np.random.default_rng(0).normal(size=(50, 2)).astype("float32")
    edges = np.array([[1, -1], [0.5, 1.5], [-0.5, -1.5], [65536, -65536]], "float32") / np.float32(32768)
    edges[0] *= 32768
    return np.concatenate([noise, edges])


def parts(sparse: Any) -> Any:
    return [sparse.indices, sparse.values, sparse.dense_shape]


def decoded(tf: Any, decoder: str, seed: int, **options: Any) -> Any:
    found, scores = getattr(tf.nn, decoder)(logits(seed), np.array([7, 4, 0 if "greedy" in decoder else 1]), **options)
    return [*map(parts, found), scores]


def decoded_steps(tf: Any, steps: list[int]) -> Any:
    found, scores = tf.nn.ctc_greedy_decoder(logits(0), steps)
    return [parts(found[0]), scores]


def words(tf: Any) -> tuple[Any, Any]:
    hypothesis = tf.sparse.SparseTensor(
        [[0, 0], [0, 1], [1, 0], [2, 0], [2, 1], [2, 2]], ["a", "b", "c", "x", "y", "z"], [4, 3]
    )
    truth = tf.sparse.SparseTensor([[0, 0], [1, 0], [1, 1], [2, 0], [3, 0]], ["a", "c", "d", "x", "q"], [4, 2])
    return hypothesis, truth


def nested(tf: Any) -> tuple[Any, Any]:
    hypothesis = tf.sparse.SparseTensor([[0, 0, 0], [0, 1, 0], [1, 1, 0], [1, 1, 1]], [1, 2, 3, 3], [2, 2, 2])
    truth = tf.sparse.SparseTensor([[0, 0, 0], [1, 0, 0], [1, 1, 0]], [1, 5, 3], [2, 2, 1])
    return hypothesis, truth


def wave(tf: Any, **options: Any) -> Any:
    found = tf.audio.decode_wav(tf.audio.encode_wav(sound(), 16000), **options)
    return [found.audio, found.sample_rate]


def damaged(tf: Any, length: int) -> Any:
    return tf.audio.decode_wav(tf.audio.encode_wav(sound(), 8000).numpy()[:length])


def in_a_pipeline(tf: Any) -> Any:
    files = [tf.audio.encode_wav(sound()[: 10 * i], 100 * i).numpy() for i in (1, 2, 3)]
    data = tf.data.Dataset.from_tensor_slices(files).map(lambda f: tf.audio.decode_wav(f, desired_samples=25))
    return [[each.audio, each.sample_rate] for each in data]


def in_a_function(tf: Any) -> Any:
    return [*tf.function(lambda f: tf.audio.decode_wav(f, 1, 5))(tf.audio.encode_wav(sound(), 10))]


PROGRAMS: dict[str, Callable[[Any], Any]] = {
    "encoded": lambda tf: [list(tf.audio.encode_wav(sound(), 16000).numpy())],
    "decoded": wave,
    "one channel": lambda tf: wave(tf, desired_channels=1),
    "three channels": lambda tf: wave(tf, desired_channels=3),
    "fewer samples": lambda tf: wave(tf, desired_samples=10),
    "more samples": lambda tf: wave(tf, desired_samples=70),
    "in a pipeline": in_a_pipeline,
    "in a function": in_a_function,
    **{f"cut at {length}": lambda tf, length=length: damaged(tf, length) for length in (0, 3, 20, 43, 44, 60)},
    "no vector of files": lambda tf: tf.audio.decode_wav([b"a"]),
    "no samples without channels": lambda tf: tf.audio.encode_wav(sound()[:, 0], 1),
    "distances": lambda tf: tf.edit_distance(*words(tf)),
    "distances that are counted": lambda tf: tf.edit_distance(*words(tf), normalize=False),
    "distances of nested sequences": lambda tf: tf.edit_distance(*nested(tf)),
    "distances of different ranks": lambda tf: tf.edit_distance(words(tf)[0], nested(tf)[1]),
    **{
        f"greedy {seed} {options}": lambda tf, seed=seed, options=options: decoded(
            tf, "ctc_greedy_decoder", seed, **options
        )
        for seed in range(2)
        for options in ({}, {"merge_repeated": False}, {"blank_index": 0}, {"blank_index": -1})
    },
    **{
        f"beams {seed} {options}": lambda tf, seed=seed, options=options: decoded(
            tf, "ctc_beam_search_decoder", seed, **options
        )
        for seed in range(2)
        for options in ({}, {"top_paths": 3}, {"beam_width": 4, "top_paths": 2}, {"beam_width": 1})
    },
    "steps that are not there": lambda tf: tf.nn.ctc_greedy_decoder(logits(0), [8, 1, 1]),
    "logits of two dimensions": lambda tf: tf.nn.ctc_greedy_decoder(logits(0)[0], [1]),
    "fewer steps than none": lambda tf: decoded_steps(tf, [-1, 2, 3]),
    **{f"the blank {n} of five": lambda tf, n=n: decoded(tf, "ctc_greedy_decoder", 0, blank_index=n) for n in (5, -6)},
    "no rate": lambda tf: tf.audio.encode_wav(sound(), 0),
    "no paths": lambda tf: decoded(tf, "ctc_beam_search_decoder", 0, top_paths=0),
    "fewer paths than are wanted": lambda tf: decoded(tf, "ctc_beam_search_decoder", 0, top_paths=30, beam_width=30),
    "more paths than beams": lambda tf: tf.nn.ctc_beam_search_decoder(logits(0), [1, 1, 1], beam_width=1, top_paths=2),
}


def plain(program: Callable[[Any], Any], tf: Any) -> Any:
    """The result of a program as JSON, or the class of its error."""
    try:
        return _plain(program(tf))
    except Exception as error:
        return {"error": type(error).__name__}


def _plain(value: Any) -> Any:
    if isinstance(value, list):
        return [_plain(each) for each in value]
    if isinstance(value, int):
        return value
    array = np.asarray(value)
    return {"dtype": str(array.dtype), "shape": list(array.shape), "value": array.astype(float).ravel().tolist()}
