"""TensorShape and DType: TensorFlow's answers, the laws of a tuple, and a way through JAX and Keras as a tuple has it."""

import copy
import json
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import keras
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import stratagem as tf
from tests.core.values import shapes
from tests.core.values.shapes import answers
from tests.thorough import thorough_but

ANSWERS = dict(json.loads(Path(__file__).with_name("recorded").joinpath("shapes.json").read_text()))
SIZES = st.lists(st.none() | st.integers(0, 9), max_size=4)
SHAPES = st.none() | SIZES


def test_answers_are_those_of_tensorflow() -> None:
    given_here = json.loads(json.dumps(answers(tf)))
    assert {name: (answer, ANSWERS[name]) for name, answer in given_here.items() if answer != ANSWERS[name]} == {}
    assert given_here.keys() == ANSWERS.keys()


# --- A tuple's laws ---------------------------------------------------------------------------------------------------


@given(SIZES, SIZES)
def test_a_shape_is_the_tuple_of_its_sizes(first: list[Any], second: list[Any]) -> None:
    shape, other = tf.TensorShape(first), tf.TensorShape(second)
    assert isinstance(shape, tuple)
    assert shape == tuple(first) == shape
    assert shape == first
    assert hash(shape) == hash(tuple(first))
    assert {tuple(first): 1}[shape] == {shape: 1}[tuple(first)] == 1
    assert (shape == other, shape != other) == (first == second, first != second)
    assert bool(shape) == bool(first)
    assert (list(shape), len(shape), [*shape]) == (first, len(first), first)
    assert json.loads(json.dumps(shape)) == first
    for sum_ in (shape + other, shape + tuple(second), tuple(first) + other, shape + second, first + other):
        assert type(sum_) is tf.TensorShape
        assert sum_ == tuple(first + second)


@given(SIZES, st.slices(6))
def test_a_slice_is_a_shape(sizes: list[Any], part: slice) -> None:
    assert type(tf.TensorShape(sizes)[part]) is tf.TensorShape
    assert tf.TensorShape(sizes)[part] == sizes[part]


@given(SHAPES)
def test_a_shape_is_the_same_after_a_journey(sizes: list[Any] | None) -> None:
    shape = tf.TensorShape(sizes)
    leaves, structure = jax.tree.flatten(shape)
    (packed,) = keras.tree.pack_sequence_as([shape], keras.tree.flatten([shape]))
    journeys = [pickle.loads(pickle.dumps(shape)), copy.copy(shape), copy.deepcopy([shape])[0], tf.TensorShape(shape)]
    for back in (*journeys, jax.tree.unflatten(structure, leaves), packed, tf.nest.map_structure(lambda s: s, shape)):
        assert type(back) is tf.TensorShape
        assert back == shape
        assert (back.rank is None) == (sizes is None)


@given(SHAPES, SHAPES, SHAPES)
def test_merging_and_compatibility(first: Any, second: Any, third: Any) -> None:
    a, b, c = map(tf.TensorShape, (first, second, third))
    assert a.is_compatible_with(a)
    assert a.is_compatible_with(b) == b.is_compatible_with(a)
    common = a.most_specific_common_supertype([b])
    assert a.is_subtype_of(common)
    assert b.is_subtype_of(common)
    if a.is_compatible_with(b):
        assert a.merge_with(b) == b.merge_with(a)
        assert a.merge_with(b).is_subtype_of(a)
    else:
        with pytest.raises(ValueError, match="not compatible"):
            a.merge_with(b)
    assert (a.concatenate(b)).concatenate(c) == a.concatenate(b.concatenate(c))


def test_a_shape_of_unknown_rank_is_no_tuple_of_sizes() -> None:
    unknown = tf.TensorShape(None)
    assert unknown != ()
    assert unknown != tf.TensorShape([])
    assert not unknown
    with pytest.raises(ValueError, match="unknown rank"):
        tuple(unknown)


def test_a_list_is_extended_by_a_shape() -> None:
    sizes = same = [1]
    sizes += tf.TensorShape([2, 3])
    assert same is sizes
    assert sizes == [1, 2, 3]
    assert type([1] + tf.TensorShape([2, 3])) is tf.TensorShape  # noqa: RUF005


def test_arrays_add_a_shape_to_their_elements() -> None:
    shape = tf.TensorShape([2, 3])
    assert (shape + np.array([1, 1])).tolist() == (np.array([1, 1]) + shape).tolist() == [3, 4]


def test_what_is_no_size_can_be_added_as_a_tuple() -> None:
    x = jnp.zeros((2, 3, 4))
    assert jnp.reshape(x, x.shape[:1] + (-1,)).shape == (2, 12)  # noqa: RUF005


# --- Through JAX ------------------------------------------------------------------------------------------------------


X = np.arange(6, dtype=np.float32).reshape(2, 3)
PROGRAMS: dict[str, Callable[[Any], Any]] = {
    "jit": jax.jit(lambda x: x.reshape(x.shape[::-1]) * x.shape[0]),
    "a shape as a static argument": lambda x: jax.jit(jnp.reshape, static_argnums=1)(x, x.shape[::-1]),
    "a shape as an argument": lambda x: jax.jit(lambda x, s: x * s[0])(x, x.shape),
    "a shape as a result": lambda x: jnp.array(jax.jit(lambda x: x.shape)(x)),
    "grad": jax.grad(lambda x: (x**2).sum() / np.prod(x.shape)),
    "vmap": jax.vmap(lambda row: row.sum() * row.shape[0]),
    "vmap over arguments beside a shape": lambda x: jax.vmap(lambda r, s: r * s[1], in_axes=(0, None))(x, x.shape),
    "scan": lambda x: jax.lax.scan(lambda c, row: (c + row, row.reshape((*row.shape, 1))), jnp.zeros(x.shape[1:]), x),
    "scan with a shape in its carry": lambda x: jax.lax.scan(lambda c, r: (c, r * c[0]), x.shape, x)[1],
    "broadcast_to": lambda x: jnp.broadcast_to(x, (4, *x.shape)) + jnp.ones(x.shape),
    "full": lambda x: jax.lax.full(x.shape, 2.0) + jax.lax.broadcast_in_dim(x[0], x.shape, (1,)),
    "random": lambda x: jax.random.normal(jax.random.key(0), x.shape),
    "cond": lambda x: jax.lax.cond(x.sum() > 0, lambda: x.shape, lambda: x.shape[::-1])[0],
    "checkpoint": jax.grad(jax.checkpoint(lambda x: jnp.sin(x).sum() * x.shape[0])),
    "indices": lambda x: x[jnp.unravel_index(3, x.shape)] + x[: x.shape[0] - 1],
    "NumPy": lambda x: np.zeros(x.shape) + np.broadcast_to(np.float32(1), x.shape) + x,
    "eval_shape": lambda x: jnp.zeros(jax.eval_shape(lambda: jnp.ones(x.shape)).shape),
}


@pytest.mark.sampled
@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_of_jax_give_what_they_give_with_tuples(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    found = PROGRAMS[name](jnp.asarray(X))
    jax.clear_caches()
    for owner in (type(jnp.zeros(1)), jax.core.Tracer):
        monkeypatch.setattr(owner, "shape", property(lambda self: self.aval.shape))
    expected = PROGRAMS[name](jnp.asarray(X))
    jax.clear_caches()
    jax.tree.map(np.testing.assert_array_equal, found, expected)


def test_the_type_of_an_array_keeps_its_tuple() -> None:
    x = jnp.zeros((2, 3))
    assert type(x.aval.shape) is tuple
    assert type(jax.make_jaxpr(lambda x: jnp.zeros(x.shape))(x).out_avals[0].shape) is tuple
    assert "TensorShape" not in str(
        jax.make_jaxpr(lambda x: x.reshape(x.shape[::-1]) + jnp.zeros((3, *x.shape[:1])))(x)
    )


def test_shapes_cause_no_further_traces() -> None:
    traces = []

    @tf.function
    def step(x: Any, shape: Any) -> Any:
        traces.append(shape)
        return tf.reshape(x, shape)

    x = tf.zeros([2, 3])
    for _ in range(3):
        step(x, x.shape)
        step(tf.ones([2, 3]), tf.TensorShape([2, 3]))
    assert len(traces) <= 2


@pytest.mark.parametrize("decorate", [lambda fn: fn, tf.function])
def test_calling_a_compiled_step_asks_for_no_shape(decorate: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    strategy = tf.distribute.MirroredStrategy(["CPU:0"])
    with strategy.scope():
        model = keras.Sequential([keras.layers.Dense(2)])
        optimizer = keras.optimizers.SGD(0.1)

    def replica(x: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(model(x))
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
        return loss

    step = decorate(lambda x: strategy.run(replica, (x,)))
    x = tf.ones([4, 3])
    for _ in range(2):
        step(x)
    asked = []
    for owner in (type(x), jax.core.Tracer, type(model.weights[0])):
        monkeypatch.setattr(owner, "shape", property(lambda self: asked.append(self) or self.aval.shape))
    step(x)
    assert asked == []


@pytest.mark.parametrize("sizes", [None, [], [2], [2, None]])
def test_a_function_that_reads_a_shape_follows_it(sizes: Any) -> None:
    held = {"shape": tf.TensorShape([7, 7])}
    strategy = tf.distribute.MirroredStrategy(["CPU:0"])

    def step(x: Any) -> Any:
        return x + (10 if held["shape"].rank is None else len(held["shape"]))

    assert float(strategy.run(step, (tf.constant(1.0),))) == 3
    held["shape"] = tf.TensorShape(sizes)
    assert float(strategy.run(step, (tf.constant(1.0),))) == 1 + (10 if sizes is None else len(sizes))


# --- Through Keras ----------------------------------------------------------------------------------------------------


LAYERS: dict[str, tuple[Callable[[], Any], Any]] = {
    "Dense": (lambda: keras.layers.Dense(2), (4, 3)),
    "Conv2D": (lambda: keras.layers.Conv2D(2, 3), (2, 8, 8, 3)),
    "LSTM": (lambda: keras.layers.LSTM(3), (2, 5, 4)),
    "BatchNormalization": (lambda: keras.layers.BatchNormalization(), (4, 3)),
    "MultiHeadAttention": (lambda: keras.layers.MultiHeadAttention(2, 4), (2, 5, 6)),
    "Embedding": (lambda: keras.layers.Embedding(10, 4), (2, 5)),
}


# The others keep their shapes in the same ways.
@pytest.mark.parametrize("name", thorough_but(["Dense", "Conv2D", "Embedding"], LAYERS))
def test_layers_are_built_trained_and_saved(name: str, tmp_path: Path) -> None:
    make, sizes = LAYERS[name]
    inputs = keras.Input(sizes[1:])
    assert type(inputs.shape) is tf.TensorShape
    layer = make()
    hidden = layer(inputs, inputs) if name == "MultiHeadAttention" else layer(inputs)
    assert hidden.shape.as_list()[0] is None
    model = keras.Model(inputs, keras.layers.Dense(1)(keras.layers.Flatten()(hidden)))
    config = json.loads(json.dumps(layer.get_build_config()))
    assert config == json.loads(json.dumps(layer.get_build_config(), default=str))
    assert type(layer).from_config(layer.get_config()).count_params if layer.built else False
    x = (np.arange(np.prod(sizes)).reshape(sizes) % 7).astype("float32")
    model.compile("sgd", "mse")
    model.fit(x, np.ones((sizes[0], 1)), verbose=0)
    model.save(tmp_path / "model.keras")
    again = keras.saving.load_model(tmp_path / "model.keras")
    np.testing.assert_array_equal(again.predict(x, verbose=0), model.predict(x, verbose=0))
    assert all(type(weight.shape) is tf.TensorShape for weight in again.weights)


@keras.saving.register_keras_serializable("tests")
class Own(keras.layers.Layer):
    """A layer as programs of TensorFlow 2.15 write them, which keeps the shape it was built for."""

    def build(self, input_shape: Any) -> None:
        self.seen = input_shape
        self.kernel = self.add_weight(name="kernel", shape=tf.TensorShape(input_shape)[-1:].concatenate(2))

    def call(self, x: Any) -> Any:
        return x @ self.kernel

    def get_config(self) -> dict[str, Any]:
        return super().get_config() | ({"seen": self.seen} if self.built else {})

    def __init__(self, seen: Any = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.given = seen


@pytest.mark.parametrize("way", ["eager", "symbolic", "under tf.function"])
def test_build_gets_a_shape(way: str) -> None:
    layer = Own()
    x = keras.Input((3,)) if way == "symbolic" else tf.zeros([4, 3])
    (tf.function(layer) if way == "under tf.function" else layer)(x)
    assert type(layer.seen) is tf.TensorShape
    assert layer.seen.as_list() == [None if way == "symbolic" else 4, 3]


def test_a_layers_own_shapes_are_saved(tmp_path: Path) -> None:
    model = keras.Sequential([keras.Input((3,)), Own()])
    model.save(tmp_path / "model.keras")
    again = keras.saving.load_model(tmp_path / "model.keras")
    assert tuple(again.layers[0].given) == (None, 3)
    x = np.ones((2, 3), "float32")
    np.testing.assert_array_equal(again(x), model(x))


# --- In nests and datasets --------------------------------------------------------------------------------------------


def test_a_shape_is_one_leaf_of_a_nest_and_one_tensor_of_an_element() -> None:
    shape = tf.TensorShape([2, 3])
    assert tf.nest.flatten({"a": shape, "b": [1]}) == [shape, 1]
    assert not tf.nest.is_nested(shape)
    dataset = tf.data.Dataset.from_tensors(tf.zeros([2, 3])).map(lambda x: (x, x.shape))
    assert [size.numpy().tolist() for _, size in dataset] == [[2, 3]]


# --- Element types ----------------------------------------------------------------------------------------------------


def test_dtypes_are_taken_wherever_numpy_s_are() -> None:
    for name in shapes.DTYPES:
        dtype = tf.as_dtype(name)
        numpy = np.dtype(dtype)
        assert dtype == numpy == dtype
        assert {numpy: 1}[dtype] == {dtype: 1}[numpy] == 1
        assert pickle.loads(pickle.dumps(dtype)) is copy.deepcopy(dtype) is dtype
        if name != "string":
            assert keras.backend.standardize_dtype(dtype) == name
            assert np.zeros(2).astype(dtype).dtype == tf.zeros([2], dtype).dtype == dtype
    assert jnp.zeros(3, tf.float32).dtype == tf.float32
    layer = keras.layers.Dense(2, dtype=tf.bfloat16)
    assert layer(tf.zeros([1, 2])).dtype == tf.bfloat16
    assert keras.layers.Dense.from_config(layer.get_config()).compute_dtype == "bfloat16"


# --- Tensors ----------------------------------------------------------------------------------------------------------


def test_tensors_have_tensorflows_habits() -> None:
    x = tf.constant([[1.0, 2, 3], [4, 5, 6]])
    assert isinstance(x, tf.Tensor)
    assert [row.numpy().tolist() for row in x] == [[1, 2, 3], [4, 5, 6]]
    assert x[tf.newaxis, ..., 0].shape == [1, 2]
    assert tf.equal([1, 2], [1, 3]).numpy().tolist() == [True, False]
    assert int(tf.rank(x)) == x.shape.rank == len(x.shape) == 2
    assert (tf.shape(x)[0] * 2 + 1) == 5
    assert list(range(tf.shape(x)[1])) == [0, 1, 2]
    assert tf.zeros([tf.shape(x)[0], 1]).shape.as_list() == [2, 1]
    assert x.get_shape().as_list() == [2, 3]
    assert tf.TensorSpec([None, 3]).shape.as_list() == [None, 3]
    assert tf.ensure_shape(x, tf.TensorShape(None)) is not None
    x.set_shape(tf.TensorShape([None, 3]))
    with pytest.raises(ValueError, match="not compatible"):
        x.set_shape([None, 2])


@pytest.mark.parametrize(
    "make", [lambda: tf.constant([1.0]), lambda: tf.Variable([1.0]), lambda: keras.Variable([1.0])]
)
def test_references_count_by_identity(make: Callable[[], Any]) -> None:
    one, other = make(), make()
    assert one.ref() == one.ref() != other.ref()
    assert len({one.ref(), one.ref(), other.ref()}) == 2
    assert one.ref().deref() is one


def test_tensors_of_strings_have_them_too() -> None:
    text = tf.constant([["a", "b"]])
    assert text.shape.as_list() == text.get_shape().as_list() == [1, 2]
    assert text[0].shape.rank == 1
    assert tf.reshape(text, [2, 1]).shape == [2, 1]
    assert text.ref().deref() is text
    assert pickle.loads(pickle.dumps(text)).shape == (1, 2)


def test_a_shape_is_known_in_every_trace() -> None:
    found = []

    @tf.function
    def step(x: Any) -> Any:
        found.append((x.shape.as_list(), x.get_shape().rank, {x.ref(): 1}[x.ref()]))
        return tf.zeros([tf.shape(x)[0] * 2, x.shape[1]])

    assert step(tf.zeros([2, 3])).shape == (4, 3)
    assert set(map(str, found)) == {"([2, 3], 2, 1)"}
