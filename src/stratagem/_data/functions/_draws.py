"""Random numbers inside functions given to `map` and `filter`: every element of every iteration has seeds of its own.

A seed is a hash of the generator's seed, the number of the iteration and the element's place in it. So equal programs draw
equal numbers, in blocks, in threads or one by one, and a resumed iteration draws the same as an uninterrupted one.
"""

import copy
import functools
from typing import Any, Self, final

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from stratagem._data.stages._columns import Columns
from stratagem._data.stages._order import Cursor, Indices, Order, State
from stratagem._data.stages._seeds import EpochSeeds
from stratagem._private import seed_of

Places = NDArray[np.uint64]
Words = NDArray[np.uint32]

NO_PLACE: Places = np.zeros(1, np.uint64)


@final
class FunctionSeeds:
    """The source of one map's or filter's random numbers. Like a shuffle's seeds, it belongs to the plan.

    It also counts the iterations begun.
    """

    def __init__(self) -> None:
        self._epochs = EpochSeeds(None, reshuffle=True)
        self._seed = 0

    @property
    def seed(self) -> Words:
        """The function's own seed, as two words."""
        return words(np.asarray([self._seed], np.uint64))[0]

    def of_worker(self, worker: int) -> Self:
        """Returns the seeds of one worker alone, as `EpochSeeds.of_worker`."""
        own = copy.copy(self)
        own._epochs = self._epochs.of_worker(worker)
        return own

    def begin(self) -> State:
        """The facts of the iteration that starts now."""
        facts = self._epochs.begin()
        self._seed = facts["seed"]
        return facts

    def now(self, facts: State) -> State:
        """The facts of an iteration that began earlier, updated for saving."""
        return self._epochs.now(facts)

    def restore(self, facts: State) -> None:
        """Continues the iteration that `facts` describe, even if another process began it."""
        self._epochs.restore(facts)
        self._seed = facts["seed"]


def places(facts: State, first: int, count: int) -> Places:
    """A number for each of `count` elements from position `first` on, in the iteration that `facts` describe."""
    numbers: Places = np.arange(first, first + count).astype(np.uint64)
    numbers += _mixed_epoch(facts["epoch"])
    return _mixed(numbers)


@final
class BlockDraws:
    """The seed and the places of a block of elements, computed when a function draws random numbers: most do not.

    facts: of the iteration; empty if the function draws none. first: the position of the first element. count: a number of
    elements, that of the program, as sums may differ in their last digit between sizes of programs.
    """

    def __init__(self, facts: State, first: int, count: int) -> None:
        self._facts, self._first, self._count = facts, first, count

    @functools.cached_property
    def of_all(self) -> tuple[Any, ...]:
        """Returns the seed, and the places of all elements; nothing if the function draws none."""
        if not self._facts:
            return ()
        seed = words(np.asarray([self._facts["seed"]], np.uint64))[0]
        return seed, places(self._facts, self._first, self._count)

    def of_one(self, number: int) -> tuple[Any, ...]:
        """Returns the seed, and the place of one element, in a row of its own."""
        if not self._facts:
            return ()
        seed, at = self.of_all
        return seed, at[number : number + 1]


@functools.lru_cache(maxsize=64)
def _mixed_epoch(epoch: int) -> np.uint64:
    return np.uint64(_mixed(np.full(1, epoch, np.uint64))[0])


def words(numbers: Places) -> Words:
    """Splits 64-bit numbers into pairs of 32-bit words, (n, 2)."""
    return numbers.astype("<u8").view("<u4").reshape(-1, 2)[:, ::-1].astype(np.uint32)


def _mixed(numbers: Places) -> Places:
    """A bijection of 64-bit numbers that spreads neighbours over the whole range (SplitMix64)."""
    mixed = numbers + np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))


@final
class ElementSeeds:
    """Provides the next seed to every seed generator that a function uses while it handles one element.

    seed, place: (2,) words each, values or, under a trace, inputs of the program.
    """

    def __init__(self, seed: Any, place: Any) -> None:
        self._seed = seed
        self._place = place
        self._requests: list[Any] = []
        self._generators: list[Any] = []

    @property
    def drawn(self) -> bool:
        """True once a generator has requested a seed."""
        return bool(self._requests)

    def __call__(self, generator: Any) -> jax.Array:
        """The next seed of this generator: a different one for every generator, element and call."""
        calls = sum(g is generator for g in self._requests)
        self._requests.append(generator)
        if calls == 0:
            self._generators.append(generator)
        given = seed_of(generator)
        if given is None:
            base, number = self._seed, next(i for i, g in enumerate(self._generators) if g is generator)
        else:  # a generator that the user seeded repeats its numbers in every run, independently of other seeds
            base, number = words(np.asarray([given % (1 << 64)], np.uint64))[0], 0
        key = jax.random.wrap_key_data(jnp.asarray(base), impl="threefry2x32")
        for part in (number, self._place[0], self._place[1], calls):
            key = jax.random.fold_in(key, part)
        return jax.random.key_data(key)


@final
class NumberedOrder(Order):
    """Another order whose indices also encode their place in the iteration, so that they can be shuffled and cached.

    An index holds its row in the low bits, and above them a hash of the iteration and the place. Rows that an earlier
    map has numbered are kept: only the iteration is recorded, for the seed of this map.
    """

    def __init__(self, parent: Order, draws: FunctionSeeds, columns: Columns) -> None:
        self._parent = parent
        self._draws = draws
        self._bits = number_bits(columns) if columns.bits is None else None

    @property
    def length(self) -> int:
        return self._parent.length

    @property
    def parent(self) -> Order:
        return self._parent

    def cursor(self) -> Cursor:
        return _NumberedCursor(self._parent.cursor(), self._draws, self._bits)


@final
class _NumberedCursor(Cursor):
    def __init__(self, parent: Cursor, draws: FunctionSeeds, bits: int | None) -> None:
        self._parent = parent
        self._draws = draws
        self._bits = bits
        self._epoch_facts = draws.begin()
        self._position = 0

    def read(self, count: int) -> Indices:
        rows = self._parent.read(count)
        numbers = places(self._epoch_facts, self._position, len(rows))
        self._position += len(rows)
        return rows if self._bits is None else numbered(rows, numbers, self._bits)

    def get_state(self) -> State:
        return {"draws": self._epoch_facts, "position": self._position, "parent": self._parent.get_state()}

    def set_state(self, state: State) -> None:
        self._draws.restore(state["draws"])
        self._epoch_facts, self._position = state["draws"], state["position"]
        self._parent.set_state(state["parent"])


def number_bits(columns: Columns) -> int:
    """The number of low bits of a numbered index that hold the row."""
    return max(1, (columns.length - 1).bit_length()) if columns.bits is None else columns.bits


def numbered(rows: Indices, numbers: Places, bits: int) -> Indices:
    """Combines rows with as many bits of their numbers as fit into a positive int64."""
    high = (numbers >> np.uint64(bits + 1)) << np.uint64(bits)
    return high.astype(np.int64) | rows


def rows_of_numbered(indices: Indices, bits: int) -> Indices:
    """Extracts the rows from numbered indices."""
    return indices & ((1 << bits) - 1)


def places_of_numbered(indices: Indices, bits: int) -> Places:
    """Extracts the places from numbered indices."""
    return _mixed((indices >> bits).astype(np.uint64))
