"""Estimators are exported: signatures named as in TensorFlow 2.15.1, receivers with placeholders, exporters."""

from pathlib import Path
from typing import Any

import fsspec
import numpy as np
import pytest

import stratagem as tf
import stratagem.compat.v1 as tf1
from stratagem._base.errors import ContextError

E = tf.estimator
ROWS = {"x": np.array([[1.0, 2.0], [3.0, 4.0], [0.0, 1.0]], "float32")}


def model_fn(features: Any, labels: Any, mode: str) -> Any:
    """A model with every kind of output. The first row of its weight is 1."""
    x = features["x"] if isinstance(features, dict) else features
    logits = tf.matmul(x, tf1.get_variable("w", [2, 1], initializer=tf1.constant_initializer([[1.0], [0.5]])))
    if mode == E.ModeKeys.PREDICT:
        scores = tf.concat([logits, -logits], 1)
        names = tf.strings.as_string(tf.argmax(scores, 1))
        return E.EstimatorSpec(
            mode,
            predictions={"p": logits, "name": names},
            export_outputs={
                "serving_default": E.export.PredictOutput({"p": logits, "name": names}),
                "classify": E.export.ClassificationOutput(scores=scores, classes=names[:, None]),
                "regress": E.export.RegressionOutput(logits),
                "one": E.export.PredictOutput(logits),
            },
        )
    loss = tf.reduce_mean((logits - labels) ** 2)
    step = tf1.train.get_global_step()
    train_op = tf1.train.GradientDescentOptimizer(0.01).minimize(loss, step)
    return E.EstimatorSpec(mode, loss=loss, train_op=train_op)


def input_fn() -> Any:
    return tf.data.Dataset.from_tensors((ROWS, np.ones((3, 1), "float32"))).repeat(2)


SPEC = {"x": tf.io.FixedLenFeature([2], tf.float32)}
parsing = E.export.build_parsing_serving_input_receiver_fn(SPEC)


def raw() -> Any:
    x = tf1.placeholder(tf.float32, [None, 2], name="given")
    return E.export.ServingInputReceiver({"x": x * 1.0}, {"x": x})


@pytest.fixture
def trained(tmp_path: Path) -> Any:
    return E.Estimator(model_fn, tmp_path / "model").train(input_fn)


def serialized(rows: int) -> Any:
    def example(row: Any) -> bytes:
        feature = tf.train.Feature(float_list=tf.train.FloatList(value=row))
        found: bytes = tf.train.Example(features=tf.train.Features(feature={"x": feature})).SerializeToString()
        return found

    return tf.constant([example(row) for row in ROWS["x"][:rows]])


def test_signatures_of_serialized_examples(trained: Any, tmp_path: Path) -> None:
    path = trained.export_saved_model(tmp_path / "exports", parsing, assets_extra={"notes/a.txt": __file__})
    assert isinstance(path, bytes)
    assert Path(path.decode()).parent == tmp_path / "exports"
    assert path.decode().rpartition("/")[2].isdigit()
    assert (Path(path.decode()) / "assets.extra/notes/a.txt").read_bytes() == Path(__file__).read_bytes()
    signatures = tf.saved_model.load(path).signatures
    shapes = {
        key: ([*s.structured_input_signature[1]], {n: str(v.dtype) for n, v in s.structured_outputs.items()})
        for key, s in signatures.items()
    }
    assert shapes == {  # those of TensorFlow 2.15.1
        "serving_default": (["examples"], {"p": "float32", "name": "object"}),
        "classify": (["inputs"], {"classes": "object", "scores": "float32"}),
        "regress": (["inputs"], {"outputs": "float32"}),
        "one": (["examples"], {"output": "float32"}),
    }
    wanted = ROWS["x"] @ trained.get_variable_value("w")
    for rows in (1, 3):
        served = signatures["serving_default"](examples=serialized(rows))
        np.testing.assert_allclose(served["p"], wanted[:rows], rtol=1e-6)
        assert served["name"].tolist() == [b"0"] * rows
    np.testing.assert_allclose(signatures["classify"](inputs=serialized(3))["scores"][:, :1], wanted, rtol=1e-6)


def test_a_receiver_of_the_features_themselves(trained: Any, tmp_path: Path) -> None:
    built = E.export.build_raw_serving_input_receiver_fn({"x": tf.zeros([1, 2])})
    for receive in (raw, built):
        loaded = tf.saved_model.load(trained.export_savedmodel(tmp_path / "exports", receive))
        assert sorted(loaded.signatures) == ["one", "serving_default"], "the others take serialized Examples"
        found = loaded.signatures["one"](x=ROWS["x"])["output"]
        np.testing.assert_allclose(found, ROWS["x"] @ trained.get_variable_value("w"), rtol=1e-6)
    assert len(list((tmp_path / "exports").iterdir())) == 2, "two exports in one second have two directories"
    assert [np.shape(v) for v in loaded.trainable_variables] == [(2, 1)]


def test_one_tensor_is_its_own_receiver(trained: Any, tmp_path: Path) -> None:
    def alone() -> Any:
        x = tf1.placeholder(tf.float32, [3, 2])
        return E.export.TensorServingInputReceiver(x, x)

    path = trained.experimental_export_all_saved_models(tmp_path, {E.ModeKeys.PREDICT: alone})
    assert tf.saved_model.load(path).signatures["one"].inputs == [tf.TensorSpec([3, 2], tf.float32, "input")]


def test_models_without_outputs_serve_their_predictions(tmp_path: Path) -> None:
    def plain(features: Any, labels: Any, mode: str) -> Any:
        spec = model_fn(features, labels, mode)
        return spec if mode != "infer" else E.EstimatorSpec(mode, predictions=spec.predictions["p"])

    def several(features: Any, labels: Any, mode: str) -> Any:
        spec = model_fn(features, labels, mode)
        outputs = {key: spec.export_outputs[key] for key in ("one", "regress")} if mode == "infer" else None
        return E.EstimatorSpec(mode, spec.predictions, spec.loss, spec.train_op, export_outputs=outputs)

    estimator = E.Estimator(plain, tmp_path / "model").train(input_fn)
    loaded = tf.saved_model.load(estimator.export_saved_model(tmp_path, raw))
    assert [*loaded.signatures["serving_default"].structured_outputs] == ["output"]
    with pytest.raises(ValueError, match="Multiple export_outputs were provided"):
        E.Estimator(several, tmp_path / "model").export_saved_model(tmp_path / "exports", raw)
    assert not list((tmp_path / "exports").iterdir())


def test_what_is_refused(trained: Any, tmp_path: Path) -> None:
    def refused(receive: Any, match: str, **options: Any) -> None:
        with pytest.raises((ValueError, tf.errors.UnimplementedError), match=match):
            trained.export_saved_model(tmp_path, receive, **options)
        assert not list(tmp_path.glob("[0-9]*"))

    refused(None, "must be defined")
    refused(lambda: {"x": 1}, "returns a tf.estimator.export.ServingInputReceiver")
    refused(lambda: E.export.ServingInputReceiver({"x": tf.ones([3, 2])}, {"x": tf.ones([3, 2])}), "'x' is none")
    refused(parsing, "inside of assets.extra", assets_extra={"../a.txt": __file__})
    with pytest.raises(ValueError, match="Could not find trained model"):
        E.Estimator(model_fn, tmp_path / "none").export_saved_model(tmp_path, parsing)
    with pytest.raises(ContextError, match="serving_input_receiver_fn"):
        tf1.placeholder(tf.float32, [None])
    for features, tensors, match in (({"a": 3}, {}, "feature a must be"), ({}, {"b": 3}, "receiver_tensor b must be")):
        with pytest.raises(ValueError, match=match):
            E.export.ServingInputReceiver(features, tensors)


def test_columns_in_params_are_those_of_every_trace(tmp_path: Path) -> None:
    """`params` are copied for each call of the model_fn, which an export calls several times."""
    words = tf.feature_column.categorical_column_with_vocabulary_list("word", ["a", "b"])

    def of_words(features: Any, labels: Any, mode: str, params: Any) -> Any:
        x = tf1.feature_column.input_layer(features, params["columns"])
        return model_fn({"x": x}, labels, mode)

    def words_receiver() -> Any:
        given = {"word": tf1.placeholder(tf.string, [None], "word")}
        return E.export.ServingInputReceiver(given, given)

    estimator = E.Estimator(of_words, tmp_path, params={"columns": [tf.feature_column.indicator_column(words)]})
    rows = ({"word": np.array(["b", "a"])}, np.zeros((2, 1), "float32"))
    estimator.train(lambda: tf.data.Dataset.from_tensor_slices(rows).batch(2), steps=1)
    served = tf.saved_model.load(estimator.export_saved_model(tmp_path / "export", words_receiver)).signatures["one"]
    weights = estimator.get_variable_value("w")
    np.testing.assert_allclose(served(word=tf.constant(["b", "a", "b"]))["output"], weights[[1, 0, 1]], rtol=1e-6)


def test_exporters_run_after_evaluations(tmp_path: Path) -> None:
    exporters = [
        E.FinalExporter("final", raw),
        E.LatestExporter("latest", raw, exports_to_keep=2),
        E.BestExporter("best", raw, exports_to_keep=None),
        E.BestExporter("worst", raw, compare_fn=lambda best_eval_result, current_eval_result: False),
    ]
    estimator = E.Estimator(model_fn, tmp_path, E.RunConfig(save_checkpoints_steps=2))
    specs = (
        E.TrainSpec(lambda: input_fn().repeat(4), max_steps=8),
        E.EvalSpec(input_fn, 1, exporters=exporters, throttle_secs=0),
    )
    _, exported = E.train_and_evaluate(estimator, *specs)
    counts = {e.name: len([p for p in (tmp_path / "export" / e.name).iterdir() if p.is_dir()]) for e in exporters}
    assert counts == {"final": 1, "latest": 2, "best": 4, "worst": 1}, "the loss became smaller four times"
    assert [path is None for path in exported] == [False, False, False, True]
    final = tf.saved_model.load(exported[0]).signatures["one"](x=ROWS["x"])["output"]
    np.testing.assert_allclose(final, ROWS["x"] @ estimator.get_variable_value("w"), rtol=1e-6)
    again = E.BestExporter("best", raw)
    result = {"loss": np.float32(1e9), "global_step": 8}
    path = str(tmp_path / "export/best")
    assert again.export(estimator, path, estimator.latest_checkpoint(), result, False) is None, "it knows the best one"
    for kind in (E.LatestExporter, E.BestExporter):
        with pytest.raises(ValueError, match="must be a positive number"):
            kind("name", raw, exports_to_keep=0)
    for compare in (lambda best, now: True, lambda best_eval_result: True, lambda **results: True):
        with pytest.raises(
            ValueError, match="called with the arguments best_eval_result and current_eval_result; it has"
        ):
            E.BestExporter("name", raw, compare_fn=compare)


def test_exports_on_a_remote_file_system(tmp_path: Path) -> None:
    files, extra = fsspec.filesystem("memory"), tmp_path / "words.txt"
    files.store.clear()
    extra.write_text("one")
    estimator = E.Estimator(model_fn, "memory://box/model")
    estimator.train(input_fn, steps=1)
    path = estimator.export_saved_model(
        "memory://box/served", parsing, assets_extra={"a/words.txt": str(extra)}
    ).decode()
    assert path.startswith("memory://box/served/")
    assert tf.io.read_file(f"{path}/assets.extra/a/words.txt") == b"one"
    assert sorted(tf.saved_model.load(path).signatures) == ["classify", "one", "regress", "serving_default"]
    before = {*files.store}
    with pytest.raises(tf.errors.NotFoundError):
        estimator.export_saved_model("memory://box/served", parsing, assets_extra={"b": str(tmp_path / "none")})
    assert {*files.store} == before, "an export that failed has left files"
    exporters = [E.LatestExporter("latest", parsing, exports_to_keep=1), E.BestExporter("best", parsing)]
    for number in range(2):
        for exporter in exporters:
            folder = f"memory://box/export/{exporter.name}"
            exporter.export(estimator, folder, estimator.latest_checkpoint(), {"loss": np.float32(2 - number)}, False)
    assert len(tf.io.gfile.listdir("memory://box/export/latest")) == 1
    assert len([n for n in tf.io.gfile.listdir("memory://box/export/best") if n.isdigit()]) == 2
    again = E.BestExporter("best", parsing)
    assert (
        again.export(estimator, "memory://box/export/best", estimator.latest_checkpoint(), {"loss": 1.5}, False) is None
    )
    files.store.clear()
