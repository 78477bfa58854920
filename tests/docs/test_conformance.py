"""`scripts/conformance.py` sees what differs from TensorFlow, and nothing else."""

import inspect
from typing import Any

import pytest

from scripts.conformance import Lacking, compared, method_parameters, only_raises, parameters

THEIRS = [
    ["x", "POSITIONAL_OR_KEYWORD", False],
    ["axis", "POSITIONAL_OR_KEYWORD", True],
    ["name", "KEYWORD_ONLY", True],
]


def found(function: Any) -> tuple[list[str], bool]:
    """The missing arguments, and whether one is at a different place."""
    lacking = Lacking()
    lacking.add_callable("f", THEIRS, parameters(function), {})
    return lacking.arguments.get("f", []), "f" in lacking.order


@pytest.mark.parametrize(
    ("function", "lacks", "moved"),
    [
        (lambda x, axis=None, *, name=None: 0, [], False),
        (lambda x, axis=None, name=None, more=None: 0, [], False),
        (lambda x, name=None: 0, ["axis"], False),
        (lambda axis, x, name=None: 0, [], True),
        (lambda x, *, axis=None, name=None: 0, [], True),
        (lambda x, **kwargs: 0, ["axis", "name"], False),
        (lambda *args, **kwargs: 0, ["x", "axis", "name"], False),
    ],
    ids=lambda value: str(inspect.signature(value)) if callable(value) else str(value),
)
def test_arguments_and_their_places_are_compared(function: Any, lacks: list[str], moved: bool) -> None:
    assert found(function) == (lacks, moved)


class _Kind:
    """A class with members of all kinds."""

    @property
    def refused(self) -> None:
        """Documented."""
        raise NotImplementedError("it is not there")

    def decides(self, x: int) -> int:
        if x:
            return x
        raise ValueError(x)


def given(layer: Any, x: int) -> None:
    """A function that a class is given as a method."""


def test_the_object_of_a_method_is_no_argument_whatever_it_is_called() -> None:
    kind = type("Kind", (_Kind,), {"given": given, "static": staticmethod(given)})
    names = {
        name: [each.name for each in method_parameters(kind, name) or ()] for name in ("given", "decides", "static")
    }
    assert names == {"given": ["x"], "decides": ["x"], "static": ["layer", "x"]}


def test_what_only_raises_is_missing() -> None:
    assert only_raises(_Kind.refused)
    assert not only_raises(_Kind.decides)
    assert not only_raises(3)


@pytest.mark.thorough  # of all names, 6 s
def test_names_that_are_there_are_found_and_others_are_not() -> None:
    areas = compared()
    assert {area: lacking.counts["names"] for area, lacking in areas.items()} == {
        "tf": 1768, "compat.v1": 2301, "keras": 1019,
    }  # fmt: skip
    assert not {"Variable", "add", "image.adjust_gamma", "data.Dataset"} & {*areas["tf"].names}
    assert {"raw_ops.Abs", "experimental.dtensor.Mesh"} & {*areas["tf"].names}
