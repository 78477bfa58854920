"""Candidate sampling: classes drawn for losses over many classes, and how often each is expected among them."""

import csv
import io
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from stratagem._base.errors import InvalidArgumentError
from stratagem._base.exports import exported
from stratagem._base.paths import file_errors
from stratagem._base.storage import checked_path, file_system
from stratagem._base.types import PathLike
from stratagem._ops._convert import Tensor, allow_x64, is_traced, tensor
from stratagem._ops._dtypes import float64, int64
from stratagem._ops._symbolic import accept_symbols
from stratagem._ops.sampling._random import uniform
from stratagem._private import refuse_in_safe_mode


class Candidates(NamedTuple):
    """The drawn classes (int64), and how often each true class and each drawn one is expected among them (float32)."""

    sampled_candidates: Tensor
    true_expected_count: Tensor
    sampled_expected_count: Tensor


class _Distribution(NamedTuple):
    """Classes from 0 to `size`. All computation is in float64: there may be millions of classes."""

    size: int
    probability: Callable[[Tensor], Tensor]
    quantile: Callable[[Tensor], Tensor]


@exported("random.uniform_candidate_sampler")
def uniform_candidate_sampler(
    true_classes: Any,
    num_true: int,
    num_sampled: int,
    unique: bool,
    range_max: int,
    seed: int | None = None,
    name: str | None = None,
) -> Candidates:
    """Draws `num_sampled` of the classes below `range_max`, all equally probable.

    true_classes: (batch, num_true), int64. unique: each class is drawn once at most.
    Raises InvalidArgumentError for another shape, and for more unique classes than there are.
    """
    distribution = _Distribution(
        range_max,
        lambda classes: jnp.full(classes.shape, 1 / range_max, np.float64),
        lambda shares: jnp.floor(shares * range_max),
    )
    return _candidates("uniform_candidate_sampler", true_classes, num_true, num_sampled, unique, distribution, seed)


@exported("random.log_uniform_candidate_sampler")
def log_uniform_candidate_sampler(
    true_classes: Any,
    num_true: int,
    num_sampled: int,
    unique: bool,
    range_max: int,
    seed: int | None = None,
    name: str | None = None,
) -> Candidates:
    """Draws classes with the probabilities (log(k + 2) - log(k + 1)) / log(range_max + 1), those of words sorted by frequency.

    Otherwise as `uniform_candidate_sampler`.
    """
    whole = np.log1p(range_max)
    distribution = _Distribution(
        range_max,
        lambda classes: jnp.log1p(1 / (classes + 1)) / whole,
        lambda shares: jnp.minimum(jnp.floor(jnp.expm1(shares * whole)), range_max - 1),
    )
    return _candidates("log_uniform_candidate_sampler", true_classes, num_true, num_sampled, unique, distribution, seed)


@exported("nn.fixed_unigram_candidate_sampler", "random.fixed_unigram_candidate_sampler")
def fixed_unigram_candidate_sampler(
    true_classes: Any,
    num_true: int,
    num_sampled: int,
    unique: bool,
    range_max: int,
    vocab_file: PathLike = "",
    distortion: float = 1.0,
    num_reserved_ids: int = 0,
    num_shards: int = 1,
    shard: int = 0,
    unigrams: Sequence[float] = (),
    seed: int | None = None,
    name: str | None = None,
) -> Candidates:
    """Draws classes with probabilities proportional to given counts, raised to the power `distortion`.

    unigrams: the counts; or vocab_file: a CSV file with the count in the last place of each line. num_reserved_ids: the first
    classes, before those with counts, are never drawn. num_shards, shard: only every num_shards-th class counts, from `shard`
    on; these are the classes below range_max. Otherwise as `uniform_candidate_sampler`.
    Raises InvalidArgumentError for both or none of the counts, and for another number of them than range_max.
    """
    if bool(vocab_file) == (len(unigrams) > 0):
        raise InvalidArgumentError("Give either vocab_file or unigrams, which have the counts of the classes.")
    counts = np.array(list(unigrams) or _counts_of(vocab_file), np.float64)
    weights = np.concatenate([np.zeros(num_reserved_ids), counts**distortion])[shard::num_shards]
    if len(weights) != range_max:
        raise InvalidArgumentError(
            f"range_max is {range_max}, but there are {len(weights)} classes, reserved ones included."
        )
    ends = np.cumsum(weights) / np.sum(weights)
    distribution = _Distribution(
        range_max,
        lambda classes: jnp.asarray(weights / np.sum(weights))[classes],
        lambda shares: jnp.searchsorted(jnp.asarray(ends), shares, side="right"),
    )
    return _candidates(
        "fixed_unigram_candidate_sampler", true_classes, num_true, num_sampled, unique, distribution, seed
    )


def _counts_of(path: PathLike) -> list[float]:
    """The numbers at the ends of a file's lines. Raises InvalidArgumentError for what is none, and as `file_errors`."""
    refuse_in_safe_mode("call of fixed_unigram_candidate_sampler", f"reads the file {path!r}")
    where = checked_path(path)
    with file_errors(where), io.TextIOWrapper(file_system(where).open(where), newline="", encoding="utf-8") as file:
        try:
            return [float(line[-1]) for line in csv.reader(file) if line]
        except (ValueError, csv.Error) as error:
            raise InvalidArgumentError(f"{where}: the last place of each line is a count: {error}") from error


@exported("nn.all_candidate_sampler", "random.all_candidate_sampler")
def all_candidate_sampler(
    true_classes: Any,
    num_true: int,
    num_sampled: int,
    unique: bool,
    seed: int | None = None,
    name: str | None = None,
) -> Candidates:
    """Returns all classes below `num_sampled`, in order, each of which is expected once. It draws nothing."""
    classes = _classes("all_candidate_sampler", true_classes, num_true, num_sampled)
    with allow_x64(np.int64):
        every = jnp.arange(num_sampled, dtype=int64.dtype)
    return Candidates(every, jnp.ones(classes.shape, np.float32), jnp.ones(num_sampled, np.float32))


def _classes(name: str, true_classes: Any, num_true: int, size: int) -> Tensor:
    classes = tensor(true_classes)
    if classes.ndim != 2 or classes.shape[1] != num_true:
        raise InvalidArgumentError(
            f"tf.random.{name}: true_classes are of shape (batch, {num_true}), got {classes.shape}."
        )
    known = np.zeros(0) if is_traced(classes) else np.asarray(classes)
    if not np.all((known >= 0) & (known < size)):
        raise InvalidArgumentError(f"tf.random.{name}: true_classes are numbers below {size}, got {classes}.")
    return classes


def _candidates(
    name: str,
    true_classes: Any,
    num_true: int,
    num_sampled: int,
    unique: bool,
    distribution: _Distribution,
    seed: int | None,
) -> Candidates:
    classes = _classes(name, true_classes, num_true, distribution.size)
    if unique and num_sampled > distribution.size:
        raise InvalidArgumentError(
            f"tf.random.{name}: {num_sampled} different classes were asked for, there are {distribution.size}."
        )
    with allow_x64(np.float64):
        if unique:
            drawn, tries = _different(distribution, num_sampled, seed)
        else:
            drawn = distribution.quantile(uniform([num_sampled], dtype=float64, seed=seed)).astype(np.int64)
            tries = None

        def expected(which: Tensor) -> Tensor:
            share = distribution.probability(which.astype(np.int64))
            often = share * num_sampled
            if tries is not None:  # the formulas differ as in TensorFlow
                often = jnp.where(tries == num_sampled, often, -jnp.expm1(tries * jnp.log1p(-share)))
            return jax.lax.stop_gradient(often.astype(np.float32))

        return Candidates(drawn, expected(classes), expected(drawn))


def _different(distribution: _Distribution, count: int, seed: int | None) -> tuple[Tensor, Tensor]:
    """Draws classes until `count` different ones are there: returns these in their order, and the number of draws.

    Instead of drawing again and again, all classes race: one that waits for an exponential time with its probability as the
    rate comes first as often as it would be drawn first. The draws that repeat classes of the mass P are a geometric number.
    """
    rates = distribution.probability(jnp.arange(distribution.size))
    times = -jnp.log1p(-uniform([distribution.size], dtype=float64, seed=seed)) / rates
    drawn = jax.lax.top_k(-times, count)[1].astype(np.int64)
    share = distribution.probability(drawn)
    fresh = jnp.maximum(1 - jnp.cumsum(share) + share, share)
    again = jnp.where(fresh < 1, jnp.log1p(-jnp.minimum(fresh, 1 - 1e-15)), -np.inf)
    repeats = jnp.floor(jnp.log1p(-uniform([count], dtype=float64, seed=seed)) / again)
    return drawn, count + jnp.sum(repeats)


accept_symbols(globals())
