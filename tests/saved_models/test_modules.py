"""A `tf.Module` that was saved with its functions is loaded without its class: attributes, calls, gradients, assignments."""

import collections
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stratagem as tf

Pair = collections.namedtuple("Pair", ["first", "second"])


class Scale(tf.Module):
    """Counts its calls."""

    def __init__(self) -> None:
        super().__init__()
        self.factor = tf.Variable([2.0, 3.0], name="factor")
        self.calls = tf.Variable(0, trainable=False)
        self.parts = [tf.Variable(5.0), {"inner": (tf.Variable(7.0),)}]

    @tf.function(input_signature=[tf.TensorSpec([None, 2], tf.float32)])
    def __call__(self, x: Any) -> Any:
        self.calls.assign_add(1)
        return x * self.factor

    @tf.function
    def shifted(self, x: Any, by: int = 1, *, twice: bool = False) -> Any:
        result = x + by * self.parts[0]
        return {"result": result * 2 if twice else result, "pair": Pair(x, (None, "text", 3, -0.0))}


@pytest.fixture
def scale() -> Scale:
    return Scale()


def saved(tmp_path: Path, module: Any, **options: Any) -> Any:
    path = str(tmp_path / "model")
    tf.saved_model.save(module, path, **options)
    assert tf.saved_model.contains_saved_model(path)
    return tf.saved_model.load(path)


def test_attributes_are_those_that_were_saved(scale: Scale, tmp_path: Path) -> None:
    loaded = saved(tmp_path, scale)
    assert loaded.factor.numpy().tolist() == [2, 3]
    assert loaded.factor.name == scale.factor.name
    assert loaded.parts[1]["inner"][0].numpy() == 7
    assert [v.trainable for v in (loaded.factor, loaded.calls)] == [True, False]
    assert len(loaded.variables) == 4
    assert len(loaded.trainable_variables) == 3
    assert loaded.calls.dtype == tf.int32


def test_a_call_computes_and_assigns_for_any_batch(scale: Scale, tmp_path: Path) -> None:
    scale(tf.ones([1, 2]))
    loaded = saved(tmp_path, scale)
    for rows in (1, 2, 5):
        assert loaded(np.ones([rows, 2], "float32")).numpy().tolist() == [[2, 3]] * rows
    assert (int(loaded.calls), int(scale.calls)) == (4, 1)
    loaded.factor.assign([10.0, 20.0])
    assert loaded([[1.0, 1.0]]).numpy().tolist() == [[10, 20]], "a list is a tensor where the signature asks for one"


def test_a_function_has_the_calls_that_it_was_saved_with(scale: Scale, tmp_path: Path) -> None:
    scale.shifted(tf.ones([2]))
    scale.shifted(tf.ones([3]), by=2)
    scale.shifted(tf.ones([3]), twice=True)
    loaded = saved(tmp_path, scale)
    for args, options in (([2], {}), ([3], {"by": 2}), ([3], {"twice": True})):
        found, wanted = loaded.shifted(tf.ones(args), **options), scale.shifted(tf.ones(args), **options)
        assert found["result"].numpy().tolist() == wanted["result"].numpy().tolist()
        assert found["pair"]._fields == ("first", "second")
        assert found["pair"].second == (None, "text", 3, 0.0)
    with pytest.raises(ValueError, match="shifted was saved for other arguments than") as raised:
        loaded.shifted(tf.ones([4]))
    assert "(3,)" in str(raised.value)
    assert "(4,)" in str(raised.value)
    with pytest.raises(TypeError, match="unexpected keyword argument 'times'"):
        loaded.shifted(tf.ones([3]), times=3)


def test_a_function_that_was_never_called_says_so(scale: Scale, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="saved before it was ever called"):
        saved(tmp_path, scale).shifted(tf.ones([2]))


def test_the_only_function_with_a_signature_is_the_default_one(scale: Scale, tmp_path: Path) -> None:
    served = saved(tmp_path, scale).signatures["serving_default"]
    assert served(x=tf.ones([1, 2]))["output_0"].numpy().tolist() == [[2, 3]]
    assert served(tf.ones([1, 2]))["output_0"].numpy().tolist() == [[2, 3]]
    assert served.structured_input_signature == ((), {"x": tf.TensorSpec([None, 2], tf.float32, "x")})
    assert served.structured_outputs == {"output_0": tf.TensorSpec([None, 2], tf.float32)}
    assert sorted(v.name for v in served.variables) == sorted(v.name for v in (scale.factor, scale.calls))


def test_programs_are_for_every_platform_and_have_gradients(scale: Scale, tmp_path: Path) -> None:
    saved(tmp_path, scale)
    (file,) = (tmp_path / "model").glob("*/saved_model.json")
    functions = [each["facts"] for each in json.loads(file.read_text())["objects"] if each["kind"] == "function"]
    programs = [program for function in functions for program in function["programs"]]
    assert [(p["platforms"], p["differentiable"]) for p in programs] == [(["cpu", "cuda", "tpu"], True)] * 2


def test_programs_do_not_tell_where_their_code_is(scale: Scale, tmp_path: Path) -> None:
    scale.shifted(tf.ones([2]))
    saved(tmp_path, scale)
    codes = [file.read_bytes() for file in (tmp_path / "model").glob("*/functions/*")]
    assert len(codes) == 3
    for path in (__file__, "site-packages", tf.__file__):
        assert not any(path.encode() in code for code in codes)


def test_signatures_may_be_chosen(scale: Scale, tmp_path: Path) -> None:
    concrete = scale.shifted.get_concrete_function(tf.TensorSpec([None], tf.float32, name="values"), by=4)
    halved = tf.function(lambda x: [x / 2, x], input_signature=[tf.TensorSpec([3], tf.float64)])
    scale.concrete = concrete
    loaded = saved(tmp_path, scale, signatures={"half": halved})
    assert list(loaded.signatures) == ["half"]
    found = loaded.signatures["half"](tf.ones([3], tf.float64))
    assert [found[name].numpy().tolist() for name in ("output_0", "output_1")] == [[0.5] * 3, [1.0] * 3]
    assert found["output_0"].dtype == np.float64
    assert loaded.concrete(tf.ones([6]), by=4)["result"].numpy().tolist() == [21.0] * 6


@pytest.mark.parametrize("signature", [lambda x: x, tf.function(lambda x: x), {"a": 3}])
def test_what_is_no_signature_is_refused(signature: Any, scale: Scale, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"Only a tf\.function with an input signature"):
        tf.saved_model.save(scale, tmp_path / "model", signatures=signature)
    assert not (tmp_path / "model").exists()


def test_gradients_pass_through_a_loaded_function(scale: Scale, tmp_path: Path) -> None:
    loaded, x = saved(tmp_path, scale), tf.constant([[1.0, 2.0], [3.0, 4.0]])

    def gradients(module: Any) -> list[Any]:
        with tf.GradientTape() as tape:
            tape.watch(x)
            loss = tf.reduce_sum(module(x) ** 2)
        return list(tape.gradient(loss, [x, module.factor]))

    expected = [np.asarray(g).tolist() for g in gradients(scale)]
    for found in (gradients(loaded), tf.function(lambda: gradients(loaded))()):
        assert [np.asarray(g).tolist() for g in found] == expected


def test_a_step_that_trains_is_a_function_like_any_other(tmp_path: Path) -> None:
    class Trained(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            self.weights = tf.Variable([1.0, 2.0])
            self.optimizer = tf.keras.optimizers.Adam(0.1)
            self.optimizer.build([self.weights])

        @tf.function(input_signature=[tf.TensorSpec([None, 2]), tf.TensorSpec([None])])
        def train(self, x: Any, y: Any) -> Any:
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((tf.linalg.matvec(x, self.weights) - y) ** 2)
            self.optimizer.apply_gradients([(tape.gradient(loss, self.weights), self.weights)])
            return loss

    module = Trained()
    loaded = saved(tmp_path, module)
    x, y = np.eye(2, dtype="float32"), np.zeros(2, "float32")
    losses = [(float(module.train(x, y)), float(loaded.train(x, y))) for _ in range(4)]
    assert all(mine == theirs for mine, theirs in losses)
    assert losses[0] > losses[-1]


def test_what_was_loaded_is_saved_again(scale: Scale, tmp_path: Path) -> None:
    scale.shifted(tf.ones([2]), by=3)
    once = saved(tmp_path / "first", scale)
    once.factor.assign([4.0, 4.0])
    once.added = tf.Variable(1.0)
    again = saved(tmp_path / "second", once)
    assert again(tf.ones([1, 2])).numpy().tolist() == [[4, 4]]
    assert again.added.numpy() == 1
    assert again.shifted(tf.ones([2]), by=3)["result"].numpy().tolist() == [16, 16]


def test_its_checkpoint_is_one_of_the_module(scale: Scale, tmp_path: Path) -> None:
    scale.factor.assign([8.0, 9.0])
    saved(tmp_path, scale)
    other = Scale()
    tf.train.Checkpoint(other).restore(str(tmp_path / "model")).assert_existing_objects_matched()
    assert other.factor.numpy().tolist() == [8, 9]


def test_variables_from_elsewhere_are_saved_with_the_function(tmp_path: Path) -> None:
    outside, module = tf.Variable(4.0), tf.Module()
    module.function = tf.function(lambda x: x * outside, input_signature=[tf.TensorSpec([], tf.float32)])
    loaded = saved(tmp_path, module)
    outside.assign(0.0)
    assert float(loaded.function(2.0)) == 8
    assert [v.numpy() for v in loaded.function.variables] == [4.0]


def test_random_numbers_go_on_from_the_saved_state(tmp_path: Path) -> None:
    module = tf.Module()
    module.generator = tf.random.Generator.from_seed(7)
    module.draw = tf.function(lambda: module.generator.normal([3]), input_signature=[])
    module.draw()
    loaded = saved(tmp_path, module)
    drawn = [loaded.draw().numpy().tolist() for _ in range(2)]
    assert drawn == [module.draw().numpy().tolist() for _ in range(2)]
    assert drawn[0] != drawn[1]


def test_files_are_copied_with_the_object(tmp_path: Path) -> None:
    vocabulary, module = tmp_path / "words.txt", tf.Module()
    vocabulary.write_text("a\nb\n")
    module.words = tf.saved_model.Asset(str(vocabulary))
    loaded = saved(tmp_path, module)
    vocabulary.unlink()
    assert Path(loaded.words.asset_path.item().decode()).read_text() == "a\nb\n"
    with pytest.raises(ValueError, match="there is no file"):
        tf.saved_model.Asset(str(vocabulary))


@pytest.mark.parametrize(
    ("function", "problem"),
    [
        (lambda x: tf.py_function(lambda v: v, [x], tf.float32), "it calls tf.py_function"),
        (lambda x: x[: int(x[0])], "it runs in Python"),
        (lambda x: object() if x is None else (x, object()), "which a SavedModel cannot hold"),
    ],
)
def test_what_is_no_program_is_refused_and_leaves_nothing(function: Any, problem: str, tmp_path: Path) -> None:
    module = tf.Module()
    module.function = tf.function(function, input_signature=[tf.TensorSpec([2], tf.float32)])
    with pytest.raises((ValueError, NotImplementedError, tf.errors.UnimplementedError), match=problem):
        tf.saved_model.save(module, tmp_path / "model")
    assert not (tmp_path / "model").exists()


def test_an_older_one_is_whole_until_the_new_one_is(scale: Scale, tmp_path: Path) -> None:
    saved(tmp_path, scale)
    broken = tf.Module()
    broken.function = tf.function(lambda x: object(), input_signature=[tf.TensorSpec([2])])
    with pytest.raises(ValueError, match="cannot hold"):
        tf.saved_model.save(broken, str(tmp_path / "model"))
    assert tf.saved_model.load(str(tmp_path / "model"))(tf.ones([1, 2])).numpy().tolist() == [[2, 3]]
    scale.factor.assign([0.0, 1.0])
    assert saved(tmp_path, scale)(tf.ones([1, 2])).numpy().tolist() == [[0, 1]]
    assert len([each for each in (tmp_path / "model").iterdir() if each.is_dir()]) == 1


def test_objects_without_variables_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="takes an object with variables and functions"):
        tf.saved_model.save([1, 2], tmp_path / "model")
