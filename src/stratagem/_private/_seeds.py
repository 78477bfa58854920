"""Random seeds of Keras: who hands them out, and how they are set."""

import contextlib
import contextvars
import functools
import random
from collections.abc import Callable, Iterator
from typing import Any, cast

import jax
import keras
from keras.src.backend.common import global_state
from keras.src.random import seed_generator
from keras.src.random.seed_generator import GLOBAL_SEED_GENERATOR, SeedGenerator
from keras.src.utils import rng_utils


def intercept_seeds(per_replica: Callable[[Any, jax.Array], jax.Array]) -> None:
    """Pass every seed that a SeedGenerator hands out through per_replica(state variable, seed)."""
    draw = SeedGenerator.next

    @functools.wraps(draw)
    def new_next(self: Any, ordered: bool = True) -> Any:
        self.state._same_on_replicas = True
        return per_replica(self.state, draw(self, ordered))

    SeedGenerator.next = new_next


SeedSource = Callable[[Any], Any]
_seed_source: contextvars.ContextVar[SeedSource | None] = contextvars.ContextVar("stratagem seeds", default=None)


def _hook_seed_source() -> None:
    draw, shared = SeedGenerator.next, seed_generator.global_seed_generator

    @functools.wraps(draw)
    def new_next(self: Any, ordered: bool = True) -> Any:
        source = _seed_source.get()
        return draw(self, ordered) if source is None else source(self)

    @functools.wraps(shared)
    def new_shared() -> Any:
        # Keras refuses its global generator in a trace, where it would freeze; a source gives the trace seeds of its own.
        return shared() if _seed_source.get() is None else global_seed_generator()

    SeedGenerator.next = new_next
    seed_generator.global_seed_generator = new_shared


_hook_seed_source()


@contextlib.contextmanager
def seeds_from(source: SeedSource | None) -> Iterator[None]:
    """In the body, every SeedGenerator's next seed (uint32, (2,)) is source(generator), and its state stays as it is.

    source: None lets every generator draw its own again.
    """
    token = _seed_source.set(source)
    try:
        yield
    finally:
        _seed_source.reset(token)


def seed_of(generator: Any) -> int | None:
    """The number that a user gave this SeedGenerator; None for one without, and for the global one."""
    shared = global_state.get_global_attribute(GLOBAL_SEED_GENERATOR)
    return None if generator is shared else cast(int | None, generator._initial_seed)


def is_seed_state(variable: Any) -> bool:
    """True for the state of a random seed generator, which advances alike on all replicas."""
    return getattr(variable, "_same_on_replicas", False)


def global_seed_generator() -> Any:
    """Keras' global seed generator; unlike Keras' own accessor it works inside our traces, which capture its state."""
    generator = global_state.get_global_attribute(GLOBAL_SEED_GENERATOR)
    if generator is None:
        generator = SeedGenerator(random.randint(1, 10**9))
        global_state.set_global_attribute(GLOBAL_SEED_GENERATOR, generator)
    return generator


_seeding: tuple[int, int | None] = (0, None)


def latest_seeding() -> tuple[int, int | None]:
    """How often a random seed was set, and the last one: for generators of other layers, which start anew then."""
    return _seeding


def set_random_seed(seed: int) -> None:
    """Seed Python's, NumPy's and Keras' generators, start the global seed generator anew, and tell other layers."""
    _seed_keras(seed)
    global_state.set_global_attribute(GLOBAL_SEED_GENERATOR, SeedGenerator(seed))


def _hook_random_seed() -> Callable[[int], None]:
    """`keras.utils.set_random_seed` seeds shuffles, too, as in TF. Returns that function."""
    set_seed: Callable[[int], None] = rng_utils.set_random_seed

    @functools.wraps(set_seed)
    def new_set_seed(seed: int) -> None:
        global _seeding
        set_seed(seed)
        _seeding = (_seeding[0] + 1, seed)

    rng_utils.set_random_seed = keras.utils.set_random_seed = new_set_seed
    return new_set_seed


_seed_keras = _hook_random_seed()
