"""Canned Estimators under strategies and on parameter servers; their arguments; labels that are none."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import numpy as np
import pytest

import stratagem as tf
from stratagem.compat import v1 as tf1

pytestmark = pytest.mark.sampled  # its tests take turns: `tests/thorough.py`

WORDS = np.array(["ant", "bee", "cat", "bee"])
FEATURES = {
    "x": np.array([1.0, -2.0, 0.5, 3.0], "float32"),
    "w": WORDS,
    "often": np.array([1.0, 2.0, 0.5, 1.0], "float32"),
}
LABELS = np.array(["no", "yes", "yes", "no"])


def columns() -> list[Any]:
    fc = tf.feature_column
    return [fc.numeric_column("x"), fc.categorical_column_with_vocabulary_list("w", ["ant", "bee"], num_oov_buckets=1)]


def rows(batch: int, epochs: int = 1) -> Callable[[], Any]:
    return lambda: tf.data.Dataset.from_tensor_slices((FEATURES, LABELS)).repeat(epochs).batch(batch)


@pytest.mark.sampled
@pytest.mark.parametrize("api", [tf.estimator, tf1.estimator])
def test_two_replicas_train_as_one_with_the_double_batch(api: Any, tmp_path: Path) -> None:
    strategy = tf.distribute.MirroredStrategy(jax.local_devices()[:2])

    def trained(name: str, batch: int, **distribution: Any) -> Any:
        config = tf.estimator.RunConfig(tmp_path / name, **distribution)
        made = api.LinearClassifier(columns(), weight_column="often", label_vocabulary=["no", "yes"], config=config)
        return made.train(rows(batch, epochs=3))

    one, two = trained("one", 2), trained("two", 1, train_distribute=strategy, eval_distribute=strategy)
    for name in one.get_variable_names():
        expected = one.get_variable_value(name)
        np.testing.assert_allclose(two.get_variable_value(name), expected, rtol=1e-5, atol=1e-7, err_msg=name)
    expected = one.evaluate(rows(2))
    found = two.evaluate(rows(1))
    own = {"loss"}  # of the reported loss, TensorFlow sums those of the replicas
    assert {k: v for k, v in found.items() if k not in own} == {
        name: pytest.approx(value, rel=1e-5) for name, value in expected.items() if name not in own
    }


def example(row: int) -> bytes:
    feature = {
        "x": tf.train.Feature(float_list=tf.train.FloatList(value=[FEATURES["x"][row]])),
        "w": tf.train.Feature(bytes_list=tf.train.BytesList(value=[FEATURES["w"][row].encode()])),
    }
    found: bytes = tf.train.Example(features=tf.train.Features(feature=feature)).SerializeToString()
    return found


def test_an_exported_classifier_serves_what_it_predicts(tmp_path: Path) -> None:
    """Columns of strings, classes of strings, any number of rows."""
    fc = tf.feature_column
    hashed = fc.categorical_column_with_hash_bucket("w", 5)
    crossed = fc.crossed_column([fc.bucketized_column(columns()[0], [0.0]), "w"], 7)
    used = [columns()[0], hashed, crossed]
    made = tf.estimator.LinearClassifier(used, tmp_path / "model", label_vocabulary=["no", "yes"])
    made.train(rows(2, epochs=3))
    receiver = tf.estimator.export.build_parsing_serving_input_receiver_fn(fc.make_parse_example_spec(used))
    signatures = tf.saved_model.load(made.export_saved_model(tmp_path / "exports", receiver)).signatures
    assert sorted(signatures) == ["classification", "predict", "regression", "serving_default"]
    for count in (1, 4):
        given = tf.constant([example(row) for row in range(count)])
        predicted = list(made.predict(rows(4)))[:count]
        served, all_of = signatures["serving_default"](given), signatures["predict"](given)
        likely = [row["probabilities"].tolist() for row in predicted]
        np.testing.assert_allclose(served["scores"], likely, rtol=1e-5)
        assert served["classes"].numpy().tolist() == [[b"no", b"yes"]] * count
        assert all_of["classes"].numpy().tolist() == [row["classes"].tolist() for row in predicted]
        assert all_of["all_class_ids"].numpy().tolist() == [[0, 1]] * count
        np.testing.assert_allclose(signatures["regression"](given)["outputs"][:, 0], np.array(likely)[:, 1], rtol=1e-5)


def test_signatures_of_several_heads_are_tensorflows(tmp_path: Path) -> None:
    heads = [tf.estimator.BinaryClassHead(name="a"), tf.estimator.RegressionHead(name="b")]
    made = tf.estimator.LinearEstimator(tf.estimator.MultiHead(heads), [x], tmp_path / "model")
    labels = {"a": np.array([0, 1, 1, 0]), "b": np.ones(4, "float32")}
    made.train(lambda: tf.data.Dataset.from_tensors(({"x": FEATURES["x"]}, labels)))
    receiver = tf.estimator.export.build_parsing_serving_input_receiver_fn(x.parse_example_spec)
    signatures = tf.saved_model.load(made.export_saved_model(tmp_path / "exports", receiver)).signatures
    found = {
        key: ([*s.structured_input_signature[1]], {n: str(v.dtype) for n, v in s.structured_outputs.items()})
        for key, s in signatures.items()
    }
    classes = (["inputs"], {"classes": "object", "scores": "float32"})
    numbers = (["inputs"], {"outputs": "float32"})
    of_first = {
        **dict.fromkeys(("all_classes", "classes"), "object"),
        **dict.fromkeys(("logits", "logistic", "probabilities"), "float32"),
        "class_ids": "int64",
        "all_class_ids": "int32",
    }
    of_both = {f"a/{name}": kind for name, kind in of_first.items()} | {"b/predictions": "float32"}
    assert found == {  # those of TensorFlow 2.15.1
        **dict.fromkeys(("serving_default", "a", "a/classification"), classes),
        **dict.fromkeys(("a/regression", "b", "b/regression"), numbers),
        "a/predict": (["examples"], of_first),
        "b/predict": (["examples"], {"predictions": "float32"}),
        "predict": (["examples"], of_both),
    }


def test_nadams_momenta_go_on_where_they_were(tmp_path: Path) -> None:
    def trained(name: str, *until: int) -> Any:
        made = tf.estimator.LinearClassifier(
            columns(), tmp_path / name, label_vocabulary=["no", "yes"], optimizer=tf.keras.optimizers.legacy.Nadam
        )
        for step in until:
            made.train(rows(4, epochs=9), max_steps=step)
        return made

    whole, parts = trained("whole", 4), trained("parts", 2, 4)
    for name in whole.get_variable_names():
        np.testing.assert_allclose(parts.get_variable_value(name), whole.get_variable_value(name), rtol=1e-6)
    assert 0 < float(whole.get_variable_value("training/Nadam/momentum_cache")) < 0.5


def test_a_label_that_is_no_word_of_the_vocabulary(tmp_path: Path) -> None:
    estimator = tf.estimator.BaselineClassifier(tmp_path, label_vocabulary=["no", "maybe"])
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"label_vocabulary \['no', 'maybe'\]"):
        estimator.train(rows(4))


@pytest.mark.parametrize(("second", "moved"), [(1, -1.5), (2, -1.0)])
def test_a_row_that_was_looked_up_is_touched_although_its_gradient_is_zero(
    second: int, moved: float, tmp_path: Path
) -> None:
    """Momentum carries it on, as in TensorFlow; a row that was not looked up stays."""

    def model_fn(features: Any, labels: Any, mode: str) -> Any:
        table = tf1.get_variable("table", (3, 2), initializer=tf1.zeros_initializer())
        loss = tf.reduce_sum(tf.nn.embedding_lookup(table, features) * labels)
        optimizer = tf1.train.MomentumOptimizer(1.0, 0.5)
        return tf1.estimator.EstimatorSpec(
            mode, loss=loss, train_op=optimizer.minimize(loss, tf1.train.get_global_step())
        )

    made = tf1.estimator.Estimator(model_fn, tmp_path)
    made.train(lambda: tf.data.Dataset.from_tensor_slices(([[1], [second]], [[1.0], [0.0]])))
    assert made.get_variable_value("table").tolist() == [[0.0] * 2, [moved] * 2, [0.0] * 2]


@pytest.mark.parametrize(
    ("api", "optimizer"),
    [(tf.estimator, "Ftrl"), (tf.estimator, tf.keras.optimizers.Lion(0.1)), (tf1.estimator, "SGD")],
    ids=["its own rule", "a rule without rows", "TensorFlow 1's rule"],
)
def test_a_row_that_was_looked_up_is_not_moved_by_being_marked(api: Any, optimizer: Any, tmp_path: Path) -> None:
    """Without the mark its gradient is 0, and so is the step; Lion's would be a whole one, of the mark's sign."""
    column = tf.feature_column.categorical_column_with_vocabulary_list("w", ["ant", "bee"])
    made = api.LinearRegressor([column], tmp_path, optimizer=optimizer)
    made.train(lambda: tf.data.Dataset.from_tensors(({"w": ["ant", "bee"]}, [0.0, 0.0])))
    assert made.get_variable_value("linear/linear_model/w/weights").tolist() == [[0.0], [0.0]]


def test_rows_that_no_batch_looks_up_keep_their_weights_in_ftrl(tmp_path: Path) -> None:
    column = tf.feature_column.categorical_column_with_vocabulary_list("w", ["ant", "bee", "cat", "dog"])
    first = tf.estimator.LinearRegressor([column], tmp_path / "first", optimizer="SGD")
    data = lambda words: lambda: tf.data.Dataset.from_tensors(({"w": words}, np.ones(len(words), "float32")))  # noqa: E731
    first.train(data(["ant", "bee", "cat", "dog"]))
    name = "linear/linear_model/w/weights"
    second = tf.estimator.LinearRegressor([column], tmp_path / "second", warm_start_from=str(tmp_path / "first"))
    second.train(data(["ant", "bee"]))
    before, after = first.get_variable_value(name), second.get_variable_value(name)
    assert after[2:].tolist() == before[2:].tolist() != [[0.0], [0.0]]
    assert (after[:2] != before[:2]).all()


x = tf.feature_column.numeric_column("x")
ERRORS: list[tuple[Callable[[], Any], str]] = [
    (lambda: tf.estimator.LinearClassifier([x], n_classes=1), "n_classes must be > 2: 1"),
    (lambda: tf.estimator.LinearClassifier([x], n_classes="3"), "n_classes must be an int"),
    (lambda: tf.estimator.LinearClassifier([x], n_classes=3.0), "n_classes must be an int"),
    (lambda: tf.estimator.DNNClassifier([2, -1], [x]), r"expected positive integers: \[2, -1\]"),
    (lambda: tf.estimator.DNNClassifier(["2"], [x]), r"numbers of units of layers. Given: '2'"),
    (lambda: tf.estimator.LinearEstimator("head", [x]), "head must be a tf.estimator.Head"),
    (lambda: tf.estimator.LinearClassifier([x], sparse_combiner="max"), "combiner must be one of 'mean'"),
    (lambda: tf.estimator.BinaryClassHead(label_vocabulary=["a", "a"]), "has a label twice"),
    (
        lambda: tf.estimator.LinearClassifier([x], optimizer="Adamm"),
        "Unsupported optimizer name: Adamm. Supported names",
    ),
    (
        lambda: tf.estimator.LinearClassifier([x], optimizer=tf1.train.FtrlOptimizer(0.1)),
        "not a tf.keras.optimizers.Optimizer",
    ),
    (
        lambda: tf1.estimator.LinearClassifier([x], optimizer=tf.keras.optimizers.SGD()),
        "not an Optimizer instance of tf",
    ),
    (lambda: tf.estimator.LinearRegressor(["x"]), "Items of feature_columns must be a FeatureColumn"),
    (lambda: tf.estimator.LinearRegressor([x], loss_reduction="none"), "Invalid loss_reduction: none"),
    (lambda: tf1.estimator.LinearRegressor([x], loss_reduction="sum"), "Invalid loss_reduction: sum"),
    (lambda: tf.estimator.DNNRegressor([2], [x], label_dimension=0), "Invalid label_dimension 0"),
    (lambda: tf.estimator.DNNLinearCombinedRegressor(), "Either linear_feature_columns or dnn_feature_columns must be"),
    (lambda: tf.estimator.DNNLinearCombinedRegressor(dnn_feature_columns=[x]), "dnn_hidden_units must be defined"),
    (lambda: tf.estimator.BinaryClassHead(thresholds=[0.5, 1.0]), r"thresholds must be in \(0, 1\) range. Given: 1.0"),
    (lambda: tf.estimator.BinaryClassHead(label_vocabulary="ab"), "label_vocabulary should be a list or a tuple"),
    (
        lambda: tf.estimator.MultiClassHead(3, label_vocabulary=["a"]),
        r"Length of label_vocabulary must equal to n_classes",
    ),
    (lambda: tf.estimator.RegressionHead(loss_fn=lambda logits: logits), "loss_fn must contain argument: labels"),
    (lambda: tf.estimator.MultiHead([tf.estimator.RegressionHead()]), "must have a name specified"),
    (
        lambda: tf.estimator.MultiLabelHead(3, classes_for_class_based_metrics=[3]),
        r"must be in range \[0, 2\]. Given: 3",
    ),
]


@pytest.mark.parametrize(("make", "message"), ERRORS, ids=[message[:30] for _, message in ERRORS])
def test_what_is_said_about_arguments(make: Callable[[], Any], message: str) -> None:
    with pytest.raises((ValueError, TypeError), match=message):
        make()


HEADS: list[tuple[Callable[[], Any], str]] = [
    (lambda: tf.estimator.BinaryClassHead().loss([[1], [0]], [[1.0]]), "Mismatched label shape"),
    (lambda: tf.estimator.BinaryClassHead().loss({"y": [1]}, [[1.0]]), r"Given a dict of \['y'\]"),
    (lambda: tf.estimator.BinaryClassHead().loss(None, [[1.0]]), "You must provide a labels Tensor"),
    (lambda: tf.estimator.BinaryClassHead().loss([[1]], [[1.0, 2.0]]), "logits shape must be"),
    (
        lambda: tf.estimator.BinaryClassHead().loss(tf.constant([["a"]]), [[1.0]]),
        "give the head or the Estimator a label",
    ),
    (lambda: tf.estimator.BinaryClassHead("w").loss([[1]], [[1.0]], {"x": 1}), "'w' is not in the features"),
    (lambda: tf.estimator.BinaryClassHead("w").loss([[1]], [[1.0]], {"w": [1.0, 2.0]}), "weights shape must be"),
    (lambda: tf.estimator.MultiClassHead(3).loss([[1.0]], [[1.0, 2.0, 3.0]]), "Labels dtype should be integer"),
    (lambda: tf.estimator.RegressionHead().predictions([[1.0]], ["logit"]), "Prediction key must be in PredictionKeys"),
]


@pytest.mark.parametrize(("use", "message"), HEADS, ids=[message[:30] for _, message in HEADS])
def test_what_heads_say_about_tensors(use: Callable[[], Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        use()


def test_heads_work_outside_of_estimators() -> None:
    head = tf.estimator.BinaryClassHead(label_vocabulary=["no", "yes"], name="h")
    logits, labels = tf.constant([[2.0], [-1.0]]), tf.constant([["yes"], ["yes"]])
    predictions = head.predictions(logits)
    assert predictions["classes"].numpy().tolist() == [[b"yes"], [b"no"]]
    assert float(head.loss(labels, logits)) == pytest.approx((np.log1p(np.exp(-2)) + np.log1p(np.exp(1))) / 2)
    found = head.update_metrics(head.metrics(), {}, logits, labels)
    assert float(found["accuracy/h"].result()) == 0.5
    assert float(found["accuracy_baseline/h"].result()) == 1.0


def test_what_files_have_besides_features() -> None:
    spec = tf.estimator.classifier_parse_example_spec(columns(), "y", tf.string, weight_column="often")
    assert sorted(spec) == ["often", "w", "x", "y"]
    assert (spec["y"].dtype, tuple(spec["y"].shape)) == (tf.string, (1,))
    numbers = tf.estimator.regressor_parse_example_spec([x], "y", label_dimension=3)["y"]
    assert (numbers.dtype, tuple(numbers.shape)) == (tf.float32, (3,))
    with pytest.raises(ValueError, match="label should not be used as feature"):
        tf.estimator.classifier_parse_example_spec([x], "x")
    with pytest.raises(ValueError, match="weight_column should not be used as feature"):
        tf.estimator.classifier_parse_example_spec([x], "y", weight_column="x")
