"""Arrays that a loop writes for a later one, which can compute them from others that it reads.

For its gradient a recurrent layer keeps of every gate both `y` and `1 - y`, or `y * (1 - y)`, of all steps: what each
derivative multiplies by. One of them costs a step an instruction; an array is cleared, written and read.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from jax.extend import core as xc

from stratagem._core.rewrites._chains import CHEAP
from stratagem._core.rewrites._scan import Scan
from stratagem._private import is_literal, needed_equations

_MOST_EQUATIONS = 4  # for one value


def without_derived_arrays(jaxpr: xc.Jaxpr) -> xc.Jaxpr:
    """Returns a program whose loops (`scan`) keep no array that only a later one reads and can compute from the others.

    The same object if there are none. Programs inside of it stay as they are.
    """
    eqns = list(jaxpr.eqns)
    loops = [i for i, eqn in enumerate(eqns) if eqn.primitive.name == "scan"]
    if len(loops) < 2:
        return jaxpr
    makers = {v: i for i in loops for v in Scan(eqns[i]).arrays}
    atoms = (atom for atoms in (jaxpr.outvars, *(eqn.invars for eqn in eqns)) for atom in atoms)
    uses = Counter(atom for atom in atoms if not is_literal(atom))
    for i in loops:
        later = Scan(eqns[i])
        read = [later.outside[v] for v in later.slices]
        for maker in dict.fromkeys(makers[v] for v in read if not is_literal(v) and v in makers):
            eqns[maker], eqns[i] = _without_derived(Scan(eqns[maker]), Scan(eqns[i]), uses)
    changed = any(new is not old for new, old in zip(eqns, jaxpr.eqns, strict=True))
    return jaxpr.replace(eqns=eqns) if changed else jaxpr


def _without_derived(first: Scan, later: Scan, uses: Mapping[Any, int]) -> tuple[Any, Any]:
    """Returns two loops, of which the later one computes what it can of what the first one kept for it."""
    made = {a: v for a, v in zip(first.arrays, first.results, strict=True) if not is_literal(v)}
    # By variables of the first loop those of the later one that have their values.
    read = {v: later.outside[v] for v in later.slices if not is_literal(later.outside[v])}
    known = {made[a]: v for v, a in read.items() if a in made}
    times = Counter(made.values())
    for_it_alone = {v for a, v in made.items() if uses[a] == times[v] == 1}
    derived: list[Any] = []
    new: list[Any] = []
    for v in [v for eqn in first.body.eqns for v in eqn.outvars if v in known and v in for_it_alone]:
        chain = _chain(v, first.body.eqns, known)
        if chain is None or len(chain) > _MOST_EQUATIONS:
            continue
        names = {**known, **{out: xc.Var(out.aval) for eqn in chain[:-1] for out in eqn.outvars}}
        new.extend(_renamed(eqn, names) for eqn in chain)
        derived.append(v)
    if not derived:
        return first.loop, later.loop
    left = [i for i, v in enumerate(first.results) if is_literal(v) or v not in derived]
    return first.giving(range(len(first.carries)), left, {}), later.computing(new)


def _chain(v: Any, equations: Sequence[Any], known: Mapping[Any, Any]) -> list[Any] | None:
    """Returns the equations that compute a value from known ones, in order; None if one is not cheap, or reads another."""
    chain = needed_equations(
        [eqn for eqn in equations if v in eqn.outvars or known.keys().isdisjoint(eqn.outvars)], [v]
    )
    ready = {*known, *(out for eqn in chain for out in eqn.outvars)}
    cheap = all(eqn.primitive.name in CHEAP for eqn in chain)
    return chain if cheap and all(is_literal(x) or x in ready for eqn in chain for x in eqn.invars) else None


def _renamed(eqn: Any, names: Mapping[Any, Any]) -> Any:
    operands = [v if is_literal(v) else names[v] for v in eqn.invars]
    return eqn.replace(invars=operands, outvars=[names[v] for v in eqn.outvars])
