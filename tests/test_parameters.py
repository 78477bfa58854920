"""Every function of `tf` and `tf.compat.v1` has TensorFlow's parameters, in their order, but for a few with a reason."""

import inspect
from collections.abc import Iterator
from typing import Any

from scripts import conformance, tensorflow_api

MORE = "takes arguments after TensorFlow's"
NAMED = "names what TensorFlow takes as **kwargs"
FLAGS = "is a function of absl, which this passes all arguments to"
NO_TYPES = "has no types of arguments, which TensorFlow ignores, too"
DIFFERENT = {
    **dict.fromkeys(("group", "meshgrid", "print", "compat.v1.group", "compat.v1.meshgrid", "compat.v1.print"), NAMED),
    **dict.fromkeys(
        ("numpy_function", "py_function", "compat.v1.numpy_function", "compat.v1.py_function"),
        f"{MORE}: result_shape, which compiled steps need",
    ),
    **dict.fromkeys(("compat.v1.bincount", "compat.v1.math.bincount"), f"{MORE}: name, axis, binary_output"),
    **{f"compat.v1.layers.{kind}_pooling{n}d": f"{MORE}: reuse" for kind in ("average", "max") for n in (1, 2, 3)},
    **{f"compat.v1.app.flags.DEFINE_{kind}": FLAGS for kind in ("bool", "boolean", "float", "integer", "string")},
    "compat.v1.app.flags.FLAGS": "is absl's object, and no function there",
    **dict.fromkeys(("compat.v1.autograph.to_code", "compat.v1.autograph.to_graph"), NO_TYPES),
    "compat.v1.test.compute_gradient": "is TensorFlow 2's: there are no graphs whose tensors it could name",
}


def compared() -> Iterator[tuple[str, list[str], Any]]:
    """Each function that is here, and each class of linear operators with its methods: TensorFlow's parameters, and ours."""
    for path, facts in tensorflow_api.counted().items():
        value = conformance.reached(path)
        if conformance.area_of(path) == "keras" or value is conformance.MISSING or conformance.only_raises(value):
            continue
        takes_arguments = callable(value) and not inspect.isclass(value) and conformance.parameters(value) is not None
        if facts["kind"] == "function" and facts.get("args") is not None and takes_arguments:
            yield path, without_self(facts["args"]), value
        elif path == "linalg.LinearOperator":
            yield from (
                (f"{path}.{name}", without_self(args), member)
                for name, args in facts["methods"].items()
                if inspect.isfunction(member := conformance.member(value, name))
            )
        elif path.startswith("linalg.LinearOperator"):
            yield path, without_self(facts["args"]), value


def without_self(arguments: list[list[Any]]) -> list[str]:
    return [name for name, *_ in arguments if name not in ("self", "cls")]


def test_every_function_has_tensorflows_parameters() -> None:
    found = {path: (theirs, value) for path, theirs, value in compared()}
    assert len(found) > 2_200
    ours = {path: [each.name for each in conformance.parameters(value) or ()] for path, (_, value) in found.items()}
    other = {path: f"takes {ours[path]}, not {theirs}" for path, (theirs, _) in found.items() if ours[path] != theirs}
    assert {path: text for path, text in other.items() if path not in DIFFERENT} == {}
    assert [path for path in DIFFERENT if path not in other] == [], "they are as TensorFlow's: take their reasons away"
