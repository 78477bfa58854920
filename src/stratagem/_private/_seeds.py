"""Random seeds of Keras: who hands them out, and how they are set."""

import contextlib
import contextvars
import functools
import random
import threading
from collections.abc import Callable, Iterator
from typing import Any

import jax
import keras
from keras.src.backend.common import global_state
from keras.src.random import seed_generator
from keras.src.random.seed_generator import GLOBAL_SEED_GENERATOR, SeedGenerator
from keras.src.utils import rng_utils
from keras.src.utils.jax_utils import is_in_jax_tracing_scope

from stratagem._private._scopes import unscoped
from stratagem._private._traces import OutsideOfTraces
from stratagem._private._variables import KerasVariable


def intercept_seeds(per_replica: Callable[[keras.random.SeedGenerator, jax.Array], jax.Array]) -> None:
    """Pass every seed that a SeedGenerator hands out through per_replica(state variable, seed)."""
    draw = SeedGenerator.next

    @functools.wraps(draw)
    def new_next(self: Any, ordered: bool = True) -> Any:
        return per_replica(self.state, draw(self, ordered))

    SeedGenerator.next = new_next


SeedSource = Callable[[Any], Any]
# Two variables of their own, because the context lies above: they answer what Keras asks for in the code inside.
_seed_source: contextvars.ContextVar[SeedSource | None] = contextvars.ContextVar("stratagem seeds", default=None)


def intercept_drawn_seeds(of_step: Callable[[], keras.random.SeedGenerator | None]) -> None:
    """Let a source (`seeds_from`) answer what seed generators are asked for.

    of_step: returns the global generator of the step that is traced, if one is: its state is among the step's variables.
    """
    draw, shared = SeedGenerator.next, seed_generator.global_seed_generator

    @functools.wraps(draw)
    def new_next(self: Any, ordered: bool = True) -> Any:
        source = _seed_source.get()
        return draw(self, ordered) if source is None else source(self)

    @functools.wraps(shared)
    def new_shared() -> Any:
        # Keras refuses its global generator in a trace, where it would freeze; a source gives the trace seeds of its own.
        if _seed_source.get() is None and is_in_jax_tracing_scope():
            found = of_step()
            return shared() if found is None else found
        return global_seed_generator()

    SeedGenerator.next = new_next
    seed_generator.global_seed_generator = new_shared


_making_state: contextvars.ContextVar[bool] = contextvars.ContextVar("stratagem seed state", default=False)


def mark_seed_states() -> None:
    """Mark the variables in which seed generators keep their state."""
    make = SeedGenerator.__init__

    @functools.wraps(make)
    def new_init(self: Any, *args: Any, **kwargs: Any) -> None:
        token = _making_state.set(True)
        try:
            make(self, *args, **kwargs)
        finally:
            _making_state.reset(token)
        self.state._same_on_replicas = True

    SeedGenerator.__init__ = new_init


def makes_seed_state() -> bool:
    """True while a SeedGenerator makes the variable of its state."""
    return _making_state.get()


def seed_state(first: jax.Array) -> keras.Variable:
    """Makes a variable for the state of a random generator, which is one as that of a SeedGenerator is."""
    token = _making_state.set(True)
    try:
        state = KerasVariable(first, dtype=str(first.dtype), trainable=False, name="generator_state")
    finally:
        _making_state.reset(token)
    state._same_on_replicas = True
    return state


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


def seed_source() -> SeedSource | None:
    """Returns the source that answers what seed generators are asked for; None without one."""
    return _seed_source.get()


def seed_of(generator: keras.random.SeedGenerator) -> int | None:
    """The number that a user gave this SeedGenerator; None for one without, and for the global one."""
    return None if generator is _shared else generator._initial_seed


def is_seed_state(variable: keras.Variable) -> bool:
    """True for the state of a random seed generator, which advances alike on all replicas."""
    return getattr(variable, "_same_on_replicas", False)


def global_seed_generator() -> keras.random.SeedGenerator:
    """Keras' global seed generator; unlike Keras' own accessor it works inside our traces, which capture its state.

    It is that of the process: Keras alone has one for every thread, and threads of workers would draw from their own.
    """
    global _shared
    with _making:
        if _shared is None:
            _, seed = _seeding
            _shared = SeedGenerator(random.randint(1, 10**9) if seed is None else seed)
    global_state.set_global_attribute(GLOBAL_SEED_GENERATOR, _shared)
    return _shared


_making = threading.RLock()
_shared: Any = None
_seeding: tuple[int, int | None] = (0, None)
_whole_seed: tuple[int, int | None] = (0, None)
_listeners: list[Callable[[], None]] = []


def latest_seeding() -> tuple[int, int | None]:
    """Returns how often a random seed was set, and the last one: generators of other layers restart when it changes."""
    return _seeding


def latest_whole_seed() -> tuple[int, int | None]:
    """Returns what `latest_seeding` does, with a seed of any size as it was given."""
    return _whole_seed if _whole_seed[0] == _seeding[0] else _seeding


def on_seeding(listener: Callable[[], None]) -> None:
    """Call this whenever a random seed was set."""
    _listeners.append(listener)


def restart(generator: Any, seed: int) -> None:
    """Let a SeedGenerator start from another number. Compiled programs have its state, so that they draw from there, too."""
    generator._initial_seed = seed
    with unscoped(), OutsideOfTraces():
        value = jax.numpy.asarray([seed, 0], generator.state.dtype)
        contextvars.Context().run(generator.state.assign, value)  # whatever strategy's scope this is


def set_random_seed(seed: int) -> None:
    """Seed Python's, NumPy's and Keras' generators, start the global seed generator anew, and tell other layers.

    seed: any integer; these generators get it modulo 2**32.
    """
    global _whole_seed
    rng_utils.set_random_seed(seed % 2**32)
    _whole_seed = (_seeding[0], seed)
    global_seed_generator()


def intercept_random_seed() -> None:
    """Let `keras.utils.set_random_seed` seed shuffles and compiled programs, too, as in TF."""
    set_seed: Callable[[int], None] = rng_utils.set_random_seed

    @functools.wraps(set_seed)
    def new_set_seed(seed: int) -> None:
        global _seeding
        set_seed(seed)
        _seeding = (_seeding[0] + 1, seed)
        if _shared is not None:  # Keras makes another one, of which compiled programs would not know
            restart(_shared, seed)
        for listener in _listeners:
            listener()

    rng_utils.set_random_seed = keras.utils.set_random_seed = new_set_seed
