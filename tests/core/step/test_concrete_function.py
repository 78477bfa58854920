"""What a compiled function says of itself: signatures, results, programs, and calls for one kind of arguments."""

from typing import Any

import numpy as np
import pytest

import stratagem as tf


def scaled(x: Any, n: int = 2, *, flag: bool = True) -> Any:
    return {"y": x * n, "s": (tf.reduce_sum(x), n if flag else None)}


UNKNOWN = tf.TensorSpec([None, 3], tf.float32)


def test_it_has_the_specs_of_its_arguments_with_names_and_all_defaults() -> None:
    concrete = tf.function(scaled).get_concrete_function(UNKNOWN, n=4)
    assert concrete.structured_input_signature == (
        (tf.TensorSpec([None, 3], tf.float32, "x"), 4),
        {"flag": True},
    )
    assert concrete.inputs == [tf.TensorSpec([None, 3], tf.float32, "x")]
    known = tf.function(scaled).get_concrete_function(tf.ones([2, 3]))
    assert known.structured_input_signature[0] == (tf.TensorSpec([2, 3], tf.float32, "x"), 2)


def test_sizes_of_results_that_follow_unknown_sizes_are_unknown() -> None:
    concrete = tf.function(scaled).get_concrete_function(UNKNOWN, n=4)
    assert concrete.structured_outputs == {
        "y": tf.TensorSpec([None, 3], tf.float32),
        "s": (tf.TensorSpec([], tf.float32), 4),
    }
    assert concrete.outputs == [tf.TensorSpec([], tf.float32), tf.TensorSpec([None, 3], tf.float32)]


@pytest.mark.parametrize(
    "arguments", [((np.ones([1, 3], np.float32),), {}), (([[1.0, 1.0, 1.0]],), {}), ((), {"x": tf.ones([1, 3])})]
)
def test_it_is_called_without_what_is_fixed(arguments: Any) -> None:
    concrete = tf.function(scaled).get_concrete_function(UNKNOWN, n=4)
    args, kwargs = arguments
    assert np.asarray(concrete(*args, **kwargs)["y"]).tolist() == [[4, 4, 4]]
    assert np.asarray(concrete(*args, **kwargs, n=4)["y"]).tolist() == [[4, 4, 4]]


def test_its_tensors_can_be_given_in_order() -> None:
    concrete = tf.function(lambda n, x, d: x * n + d["a"]).get_concrete_function(
        3, tf.TensorSpec([], tf.float32), {"a": tf.TensorSpec([], tf.float32)}
    )
    assert float(concrete(tf.constant(2.0), tf.constant(1.0))) == 7
    assert float(concrete(3, tf.constant(2.0), {"a": tf.constant(1.0)})) == 7


@pytest.mark.parametrize(
    ("args", "kwargs", "text"),
    [
        ((), {}, "scaled: the argument 'x' is missing"),
        ((tf.ones([2, 4]),), {}, r"asks for float32 \(None, 3\), got float32 \(2, 4\)"),
        ((tf.ones([2, 3], tf.int32),), {}, r"asks for float32 \(None, 3\), got int32 \(2, 3\)"),
        ((tf.ones([2, 3]),), {"n": 5}, "2 is a part of this program, got 5"),
        ((tf.ones([2, 3]),), {"z": 1}, "unexpected keyword argument 'z'"),
    ],
)
def test_what_does_not_fit_is_refused(args: Any, kwargs: Any, text: str) -> None:
    concrete = tf.function(scaled).get_concrete_function(UNKNOWN)
    with pytest.raises(TypeError, match=text):
        concrete(*args, **kwargs)


def test_it_compiles_once_and_runs_nothing() -> None:
    traces: list[None] = []
    counter = tf.Variable(0)

    @tf.function
    def step(x: Any) -> Any:
        traces.append(None)
        counter.assign_add(1)
        return x * tf.cast(counter, tf.float32)

    concrete = step.get_concrete_function(tf.TensorSpec([2], tf.float32))
    before = len(traces)
    assert (int(counter), step.experimental_get_tracing_count()) == (0, 1)
    assert np.asarray(concrete(tf.ones([2]))).tolist() == [1, 1]
    assert np.asarray(step(tf.ones([2]))).tolist() == [2, 2]
    assert (len(traces), step.experimental_get_tracing_count()) == (before, 1)
    assert concrete.variables == (counter,)
    assert concrete.trainable_variables == (counter,)


def test_programs_are_counted_for_each_instance_of_a_class() -> None:
    class Model:
        @tf.function
        def same(self, x: Any) -> Any:
            return x

    one, other = Model(), Model()
    concrete = one.same.get_concrete_function(tf.TensorSpec([], tf.int32))
    assert concrete.structured_input_signature == ((tf.TensorSpec([], tf.int32, "x"),), {})
    one.same(tf.constant(1.0))
    counts = [m.same.experimental_get_tracing_count() for m in (one, other)]
    assert counts == [2, 0]


def test_a_function_that_runs_in_python_has_no_results_before_a_call() -> None:
    @tf.function(autograph=False)
    def decides(x: Any) -> Any:
        return x if x > 0 else -x

    concrete = decides.get_concrete_function(tf.TensorSpec([], tf.float32))
    assert float(concrete(tf.constant(-2.0))) == 2
    assert decides.experimental_get_tracing_count() == 1
    with pytest.raises(RuntimeError, match=r"The results of .*decides are not known before a call"):
        _ = concrete.structured_outputs


def test_signatures_are_shown_line_by_line() -> None:
    function = tf.function(scaled)
    assert tf.function(lambda: 1).pretty_printed_concrete_signatures() == ""
    function(tf.ones([2, 3]))
    concrete = function.get_concrete_function(UNKNOWN, n=4)
    line = "  x (POSITIONAL_OR_KEYWORD): TensorSpec(shape=(2, 3), dtype=tf.float32, name=None)"
    assert line in function.pretty_printed_concrete_signatures().splitlines()
    assert concrete.pretty_printed_signature().splitlines()[:4] == [
        "Input Parameters:",
        "  x (POSITIONAL_OR_KEYWORD): TensorSpec(shape=(None, 3), dtype=tf.float32, name='x')",
        "  n (POSITIONAL_OR_KEYWORD): 4",
        "  flag (KEYWORD_ONLY): True",
    ]
    assert "scaled" in repr(concrete)


def test_the_graph_of_tensorflow_is_refused_with_what_there_is_instead() -> None:
    concrete = tf.function(scaled).get_concrete_function(UNKNOWN)
    with pytest.raises(NotImplementedError, match="structured_input_signature"):
        _ = concrete.graph


# --- input_signature --------------------------------------------------------------------------------------------------


@tf.function(input_signature=[tf.TensorSpec([None], tf.float32), tf.TensorSpec([], tf.float32)])
def weighted(x: Any, y: Any = 3.0) -> Any:
    return tf.reduce_sum(x) * y


def test_an_input_signature_takes_keywords_and_defaults() -> None:
    assert float(weighted(x=[1.0, 2.0], y=4.0)) == 12
    assert float(weighted([1.0, 2.0])) == 9
    assert weighted.experimental_get_tracing_count() == 1, "a default is a tensor as well"


def test_an_input_signature_is_that_of_the_concrete_function() -> None:
    assert weighted.get_concrete_function().structured_input_signature == (
        (tf.TensorSpec([None], tf.float32, "x"), tf.TensorSpec([], tf.float32, "y")),
        {},
    )
    assert weighted.input_signature == (tf.TensorSpec([None], tf.float32), tf.TensorSpec([], tf.float32))
    with pytest.raises(TypeError, match=r"asks for float32 \(None,\), got float32 \(2, 2\)"):
        weighted.get_concrete_function(tf.TensorSpec([2, 2], tf.float32))


def test_an_input_signature_may_be_nested() -> None:
    nested = tf.function(lambda d: d["a"] * 2, input_signature=[{"a": tf.TensorSpec([], tf.float32)}])
    assert float(nested({"a": 1.0})) == 2
    for wrong in ({"b": 1.0}, [1.0]):
        with pytest.raises(TypeError, match="asks for the structure"):
            nested(wrong)


@pytest.mark.parametrize(
    ("signature", "text"),
    [
        ([tf.float32], "must be a structure of tf.TensorSpec objects"),
        ([UNKNOWN] * 2, "has 2 entries, the function takes 1"),
    ],
)
def test_a_wrong_input_signature_is_refused_at_once(signature: Any, text: str) -> None:
    with pytest.raises(TypeError, match=text):
        tf.function(lambda x: x, input_signature=signature)


# --- Where functions stand ---------------------------------------------------------------------------------------------


def test_a_compiled_function_may_be_a_property() -> None:
    class Doubled:
        def __init__(self) -> None:
            self.v = tf.Variable(2.0)

        @property
        @tf.function
        def value(self) -> Any:
            return self.v * 2

    assert float(Doubled().value) == 4


def test_a_compiled_function_may_call_itself() -> None:
    @tf.function
    def factorial(n: Any) -> Any:
        return 1 if n <= 1 else n * factorial(n - 1)

    assert int(factorial(5)) == 120
    assert int(factorial(tf.constant(5))) == 120
