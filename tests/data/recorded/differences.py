"""Where Stratagem gives something else than TensorFlow on purpose: what it gives, and why. None: it has no such fact."""

from typing import Any

_LATER = "the function runs for the first time when an element is asked for"
_NO_ELEMENT = "a function that makes datasets runs as Python: the spec is found out with an element, and there is none"
_OF_ONE = "what Python makes is known of one element"
_NEVER = "batches without rows would come for ever"
_ACCIDENT = "TensorFlow's error is an accident of its code"

_WINDOWS_IN_NO_BATCH = {"spec": {"error": "TypeError"}, "error": "TypeError"}
_REFUSED_LATER = {
    "refused": None,
    "cardinality": -2,
    "elements": [],
    "error": "TypeError",
    "spec": {"error": "TypeError"},
}
_REFUSED_AT_ONCE = {"spec": None, "cardinality": None, "elements": None}
_TWO_KEYS = [[2, ["0", "2"]], [2, ["1", "3"]], [1, ["4"]]]


def _number(value: int) -> dict[str, Any]:
    return {"dtype": "int64", "shape": [], "value": [str(value)]}


DIFFERENT: dict[str, tuple[dict[str, Any], str]] = {
    "slices of what is no tensor": ({"refused": "TypeError"}, "the type is wrong and not the value"),
    "a list of different kinds": ({"refused": "TypeError"}, _ACCIDENT),
    "a generator of strings for numbers": (
        {"elements": [{"dtype": "int64", "shape": [], "value": ["1"]}], "error": "InvalidArgumentError"},
        "a string is no number, even if it looks like one",
    ),
    "a generator that gives no iterable": ({"error": "TypeError"}, "the error of the user's code comes as it is"),
    "concatenate a list": ({"refused": "TypeError"}, _ACCIDENT),
    "take a negative number": ({"cardinality": 5}, "TensorFlow takes all elements and says that they are -3"),
    "skip all of what never ends": ({"cardinality": 0}, "TensorFlow says infinitely many and gives none"),
    "shard without a strategy": ({"cardinality": -2}, "TensorFlow says -7"),
    "enumerate from below": ({"cardinality": 2}, "TensorFlow says that there are -2**63"),
    "enumerate for ever": ({"cardinality": -1}, "TensorFlow says that there are 2**63 - 1"),
    "batch of windows": (_WINDOWS_IN_NO_BATCH, "datasets cannot be stacked; " + _ACCIDENT),
    "rebatch to a size of none among others": ({**_REFUSED_AT_ONCE, "refused": "InvalidArgumentError"}, _NEVER),
    "rebatch to none": ({**_REFUSED_AT_ONCE, "refused": "InvalidArgumentError"}, _NEVER),
    "rebatch what never ends": ({"cardinality": -1}, "it is known to be endless"),
    "rebatch to an empty list": ({"refused": "ValueError"}, _ACCIDENT),
    "map by what is no function": ({"refused": "TypeError"}, "the type is wrong and not the value"),
    "map to rows": ({"spec": {"spec": [0], "dtype": "int64"}}, _OF_ONE),
    "scan with another structure": (
        {**_REFUSED_AT_ONCE, "error": None, "refused": "TypeError"},
        "known at once, as of dtypes",
    ),
    "reduce with another structure": ({"refused": "TypeError"}, "the same error as for other dtypes"),
    "flat_map of flat_maps": ({"spec": {"error": "ValueError"}}, _NO_ELEMENT),
    "flat_map of nothing": ({"spec": {"error": "ValueError"}}, _NO_ELEMENT),
    "flat_map to a tensor": (_REFUSED_LATER, _LATER),
    "interleave to a tensor": (_REFUSED_LATER, _LATER),
    "group: a reduction to a tensor": (_REFUSED_LATER, _LATER),
    "group: a key that is int32": (
        {
            "refused": None,
            "cardinality": -2,
            "elements": [{"dtype": "int64", "shape": [n], "value": value} for n, value in _TWO_KEYS],
            "spec": {"spec": [None], "dtype": "int64"},
        },
        "every integer is a key",
    ),
    **{
        f"save: in {shards}": ({"cardinality": -2}, "what the reader_func makes need not have as many elements")
        for shards in ("two shards, one after the other", "shards with negative numbers", "shards with gaps")
    },
    "save: read by what gives no dataset": (
        {**_REFUSED_AT_ONCE, "error": None, "refused": "TypeError"},
        "known at once, and the type is wrong",
    ),
    "snapshot: by another pipeline": (
        {"result": [[{"dtype": "int64", "shape": [], "value": [str(n)]} for n in range(4)]] * 2},
        "as with `cache` and `save`, a folder is that of one pipeline: what functions compute has no name here",
    ),
    "reduce by key: a state that becomes a pair": (
        {**_REFUSED_AT_ONCE, "refused": "TypeError"},
        "the same error as for other dtypes",
    ),
    "reduce by key: a key that is int32": (
        {
            "refused": None,
            "cardinality": -2,
            "elements": [{"dict": [["k", _number(0)], ["n", _number(3)]]}],
            "spec": {"dict": [["k", {"spec": [], "dtype": "int64"}], ["n", {"spec": [], "dtype": "int64"}]]},
        },
        "every integer is a key",
    ),
    "reduce by key: a reducer that is none": ({"refused": "TypeError"}, _ACCIDENT),
    "at: of what has no known length": ({"result": _number(3)}, "elements are computed up to it"),
    "at: of what never ends": ({"result": _number(2)}, "elements are computed up to it"),
    "group: buckets to a shape": ({"spec": {"spec": [None, None], "dtype": "int32"}}, _OF_ONE),
    "group: buckets to a shape that is too small": ({"spec": {"spec": [None, None], "dtype": "int32"}}, _OF_ONE),
}
