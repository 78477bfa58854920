"""FunctionCache: the specializations of one function, each with its programs; `cache_of` finds it by the function's key."""

import logging
import threading
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any

from jax.tree_util import tree_flatten

from stratagem._core.context import current
from stratagem._core.step.keys._program_keys import IdentityKey, ReadingsKey, alive, changed_part, code_of, leaf_key
from stratagem._core.step.programs._trace import TraceFindings

logger = logging.getLogger("stratagem")

_RETRACES_BEFORE_WARNING = 5
_ADVICE = (
    "%s was traced %d times, last because %s. Pass numbers that change as tensors (tf.constant), keep shapes the same "
    "(drop_remainder=True), and create objects once."
)


@dataclass
class Specialization:
    """One function for one kind of arguments: what its traces found, and its programs by the shapes of drawn elements."""

    info: TraceFindings
    programs: dict[Hashable, Any] = field(default_factory=dict)
    host: str | None = None


@dataclass
class FunctionCache:
    """The specializations of one function: its code together with the values of its captured variables."""

    name: str
    info: TraceFindings = field(default_factory=TraceFindings)
    specializations: dict[tuple[Any, ...], Specialization] = field(default_factory=dict)
    last: tuple[Any, ...] = ()
    warned: bool = False


# The caches of functions that run under no strategy. A strategy has caches of its own, whose programs refer to it, and which
# are dropped with it. A cache: losing it costs time, never a result.
_caches: dict[tuple[Hashable, Any], FunctionCache] = {}

# Held while user code is traced: Keras objects change meanwhile, and threads with the same function share one trace.
tracing = threading.RLock()


def cache_of(key: tuple[Hashable, Any], name: str, caches: dict[Any, FunctionCache]) -> FunctionCache:
    """Returns the cache of a function key; drops caches whose objects were garbage-collected."""
    found = caches.get(key)
    if found is not None:
        return found
    with tracing:
        if (found := caches.get(key)) is not None:
            return found
        for dead in [k for k in caches if not alive(k)]:
            del caches[dead]
        code = code_of(key)
        alike = [k for k in caches if code is not None and code_of(k) is code]
        if len(alike) == _RETRACES_BEFORE_WARNING:
            logger.warning(_ADVICE, name, len(alike) + 1, changed_part(alike[-1], key))
        found = caches[key] = FunctionCache(name)
    return found


def caches_of(key: Hashable) -> list[FunctionCache]:
    """Returns the caches of a function key outside of strategies and under the present one."""
    strategy = current().strategy
    own: dict[Any, FunctionCache] = {} if strategy is None else strategy.function_caches
    return [cache for caches in (_caches, own) for found, cache in list(caches.items()) if found[0] == key]


def specialization_of(
    key: Hashable, name: str, args: Sequence[Any], kwargs: dict[str, Any]
) -> tuple[FunctionCache, Specialization, list[Any]]:
    """Returns the cache of a function, its specialization for these arguments, and the arguments' leaves."""
    context = current()
    caches: dict[Any, FunctionCache] = _caches if context.strategy is None else context.strategy.function_caches
    cache = cache_of((key, context.crossing), name, caches)
    leaves, structure = tree_flatten((args, kwargs))  # values of replicas are leaves: JAX knows nothing of them
    signature_key = (structure, *map(leaf_key, leaves))
    specialization = cache.specializations.get(signature_key)
    if specialization is None:
        with tracing:
            specialization = cache.specializations.get(signature_key) or _new_specialization(
                cache, signature_key, leaves
            )
    return cache, specialization, leaves


def _new_specialization(cache: FunctionCache, key: tuple[Any, ...], leaves: Sequence[Any]) -> Specialization:
    for dead in [k for k in cache.specializations if not alive(k)]:
        del cache.specializations[dead]
    known = cache.info
    # The findings of one specialization usually hold for the next, which may create nothing then. Not if it draws: iterators
    # are known by their position among the arguments, which may differ, and an element drawn too early would be lost.
    info = TraceFindings(list(known.variables), mesh=known.mesh, known=known.known and not known.sources)
    specialization = cache.specializations[key] = Specialization(info)
    if len(cache.specializations) > _RETRACES_BEFORE_WARNING and not cache.warned:
        cache.warned = True
        logger.warning(_ADVICE, cache.name, len(cache.specializations), _difference(cache.last, key))
    cache.last = key
    return specialization


def _difference(before: tuple[Any, ...], now: tuple[Any, ...]) -> str:
    if not before or before[0] != now[0]:
        return "the structure of the arguments changed"
    changed = [_changed(i, a, b) for i, (a, b) in enumerate(zip(before[1:], now[1:], strict=True)) if a != b]
    return "; ".join(changed)


def _changed(position: int, before: Any, now: Any) -> str:
    reads = [key.value for key in (before, now) if isinstance(key, IdentityKey)]
    if len(reads) == 2 and all(isinstance(each, ReadingsKey) for each in reads):
        return changed_part(reads[0].described, reads[1].described)
    return f"argument {position} changed from {before} to {now}"
