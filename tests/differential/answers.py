"""Whether two answers to a program are the same, up to the rounding of their dtypes."""

import math

from tests.differential.running import Answer

# Relative to the larger number, and absolute, as numbers around 1 may have cancelled: some roundings of the dtype, since
# XLA fuses and adds in another order.
_TOLERANCES = {"float16": 4e-3, "bfloat16": 3e-2, "float32": 1e-6, "float64": 1e-12, "complex64": 1e-6}
_ABSOLUTE = {"float16": 4e-3, "bfloat16": 3e-2, "float32": 4e-6, "float64": 1e-12, "complex64": 1e-6}


def difference(found: Answer, wanted: Answer) -> str | None:
    """In words where the two first differ; None if they do not."""
    for place, (one, other) in enumerate(zip(found["shown"], wanted["shown"], strict=False)):
        for leaf in range(max(len(one), len(other))):
            pair = [leaves[leaf] if leaf < len(leaves) else "nothing" for leaves in (one, other)]
            if not _same_leaf(*pair):
                return f"show {place}: {pair[0]}, TensorFlow: {pair[1]}"
    return _ended_otherwise(found, wanted)


def _ended_otherwise(found: Answer, wanted: Answer) -> str | None:
    shows = len(found["shown"]), len(wanted["shown"])
    of_one, of_other = (one.get("error", []) for one in (found, wanted))
    caught = [kind for kind in of_other[:1] if "OpError" in of_other]  # programs catch these by their names
    if shows == (shows[0], shows[0]) and bool(of_one) == bool(of_other) and set(caught) <= set(of_one):
        return None
    ends = [
        f"{one['error'][0]}: {one.get('message', '')[:300]}" if "error" in one else "no error"
        for one in (found, wanted)
    ]
    return f"after {shows[0]} shows: {ends[0]}, TensorFlow after {shows[1]}: {ends[1]}"


def _same_leaf(one: str, other: str) -> bool:
    if one == other:
        return True
    found, wanted = one.split(" "), other.split(" ")
    if found[:2] != wanted[:2] or len(found) != len(wanted) or len(found) < 2:
        return False
    dtype = found[1].partition("[")[0]
    if dtype not in _TOLERANCES:
        return False
    return all(_near(complex(a), complex(b), dtype) for a, b in zip(found[2:], wanted[2:], strict=True))


def _near(a: complex, b: complex, dtype: str) -> bool:
    """Whether two numbers are the same but for rounding; infinities and NaN count as equal to themselves."""
    return all(_near_real(x, y, dtype) for x, y in ((a.real, b.real), (a.imag, b.imag)))


def _near_real(a: float, b: float, dtype: str) -> bool:
    if math.isnan(a) or math.isnan(b) or math.isinf(a) or math.isinf(b):
        return a == b or (math.isnan(a) and math.isnan(b))
    return abs(a - b) <= max(_TOLERANCES[dtype] * max(abs(a), abs(b)), _ABSOLUTE[dtype])
