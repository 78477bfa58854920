"""Configurations that somebody else has written, in safe mode: nothing that they name is opened, imported or called."""

import contextlib
import json
import os
import sys
import types
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import keras
import numpy as np
import pytest

import stratagem as tf
import stratagem.addons as _addons  # noqa: F401  (it registers its classes)
from tests.training.hostile_configurations import changed, classes, examples

MARK = "hostile-vocabulary"  # in every name that a hostile file gives
_watching: list[str] | None = None


def _note(event: str, arguments: tuple[Any, ...]) -> None:
    if _watching is None:
        return
    if event in ("socket.connect", "socket.getaddrinfo", "subprocess.Popen", "os.system", "os.exec"):
        _watching.append(f"{event} {arguments!r:.200}")
    if event in ("open", "os.listdir", "os.scandir", "import") and MARK in str(arguments[0]):
        _watching.append(f"{event} {arguments[0]}")
        raise PermissionError("the test refuses it, as it might wait for ever")


sys.addaudithook(_note)  # cannot be removed: it does nothing but within `nothing_opened`


@contextlib.contextmanager
def nothing_opened() -> Iterator[None]:
    """Fails if the body opens a file whose name has the mark, a socket or a program."""
    global _watching
    _watching = seen = []
    try:
        yield
    finally:
        _watching = None
        assert not seen


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """An object of every registered class."""
    folder = tmp_path_factory.mktemp("made")
    (folder / "words.txt").write_text("a\nb\n")
    module = tf.Module()
    module.serve = tf.function(lambda x: 2 * x, input_signature=[tf.TensorSpec([2])])
    tf.saved_model.save(module, str(folder / "program"))
    known = examples(folder / "words.txt", folder / "program")
    return {name: known.get(name, each)() for name, each in classes().items()}


def hostile_names(folder: Path) -> list[str]:
    """A path, a named pipe and addresses."""
    file, pipe = folder / f"{MARK}.txt", folder / f"{MARK}.pipe"
    file.write_text("password\nother\n")
    os.mkfifo(pipe)
    return [str(file), str(pipe), f"http://127.0.0.1:9/{MARK}", f"gs://{MARK}/words", f"file://{file}"]


def test_nothing_that_a_configuration_names_is_opened(made: dict[str, Any], tmp_path: Path) -> None:
    names, tried = hostile_names(tmp_path), 0
    for kind in made.values():
        config = keras.saving.serialize_keras_object(kind)
        for value in (hostile for name in names for _, hostile in changed(config, name)):
            with nothing_opened(), contextlib.suppress(Exception):
                keras.saving.deserialize_keras_object(value)
            tried += 1
    assert tried > 1000


def test_a_saved_model_has_no_name_of_a_file(made: dict[str, Any]) -> None:
    for name, kind in made.items():
        if name != "stratagem>TFSMLayer":  # it is a reference to a folder, and is loaded without safe mode alone
            assert "words.txt" not in json.dumps(keras.saving.serialize_keras_object(kind)), name


LAYERS = {
    "strings": lambda path: tf.keras.layers.StringLookup(vocabulary=path),
    "integers": lambda path: tf.keras.layers.IntegerLookup(vocabulary=path),
    "texts": lambda path: tf.keras.layers.TextVectorization(vocabulary=path),
}


def words(kind: str, path: Path) -> Path:
    """A file of words."""
    path.write_bytes(b"5\n7\n" if kind == "integers" else b"a\nb\n\xff\n")
    return path


@pytest.mark.parametrize("ending", ["", ".keras", ".h5"])
@pytest.mark.parametrize("kind", LAYERS)
def test_a_model_is_loaded_where_its_vocabulary_file_is_gone(kind: str, ending: str, tmp_path: Path) -> None:
    file = words(kind, tmp_path / "words.txt")
    of_integers = kind == "integers"
    inputs = tf.keras.Input((1,), dtype="int64" if of_integers else "string")
    model = tf.keras.Sequential([inputs, LAYERS[kind](str(file))])
    x = tf.constant([[7], [5], [1]] if of_integers else [[b"b"], [b"\xff"], [b"c"]])
    expected = model(x)
    model.save(tmp_path / f"model{ending}")
    file.unlink()
    loaded = tf.keras.models.load_model(tmp_path / f"model{ending}")
    assert np.asarray(loaded(x)).tolist() == np.asarray(expected).tolist()


def test_columns_are_loaded_where_their_vocabulary_file_is_gone(tmp_path: Path) -> None:
    file = words("strings", tmp_path / "words.txt")
    column = tf.feature_column.categorical_column_with_vocabulary_file("k", str(file), num_oov_buckets=2)
    unknown = tf.feature_column.categorical_column_with_vocabulary_file("k", str(file))
    both = [tf.feature_column.indicator_column(unknown), tf.feature_column.embedding_column(column, 3)]
    layer = tf.keras.layers.DenseFeatures(both)
    features = {"k": tf.constant([[b"b"], [b"\xff"], [b"c"]])}
    expected = layer(features)
    config = layer.get_config()
    file.unlink()
    again = tf.keras.layers.DenseFeatures.from_config(json.loads(json.dumps(config)))
    again(features)
    again.set_weights(layer.get_weights())
    assert again(features).tolist() == expected.tolist()
    assert layer.get_config() == config
    gone = tf.feature_column.categorical_column_with_vocabulary_file("k", str(file), vocabulary_size=3)
    with pytest.raises(tf.errors.NotFoundError, match=r"words\.txt"):
        tf.keras.layers.DenseFeatures([tf.feature_column.indicator_column(gone)]).get_config()


def rewritten(source: Path, target: Path, before: bytes, after: bytes) -> None:
    """A copy of a Keras file whose texts are changed, as somebody else would."""
    with zipfile.ZipFile(source) as file, zipfile.ZipFile(target, "w") as other:
        for each in file.infolist():
            data = file.read(each)
            if each.filename.endswith(".json"):
                data = data.replace(before, after)
            other.writestr(each.filename, data)


@pytest.mark.parametrize("kind", ["strings", "texts"])
def test_a_file_with_a_path_is_refused_and_read_without_safe_mode(kind: str, tmp_path: Path) -> None:
    model = tf.keras.Sequential([tf.keras.Input((1,), dtype="string"), LAYERS[kind](["a", "b"])])
    model.save(tmp_path / "good.keras")
    file = words(kind, tmp_path / "words.txt")
    rewritten(tmp_path / "good.keras", tmp_path / "old.keras", b'["a", "b"]', json.dumps(str(file)).encode())
    with pytest.raises(ValueError, match=r"words\.txt.*safe_mode=False"):
        tf.keras.models.load_model(tmp_path / "old.keras")
    loaded = tf.keras.models.load_model(tmp_path / "old.keras", safe_mode=False)
    assert loaded(tf.constant([["b"]])).tolist() == model(tf.constant([["b"]])).tolist()
    loaded.save(tmp_path / "new.keras")
    file.unlink()
    tf.keras.models.load_model(tmp_path / "new.keras")


def described_layer(column: Any) -> dict[str, Any]:
    """The configuration of a layer of a column, whose own has a path as those of older versions."""
    layer = tf.keras.layers.DenseFeatures([tf.feature_column.numeric_column("n")])
    config: dict[str, Any] = keras.saving.serialize_keras_object(layer)
    config["config"]["feature_columns"] = [{"class_name": type(column).__name__, "config": column.get_config()}]
    return config


def test_columns_of_a_checkpoint_with_a_path_are_refused(tmp_path: Path) -> None:
    path = tf.train.Checkpoint(table=tf.Variable(np.ones((5, 3), "float32"))).write(str(tmp_path / "values"))
    numbered = tf.feature_column.categorical_column_with_identity("k", 5)
    name = "table/.ATTRIBUTES/VARIABLE_VALUE"
    column = tf.feature_column.embedding_column(numbered, 3, ckpt_to_load_from=path, tensor_name_in_ckpt=name)
    described = described_layer(column)
    with pytest.raises(ValueError, match=r"values.*safe_mode=False"):
        keras.saving.deserialize_keras_object(described)
    layer = keras.saving.deserialize_keras_object(described, safe_mode=False)
    assert layer({"k": tf.constant([[1]])}).tolist() == [[1, 1, 1]]
    assert str(tmp_path) not in json.dumps(layer.get_config())


def test_columns_of_a_file_with_a_path_are_refused(tmp_path: Path) -> None:
    file = words("strings", tmp_path / "words.txt")
    column = tf.feature_column.categorical_column_with_vocabulary_file("k", str(file))
    described = described_layer(tf.feature_column.indicator_column(column))
    with pytest.raises(ValueError, match=r"words\.txt.*safe_mode=False"):
        keras.saving.deserialize_keras_object(described)
    again = keras.saving.deserialize_keras_object(described, safe_mode=False)
    assert again({"k": tf.constant([["b"]])}).tolist() == [[0, 1, 0]]


def test_a_description_of_a_column_calls_no_function() -> None:
    number = tf.feature_column.numeric_column("n")
    layer = keras.saving.serialize_keras_object(tf.keras.layers.DenseFeatures([number]))
    called: list[Any] = []
    for name in ("serialize", "get", "called"):
        layer["config"]["feature_columns"][0]["config"]["normalizer_fn"] = {"class_name": name, "config": {"path": 1}}
        with pytest.raises(ValueError, match=name):
            keras.saving.deserialize_keras_object(layer, {"called": lambda **_: called.append(1)})
    assert not called


def test_a_call_of_a_tensor_function_reads_no_file(tmp_path: Path) -> None:
    counts = tmp_path / "counts.csv"
    counts.write_text("a,1\nb,2\n")
    classes_ = tf.keras.Input((1,), dtype="int64")
    drawn = tf.random.fixed_unigram_candidate_sampler(classes_, 1, 1, False, 2, vocab_file=str(counts), seed=1)
    model = tf.keras.Model(classes_, drawn.true_expected_count)
    with pytest.raises(ValueError, match=r"counts\.csv.*safe_mode=False"):
        tf.keras.models.model_from_json(model.to_json())


def innocent(x: Any) -> Any:
    """A function of the program."""
    return x


def reports(x: Any, path: str = "", text: str = "") -> Any:
    """Another one, which should not get its arguments from somebody else."""
    Path(path).write_text(text)
    return x


def hostile_folder(folder: Path) -> Path:
    """A folder of a model whose file names another function, with arguments."""
    layers = [tf.keras.Input((2,)), tf.keras.layers.Dense(1), tf.keras.layers.Lambda(innocent, arguments={"k": 1})]
    layers[-1].arguments = {}
    tf.keras.Sequential(layers).save(folder / "good")
    name = next(each.name for each in (folder / "good").iterdir() if each.suffix == ".keras")
    (folder / "bad").mkdir()
    arguments = json.dumps({"path": str(folder / "owned"), "text": "evil"}).encode()
    rewritten(folder / "good" / name, folder / "one.keras", b"innocent", b"reports")
    rewritten(folder / "one.keras", folder / "bad" / name, b'"arguments": {}', b'"arguments": ' + arguments)
    return folder / "bad"


def test_a_folder_calls_no_function_of_the_program(tmp_path: Path) -> None:
    bad = hostile_folder(tmp_path)
    with pytest.raises(ValueError, match=r"reports of .*custom_objects.*safe_mode=False"):
        tf.keras.models.load_model(bad)
    assert not (tmp_path / "owned").exists()


@pytest.mark.parametrize("allowed", [{"safe_mode": False}, {"custom_objects": {"reports": reports}}])
def test_a_folder_calls_functions_that_are_allowed(allowed: dict[str, Any], tmp_path: Path) -> None:
    tf.keras.models.load_model(hostile_folder(tmp_path), **allowed)
    assert (tmp_path / "owned").read_text() == "evil"


def test_a_folder_imports_nothing_and_runs_no_code_of_modules(tmp_path: Path) -> None:
    layers = [tf.keras.Input((2,)), tf.keras.layers.Dense(1)]
    tf.keras.Sequential(layers).save(tmp_path / "good")
    (file,) = (each for each in (tmp_path / "good").iterdir() if each.suffix == ".keras")
    lazy = types.ModuleType("lazy_module")
    lazy.__getattr__ = lambda name: pytest.fail(f"the file had {name} looked up")  # type: ignore[method-assign]
    sys.modules["lazy_module"] = lazy
    try:
        (tmp_path / "bad").mkdir()
        record = {"X": ["lazy_module", "delete_everything"], "Y": ["scipy", "stats"], "Z": ["stratagem", "estimator"]}
        with zipfile.ZipFile(file) as archive, zipfile.ZipFile(tmp_path / "bad" / file.name, "w") as other:
            for part in archive.namelist():
                other.writestr(part, json.dumps(record) if part == "stratagem.json" else archive.read(part))
        before = {*sys.modules}
        tf.keras.models.load_model(tmp_path / "bad")
        assert not {name for name in {*sys.modules} - before if name.startswith(("scipy.stats", "stratagem.estimator"))}
    finally:
        del sys.modules["lazy_module"]


def test_a_graph_of_a_file_computes_with_no_constants() -> None:
    inputs = tf.keras.Input((2,))
    config = json.loads(tf.keras.Model(inputs, tf.abs(inputs)).to_json())
    config["config"]["layers"][-1]["inbound_nodes"] = [{"args": [[-2.0], {}], "kwargs": {}}]
    with pytest.raises(ValueError, match=r"computes tf.abs of constants.*safe_mode=False"):
        tf.keras.models.model_from_json(json.dumps(config))


def test_a_description_of_an_initializer_makes_nothing_else() -> None:
    number = tf.feature_column.numeric_column("n")
    layer = keras.saving.serialize_keras_object(tf.keras.layers.DenseFeatures([number]))
    for value in ({"class_name": "stratagem>StringLookup", "config": {}}, {"class_name": "zeros"}, [1], 5):
        layer["config"]["feature_columns"][0]["config"]["normalizer_fn"] = value
        with pytest.raises(ValueError, match=r"is not one|Improper config format|is described"):
            keras.saving.deserialize_keras_object(layer)


class Stumbles(tf.keras.layers.Layer):
    """A class with a mistake of its author's, which shows when it is built once more."""

    built_before = False

    def build(self, input_shape: Any) -> None:
        if Stumbles.built_before:
            np.take([1, 2], 7)
        Stumbles.built_before = True


def test_mistakes_in_the_users_classes_are_not_blamed_on_the_file(tmp_path: Path) -> None:
    tf.keras.Sequential([tf.keras.Input((2,)), Stumbles()]).save(tmp_path / "model.keras")
    with pytest.raises(IndexError, match="out of bounds"):
        tf.keras.models.load_model(tmp_path / "model.keras", custom_objects={"Stumbles": Stumbles})


def test_a_model_with_metrics_larger_than_its_file_is_loaded(tmp_path: Path) -> None:
    model = tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Dense(1)])
    model.compile("sgd", "mse", metrics=[tf.keras.metrics.MeanIoU(num_classes=3000)])
    model.save(tmp_path / "model.keras")
    assert tf.keras.models.load_model(tmp_path / "model.keras").count_params() == 3
