"""Families: what is known of each function that was called, by its code and closure, and by kinds of arguments."""

import logging
import threading
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any

import jax

from stratagem._core.context import current
from stratagem._core.step._program import TraceInfo
from stratagem._core.step._signature import Fixed, Same, alive, changed_part, code_of, leaf_key
from stratagem._core.values import is_per_replica

logger = logging.getLogger("stratagem")

_RETRACES_BEFORE_WARNING = 5
_ADVICE = (
    "%s was traced %d times, last because %s. Pass numbers that change as tensors (tf.constant), keep shapes the same "
    "(drop_remainder=True), and create objects once."
)


@dataclass
class Specialization:
    """One signature of a function: what its traces found out, and its programs by the shapes of drawn elements."""

    knowledge: TraceInfo
    programs: dict[Hashable, Any] = field(default_factory=dict)
    host: str | None = None


@dataclass
class FunctionCache:
    """All signatures of one function (one code and closure)."""

    name: str
    knowledge: TraceInfo = field(default_factory=TraceInfo)
    signatures: dict[Hashable, Specialization] = field(default_factory=dict)
    last: tuple[Any, ...] = ()
    warned: bool = False


# Compiled programs by function, of what runs under no strategy: a strategy has its own, for they keep it, and go with it.
# A cache: losing it costs time, never a result.
_families: dict[Hashable, FunctionCache] = {}

# Held while user code is traced: what is the same for several threads is traced once, and Keras objects change meanwhile.
tracing = threading.RLock()


def cache_of(key: Hashable, name: str, families: dict[Hashable, FunctionCache]) -> FunctionCache:
    """The family of a function key; forgets families whose objects are gone."""
    found = families.get(key)
    if found is not None:
        return found
    with tracing:
        if (found := families.get(key)) is not None:
            return found
        for dead in [k for k in families if not alive(k)]:
            del families[dead]
        code = code_of(key)
        alike = [k for k in families if code is not None and code_of(k) is code]
        if len(alike) == _RETRACES_BEFORE_WARNING:
            logger.warning(_ADVICE, name, len(alike) + 1, changed_part(alike[-1], key))
        found = families[key] = FunctionCache(name)
    return found


def specialization_of(
    key: Hashable, name: str, args: Sequence[Any], kwargs: dict[str, Any]
) -> tuple[FunctionCache, Specialization, list[Any]]:
    """The family of a function and its signature for these arguments, and the arguments' leaves."""
    context = current()
    families = _families if context.strategy is None else context.strategy.families
    family = cache_of((key, context.crossing), name, families)
    leaves, structure = jax.tree.flatten((args, kwargs), is_leaf=is_per_replica)
    signature_key = (structure, *map(leaf_key, leaves))
    signature = family.signatures.get(signature_key)
    if signature is None:
        with tracing:
            signature = family.signatures.get(signature_key) or _new_signature(family, signature_key, leaves)
    return family, signature, leaves


def _new_signature(family: FunctionCache, key: tuple[Any, ...], leaves: Sequence[Any]) -> Specialization:
    for dead in [k for k in family.signatures if not alive(k)]:
        del family.signatures[dead]
    known = family.knowledge
    # What the first signature found usually holds for the next: then its first trace is saved. Not where it draws: iterators
    # are known by their place among the arguments, which may be another one, and what is drawn too early would be lost.
    explored = known.explored and not known.sources
    again = TraceInfo(list(known.variables), dict(known.connections), [], known.mesh, explored)
    signature = family.signatures[key] = Specialization(again)
    if len(family.signatures) > _RETRACES_BEFORE_WARNING and not family.warned:
        family.warned = True
        logger.warning(_ADVICE, family.name, len(family.signatures), _difference(family.last, key))
    family.last = key
    return signature


def _difference(before: tuple[Any, ...], now: tuple[Any, ...]) -> str:
    if not before or before[0] != now[0]:
        return "the structure of the arguments changed"
    changed = [_changed(i, a, b) for i, (a, b) in enumerate(zip(before[1:], now[1:], strict=True)) if a != b]
    return "; ".join(changed)


def _changed(position: int, before: Any, now: Any) -> str:
    reads = [key.value for key in (before, now) if isinstance(key, Same)]
    if len(reads) == 2 and all(isinstance(each, Fixed) for each in reads):
        return changed_part(reads[0].described, reads[1].described)
    return f"argument {position} changed from {before} to {now}"
