"""Regular expressions of `tf.strings`."""

from typing import Any

import numpy as np

from tests.ops.drawn.draws import Draw, Function

TEXTS = (b"", b"a", b"aab b", b"ab\nAB 12,3", "é€b".encode(), b"\xffa\xe2\x82", b"<p>x</p><p></p>", b"a\x00b\\c")
REPLACED = (
    ("a", "-"), ("", "|"), ("a*", "<\\0>"), (r"(\w)(\w)?", r"\2\1"), (r"<[^>]*>", ""), (r"\s+$|^", "."),
    (r"(?i)[ab]b", r"\\\0"), (b"\xc3\xa9|.", "?"), ("(?s).", "x"), (r"\pL+", "L"), (r"\C", "b"), ("(a", "x"),
    (r"(a)\1", "x"), ("a", r"y\1"), ("a", r"y\qz"), ("a", "y\\"), ("(b)", r"\1\q\1"), ("b", r"\q\1"), (["a", "b"], "x"),
    ("a", ["x"]), (r"\b", "#"), (b"\xff", "x"), ("x*$", "é"),
)  # fmt: skip
MATCHED = ("a", "", "a*b? ?b", r"(?s).*", r"[\w\s,]*", "(", "é.b", r"\x{e9}\PZ+", ["a"], "^a$", ".*c", r"(?m)^ab$")


def _texts(draw: Draw) -> np.ndarray:
    found = np.empty(len(TEXTS), object)
    found[:] = TEXTS
    return found.reshape(2, -1) if draw.number % 2 else found


def _replace(draw: Draw) -> Any:
    options = {"replace_global": False} if draw.flag() else {}
    return [_texts(draw), *REPLACED[draw.number]], options


FUNCTIONS = [
    Function("strings.regex_replace", _replace, count=len(REPLACED), quick=range(len(REPLACED))),
    Function(
        "strings.regex_full_match",
        lambda draw: ([_texts(draw), MATCHED[draw.number]], {}),
        count=len(MATCHED),
        quick=range(len(MATCHED)),
    ),
]
