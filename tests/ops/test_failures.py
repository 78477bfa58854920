"""Errors are TensorFlow's: `tf.errors` has its names, and what goes wrong raises what user code catches there."""

import builtins
import json
import pickle
from pathlib import Path
from typing import Any

import pytest

import stratagem as tf
from stratagem._base import errors
from tests.ops.failures import FAILURES

RECORDED = json.loads((Path(__file__).parent / "tensorflow_failures.json").read_text())
# What is otherwise here, and why (docs/tensor_functions.md and docs/decisions.md say so, too).
SHAPES = "shapes and dtypes that do not fit raise a TypeError or ValueError, of JAX, in functions and outside"
OWN = "what the user's Python raises arrives as it was raised"
OTHERWISE = {
    "matmul_shapes": SHAPES,
    "matmul_shapes_fn": SHAPES,
    "add_shapes": SHAPES,
    "add_shapes_fn": SHAPES,
    "tf_add_shapes": SHAPES,
    "concat_bad": SHAPES,
    "stack_bad": SHAPES,
    "expand_bad": SHAPES,
    "reduce_axis": SHAPES,
    "py_function_error": OWN,
    "py_function_keyerror": OWN,
    "py_function_error_fn": OWN,
    "map_py_error": OWN,
    "map_np_value_error": OWN,
    "generator_error": OWN,
    "iterate_tensor_noauto": SHAPES,
}


@pytest.mark.parametrize("name", FAILURES)
def test_a_failure_is_an_error_of_tensorflows_type(name: str, tmp_path: Path) -> None:
    wanted = RECORDED["failures"][name]
    error = None
    try:
        FAILURES[name](tf, str(tmp_path))
    except Exception as found:
        error = found
    names = [base.__name__ for base in type(error).__mro__]
    if not wanted:
        assert error is None
    elif name in OTHERWISE:
        assert isinstance(error, TypeError | ValueError | KeyError)
        assert wanted not in names, "it is no longer otherwise"
    else:
        assert wanted in names, repr(error)


def test_the_namespace_has_what_tensorflows_has_and_every_class_of_this_library() -> None:
    assert len(RECORDED["errors"]) == 35
    own = {n for n, c in vars(errors).items() if isinstance(c, type) and issubclass(c, errors.StratagemError)}
    assert {n for n in dir(tf.errors) if not n.startswith("_")} == own | RECORDED["errors"].keys()
    for name, recorded in RECORDED["errors"].items():
        member = getattr(tf.errors, name)
        if isinstance(member, int):
            assert member == recorded
            continue
        bases, code = recorded
        assert set(bases) <= {base.__name__ for base in member.__mro__}, name
        assert code is None or member("text").error_code == code
        assert any(vars(builtins).get(base.__name__) is base for base in member.__mro__[1:])


def classes() -> list[Any]:
    return [c for c in vars(errors).values() if isinstance(c, type) and issubclass(c, errors.OpError)]


WITH_FACTS = (errors.PeerFailedError, errors.NonFiniteError, errors.TaskLostError)


@pytest.mark.parametrize("kind", [c for c in classes() if not issubclass(c, WITH_FACTS)])
def test_errors_are_made_as_in_tensorflow_and_travel(kind: Any) -> None:
    given: tuple[Any, ...] = (9,) if kind is errors.OpError else ()
    error = pickle.loads(pickle.dumps(kind("node", "operation", "the text", *given, {b"a": b"b"})))
    assert (str(error), error.message, error.node_def, error.op) == ("the text", "the text", "node", "operation")
    assert error.experimental_payloads == {b"a": b"b"}
    assert error.error_code == (given[0] if given else kind.error_code)
    ours = pickle.loads(pickle.dumps(kind("the text")))
    assert (str(ours), ours.node_def, ours.op, ours.experimental_payloads) == ("the text", None, None, {})


def test_an_error_of_values_that_are_not_finite_travels() -> None:
    copy = pickle.loads(pickle.dumps(errors.NonFiniteError("text", step=2, variables=("kernel",))))
    assert (str(copy), copy.step, copy.variables) == ("text", 2, ("kernel",))
    assert isinstance(copy, tf.errors.InvalidArgumentError | FloatingPointError)


def test_errors_of_lost_tasks_travel() -> None:
    for kind in (errors.TaskLostError, errors.TaskSilentError):
        error = kind("ps:1", "it was killed")
        copy = pickle.loads(pickle.dumps(error))
        assert (type(copy), str(copy), copy.task, copy.why) == (kind, str(error), "ps:1", "it was killed")


def test_errors_of_peers_travel() -> None:
    error = errors.PeerStuckError("text", task="worker:1", step=2, phase="input", waited=3.0)
    copy = pickle.loads(pickle.dumps(error))
    assert (str(copy), copy.task, copy.step, copy.phase, copy.waited) == ("text", "worker:1", 2, "input", 3.0)
    assert copy.error_code == tf.errors.UNAVAILABLE
