"""Whatever takes a path: `file://` is a path of this machine, another scheme another file system, and never a folder here."""

import functools
import importlib
import inspect
import pkgutil
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import fsspec
import keras
import numpy as np
import pytest
from click.testing import CliRunner

import stratagem as tf
from stratagem._base.paths import local_path
from stratagem.cli import main

images = tf.keras.preprocessing.image
PIXEL = np.ones((1, 1, 1, 1), "float32")
# Parameters that may be paths, by their names.
PATHS = re.compile(r"(file|path|dir$|directory|folder|pattern$|file_prefix|ckpt|^src$|^dst$|^top$|^name$)")
# Folders of the package that are no namespaces.
LAYERS = "cli testing src"


def public(package: Any = tf) -> Iterator[tuple[str, Any]]:
    """Every public function, class and method, with its name below `tf`."""
    yield from members(package.__name__.partition(".")[2], package)
    for found in pkgutil.iter_modules(getattr(package, "__path__", [])):
        if found.name not in LAYERS.split() and not found.name.startswith("_"):
            module = importlib.import_module(f"{package.__name__}.{found.name}")
            if module is not tf:  # `tf.compat.v2` is the module itself
                yield from public(module)


def members(namespace: str, module: Any) -> Iterator[tuple[str, Any]]:
    """The functions and classes of a module, and the classes' methods."""
    for name in (n for n in dir(module) if not n.startswith("_")):
        member = getattr(module, name, None)
        full = f"{namespace}.{name}".lstrip(".")
        if inspect.isclass(member):
            yield from ((f"{full}.{n}", getattr(member, n, None)) for n in dir(member) if not n.startswith("_"))
        if not inspect.ismodule(member):
            yield full, member


def taking_paths() -> dict[str, str]:
    """By what takes a path, the shortest of its names and the name of its parameter."""
    found: dict[int, tuple[str, str]] = {}
    for name, member in public():
        try:
            parameters = list(inspect.signature(member).parameters) if callable(member) else []
        except (TypeError, ValueError):
            continue
        for parameter in filter(PATHS.search, parameters):
            if parameter not in ("name", "top") or name in ("io.gfile.GFile", "io.gfile.walk"):
                known = found.get(same(member), (name, parameter))
                found[same(member)] = min(known, (name, parameter), key=lambda pair: (pair[0].count("."), len(pair[0])))
    return dict(found.values())


def same(member: Any) -> int:
    """Equal for all names of a function, or of a method of a class and of those below it."""
    return id(inspect.unwrap(getattr(member, "__func__", member)))


def model() -> Any:
    """A small model that was trained."""
    made = keras.Sequential([keras.Input((1,)), keras.layers.Dense(1)])
    made.compile("sgd", "mse")
    return made


def archive() -> Any:
    made = tf.keras.export.ExportArchive()
    made.add_endpoint("one", lambda x: x, [tf.TensorSpec([1])])
    return made


def checkpoint() -> Any:
    return tf.train.Checkpoint(v=tf.Variable(1.0))


def estimator(directory: Any = "absent", **settings: Any) -> Any:
    return tf.estimator.Estimator(lambda features: None, directory, **settings)


def canned(kind: Any, directory: Any) -> Any:
    """A canned Estimator of a class, with what its signature demands."""
    columns = [tf.feature_column.numeric_column("x")]
    values = {
        "head": tf.estimator.RegressionHead(),
        "hidden_units": [1],
        "feature_columns": columns,
        "linear_feature_columns": columns,
        "model_fn": lambda features: None,
        "config": None,
    }
    parameters = inspect.signature(kind).parameters
    return kind(model_dir=directory, **{name: value for name, value in values.items() if name in parameters})


def features() -> Any:
    return tf.data.Dataset.from_tensors(np.ones(1))


def receiver() -> Any:
    return tf.estimator.export.ServingInputReceiver({}, {})


def ending(path: Any, end: str) -> Any:
    return path + end if isinstance(path, str) else path.with_name(path.name + end)


def text_file(path: str) -> str:
    Path(path).write_text("1,2\n")
    return path


def _member(name: str) -> Any:
    found: Any = tf
    for part in name.split("."):
        found = getattr(found, part)
    return found


def graph_in(call: Callable[[], Any]) -> Any:
    with tf.Graph().as_default():
        tf.compat.v1.train.get_or_create_global_step()
        return call()


gfile, experimental, gfile_of_tf1 = tf.io.gfile, tf.data.experimental, tf.compat.v1.gfile
column = tf.feature_column
# How each is given a path.
CALLS: dict[str, Callable[[Any], Any]] = {
    "compat.v1.gfile.Copy": lambda p: gfile_of_tf1.Copy(p, "there"),
    "compat.v1.gfile.Exists": gfile_of_tf1.Exists,
    "compat.v1.gfile.Glob": gfile_of_tf1.Glob,
    "compat.v1.gfile.Remove": gfile_of_tf1.Remove,
    "compat.v1.gfile.Stat": gfile_of_tf1.Stat,
    "compat.v1.io.tf_record_iterator": lambda p: list(tf.compat.v1.io.tf_record_iterator(p)),
    "config.experimental.set_compilation_cache": tf.config.experimental.set_compilation_cache,
    "launch": lambda p: tf.launch(print, log_dir=p),
    "keras.layers.TFSMLayer": tf.keras.layers.TFSMLayer,
    "saved_model.Asset": tf.saved_model.Asset,
    "saved_model.contains_saved_model": tf.saved_model.contains_saved_model,
    "saved_model.load": tf.saved_model.load,
    "saved_model.save": lambda p: tf.saved_model.save(tf.Module(), p),
    "data.Dataset.cache": lambda p: tf.data.Dataset.range(2).cache(p),
    "data.Dataset.list_files": lambda p: tf.data.Dataset.list_files([p]),
    "data.Dataset.load": lambda p: tf.data.Dataset.load(p),
    "data.Dataset.save": lambda p: tf.data.Dataset.range(2).save(p),
    "data.Dataset.snapshot": lambda p: tf.data.Dataset.range(2).snapshot(p),
    "data.FixedLengthRecordDataset": lambda p: list(tf.data.FixedLengthRecordDataset(p, 1)),
    "data.TFRecordDataset": lambda p: list(tf.data.TFRecordDataset([p])),
    "data.TextLineDataset": lambda p: list(tf.data.TextLineDataset(p)),
    "data.experimental.CsvDataset": lambda p: list(experimental.CsvDataset(p, [tf.int32])),
    "data.experimental.TFRecordWriter": lambda p: experimental.TFRecordWriter(p).write(
        tf.data.Dataset.from_tensors("a")
    ),
    "data.experimental.load": lambda p: experimental.load(p),
    "data.experimental.make_batched_features_dataset": lambda p: experimental.make_batched_features_dataset(
        p, 1, {"a": tf.io.FixedLenFeature([], tf.int64)}
    ),
    "data.experimental.save": lambda p: experimental.save(tf.data.Dataset.range(2), p),
    "data.experimental.snapshot": lambda p: tf.data.Dataset.range(2).apply(experimental.snapshot(p)),
    "data.experimental.make_csv_dataset": lambda p: experimental.make_csv_dataset(p, 1),
    "distribute.experimental.PreemptionCheckpointHandler": lambda p: (
        tf.distribute.experimental.PreemptionCheckpointHandler(
            tf.distribute.cluster_resolver.SimpleClusterResolver(tf.train.ClusterSpec({})), checkpoint(), p
        ).close()
    ),
    "estimator.Estimator": estimator,
    "estimator.Estimator.evaluate": lambda p: estimator().evaluate(features, checkpoint_path=p),
    "estimator.Estimator.predict": lambda p: next(estimator().predict(features, checkpoint_path=p)),
    "estimator.Estimator.export_saved_model": lambda p: estimator().export_saved_model(p, receiver),
    "estimator.Estimator.export_savedmodel": lambda p: estimator().export_savedmodel(p, receiver),
    "estimator.Estimator.experimental_export_all_saved_models": lambda p: (
        estimator().experimental_export_all_saved_models(p, {"infer": receiver})
    ),
    "estimator.RunConfig": lambda p: tf.estimator.RunConfig(p),
    "estimator.CheckpointSaverHook": lambda p: tf.estimator.CheckpointSaverHook(p, save_steps=1),
    "estimator.StepCounterHook": lambda p: tf.estimator.StepCounterHook(output_dir=p),
    "estimator.SummarySaverHook": lambda p: tf.estimator.SummarySaverHook(1, output_dir=p, scaffold=object()),
    "estimator.VocabInfo": lambda p: tf.estimator.VocabInfo(p, 1, 0, p),
    "estimator.WarmStartSettings": lambda p: estimator(warm_start_from=tf.estimator.WarmStartSettings(p)),
    "estimator.experimental.stop_if_higher_hook": lambda p: tf.estimator.experimental.stop_if_higher_hook(
        estimator(), "loss", 1, eval_dir=p
    ),
    "estimator.experimental.stop_if_lower_hook": lambda p: tf.estimator.experimental.stop_if_lower_hook(
        estimator(), "loss", 1, eval_dir=p
    ),
    "estimator.experimental.stop_if_no_decrease_hook": lambda p: tf.estimator.experimental.stop_if_no_decrease_hook(
        estimator(), "loss", 1, eval_dir=p
    ),
    "estimator.experimental.stop_if_no_increase_hook": lambda p: tf.estimator.experimental.stop_if_no_increase_hook(
        estimator(), "loss", 1, eval_dir=p
    ),
    "estimator.model_to_estimator": lambda p: tf.estimator.model_to_estimator(keras_model_path=p),
    "io.TFRecordWriter": lambda p: tf.io.TFRecordWriter(p),
    "io.gfile.GFile": lambda p: gfile.GFile(p, "w").close(),
    "io.gfile.copy": lambda p: gfile.copy(p, "there"),
    "io.gfile.exists": gfile.exists,
    "io.gfile.glob": gfile.glob,
    "io.gfile.isdir": gfile.isdir,
    "io.gfile.listdir": gfile.listdir,
    "io.gfile.makedirs": gfile.makedirs,
    "io.gfile.mkdir": gfile.mkdir,
    "io.gfile.remove": gfile.remove,
    "io.gfile.rename": lambda p: gfile.rename(text_file("here"), p),
    "io.gfile.rmtree": gfile.rmtree,
    "io.gfile.stat": gfile.stat,
    "io.gfile.walk": lambda p: list(gfile.walk(p)),
    "io.match_filenames_once": tf.io.match_filenames_once,
    "io.matching_files": tf.io.matching_files,
    "io.read_file": tf.io.read_file,
    "io.write_file": lambda p: tf.io.write_file(p, "text"),
    "feature_column.categorical_column_with_vocabulary_file": lambda p: column.categorical_column_with_vocabulary_file(
        "k", p
    ),
    "compat.v1.feature_column.categorical_column_with_vocabulary_file": lambda p: (
        tf.compat.v1.feature_column.categorical_column_with_vocabulary_file("k", p)
    ),
    "compat.v1.feature_column.shared_embedding_columns": lambda p: tf.compat.v1.feature_column.shared_embedding_columns(
        [column.categorical_column_with_identity("k", 2)], 2, ckpt_to_load_from=p, tensor_name_in_ckpt="t"
    ),
    "feature_column.embedding_column": lambda p: column.embedding_column(
        column.categorical_column_with_identity("k", 2), 2, ckpt_to_load_from=p, tensor_name_in_ckpt="t"
    ),
    "feature_column.sequence_categorical_column_with_vocabulary_file": lambda p: (
        column.sequence_categorical_column_with_vocabulary_file("k", p)
    ),
    "feature_column.shared_embeddings": lambda p: column.shared_embeddings(
        [column.categorical_column_with_identity("k", 2)], 2, ckpt_to_load_from=p, tensor_name_in_ckpt="t"
    ),
    "lookup.TextFileInitializer": lambda p: tf.lookup.TextFileInitializer(p, tf.string, -2, tf.int64, -1),
    "keras.Model.export": lambda p: model().export(p),
    "keras.Model.load_weights": lambda p: model().load_weights(p),
    "keras.Model.save": lambda p: model().save(ending(p, ".h5")),
    "keras.Model.save_weights": lambda p: model().save_weights(p),
    "keras.callbacks.BackupAndRestore": lambda p: keras.callbacks.BackupAndRestore(p),
    "keras.callbacks.CSVLogger": lambda p: keras.callbacks.CSVLogger(p),
    "keras.callbacks.ModelCheckpoint": lambda p: keras.callbacks.ModelCheckpoint(filepath=ending(p, ".keras")),
    "keras.callbacks.TensorBoard": lambda p: tf.keras.callbacks.TensorBoard(p),
    "keras.export.ExportArchive.write_out": lambda p: archive().write_out(p),
    "keras.layers.IntegerLookup.load_assets": lambda p: keras.layers.IntegerLookup.load_assets(None, p),
    "keras.layers.IntegerLookup.save_assets": lambda p: keras.layers.IntegerLookup.save_assets(None, p),
    "keras.layers.StringLookup.load_assets": lambda p: keras.layers.StringLookup.load_assets(None, p),
    "keras.layers.StringLookup.save_assets": lambda p: keras.layers.StringLookup.save_assets(None, p),
    "keras.layers.TextVectorization.load_assets": lambda p: keras.layers.TextVectorization.load_assets(None, p),
    "keras.layers.TextVectorization.save_assets": lambda p: keras.layers.TextVectorization.save_assets(None, p),
    "keras.models.load_model": lambda p: tf.keras.models.load_model(p),
    "keras.models.save_model": lambda p: tf.keras.models.save_model(model(), ending(p, ".h5")),
    "keras.preprocessing.image.load_img": lambda p: keras.preprocessing.image.load_img(p),
    "keras.preprocessing.image.save_img": lambda p: keras.preprocessing.image.save_img(p, np.ones((1, 1, 3))),
    "keras.preprocessing.image_dataset_from_directory": lambda p: keras.preprocessing.image_dataset_from_directory(p),
    "keras.preprocessing.text_dataset_from_directory": lambda p: keras.preprocessing.text_dataset_from_directory(p),
    "keras.saving.KerasFileEditor": lambda p: keras.saving.KerasFileEditor(p),
    "keras.saving.KerasFileEditor.resave_weights": lambda p: keras.saving.KerasFileEditor.resave_weights(None, p),
    "keras.saving.KerasFileEditor.save": lambda p: keras.saving.KerasFileEditor.save(None, p),
    "keras.saving.load_model": lambda p: tf.keras.saving.load_model(p),
    "keras.saving.load_weights": lambda p: keras.saving.load_weights(model(), p),
    "keras.saving.save_model": lambda p: tf.keras.saving.save_model(model(), ending(p, ".h5")),
    "keras.saving.save_weights": lambda p: keras.saving.save_weights(model(), p),
    "keras.utils.FeatureSpace.save": lambda p: keras.utils.FeatureSpace.save(None, p),
    "keras.utils.SidecarEvaluator": lambda p: tf.keras.utils.SidecarEvaluator(model(), features(), p),
    "keras.utils.audio_dataset_from_directory": lambda p: keras.utils.audio_dataset_from_directory(p),
    "keras.utils.get_file": lambda p: keras.utils.get_file(origin="http://localhost:9/f", cache_dir=p),
    "keras.utils.image_dataset_from_directory": lambda p: keras.utils.image_dataset_from_directory(p),
    "keras.utils.load_img": lambda p: keras.utils.load_img(p),
    "keras.utils.plot_model": lambda p: keras.utils.plot_model(model(), p),
    "keras.preprocessing.image.DirectoryIterator": lambda p: images.DirectoryIterator(p, None),
    "keras.preprocessing.image.DirectoryIterator.set_processing_attrs": lambda p: (
        images.DirectoryIterator.set_processing_attrs(
            None, None, (1, 1), "rgb", None, p, "", "png", None, "nearest", False
        )
    ),
    "keras.preprocessing.image.ImageDataGenerator.flow": lambda p: images.ImageDataGenerator().flow(
        PIXEL, save_to_dir=p
    ),
    "keras.preprocessing.image.ImageDataGenerator.flow_from_dataframe": lambda p: (
        images.ImageDataGenerator().flow_from_dataframe(None, p)
    ),
    "keras.preprocessing.image.ImageDataGenerator.flow_from_directory": lambda p: (
        images.ImageDataGenerator().flow_from_directory(p)
    ),
    "keras.preprocessing.image.NumpyArrayIterator": lambda p: images.NumpyArrayIterator(
        PIXEL, None, None, save_to_dir=p
    ),
    "keras.utils.save_img": lambda p: keras.utils.save_img(p, np.ones((1, 1, 3))),
    "keras.utils.text_dataset_from_directory": lambda p: keras.utils.text_dataset_from_directory(p),
    "keras.visualization.plot_image_gallery": lambda p: keras.visualization.plot_image_gallery(
        np.ones((1, 2, 2, 3)), path=p
    ),
    "compat.v1.summary.FileWriter": tf.compat.v1.summary.FileWriter,
    "compat.v1.summary.FileWriterCache.get": lambda p: graph_in(lambda: tf.compat.v1.summary.FileWriterCache.get(p)),
    "compat.v1.train.ChiefSessionCreator": lambda p: tf.compat.v1.train.ChiefSessionCreator(checkpoint_dir=p),
    "compat.v1.train.MonitoredTrainingSession": lambda p: graph_in(
        lambda: tf.compat.v1.train.MonitoredTrainingSession(checkpoint_dir=p).close()
    ),
    "compat.v1.train.Saver.restore": lambda p: tf.compat.v1.train.Saver({"v": tf.Variable(0)}).restore(None, p),
    "compat.v1.train.Saver.save": lambda p: tf.compat.v1.train.Saver({"v": tf.Variable(0)}).save(None, p),
    "compat.v1.train.Saver.recover_last_checkpoints": lambda p: tf.compat.v1.train.Saver(
        {"v": tf.Variable(0)}
    ).recover_last_checkpoints([p]),
    "summary.create_file_writer": lambda p: tf.summary.create_file_writer(p),
    "train.Checkpoint.read": lambda p: checkpoint().read(p),
    "train.Checkpoint.restore": lambda p: checkpoint().restore(p),
    "train.Checkpoint.save": lambda p: checkpoint().save(p),
    "train.Checkpoint.write": lambda p: checkpoint().write(p),
    "train.CheckpointView": tf.train.CheckpointView,
    "train.CheckpointManager": lambda p: tf.train.CheckpointManager(checkpoint(), p, 1),
    "train.checkpoints_iterator": lambda p: next(tf.train.checkpoints_iterator(p, timeout=0)),
    "train.get_checkpoint_state": tf.train.get_checkpoint_state,
    "nn.fixed_unigram_candidate_sampler": lambda p: tf.nn.fixed_unigram_candidate_sampler([[1]], 1, 1, True, 5, p),
    "profiler.experimental.Profile": lambda p: tf.profiler.experimental.Profile(p).__enter__(),
    "profiler.experimental.start": lambda p: (tf.profiler.experimental.start(p), tf.profiler.experimental.stop()),
    "compat.v1.train.NewCheckpointReader": tf.compat.v1.train.NewCheckpointReader,
    "compat.v1.train.init_from_checkpoint": lambda p: tf.compat.v1.train.init_from_checkpoint(p, {}),
    "train.latest_checkpoint": tf.train.latest_checkpoint,
    "train.list_variables": tf.train.list_variables,
    "train.load_checkpoint": tf.train.load_checkpoint,
    "train.load_variable": lambda p: tf.train.load_variable(p, "v"),
}
CANNED = [
    *("BaselineClassifier", "BaselineEstimator", "BaselineRegressor", "DNNClassifier", "DNNEstimator", "DNNRegressor"),
    *("DNNLinearCombinedClassifier", "DNNLinearCombinedEstimator", "DNNLinearCombinedRegressor"),
    *("LinearClassifier", "LinearEstimator", "LinearRegressor"),
]
CALLS |= {
    f"{namespace}.{name}": functools.partial(canned, _member(f"{namespace}.{name}"))
    for namespace in ("estimator", "compat.v1.estimator")
    for name in CANNED
}
CALLS["compat.v1.estimator.tpu.TPUEstimator"] = lambda p: tf.compat.v1.estimator.tpu.TPUEstimator(
    lambda features, params: None, p, tf.compat.v1.estimator.tpu.RunConfig(), train_batch_size=8
)
# What has such a parameter, and takes no path of a file of ours.


def canned(name: str) -> Callable[[Any], Any]:
    """Makes a canned Estimator of this name with a model_dir."""
    number = [column.numeric_column("n")]
    arguments: dict[str, Any] = {"head": tf.estimator.RegressionHead()} if name.endswith("Estimator") else {}
    if "Combined" in name:
        arguments |= {"linear_feature_columns": number}
    elif "Baseline" not in name:
        arguments |= {"feature_columns": number} | ({"hidden_units": [1]} if "DNN" in name else {})
    return lambda p: functools.reduce(getattr, name.split("."), tf)(model_dir=p, **arguments)


CALLS |= {
    f"{namespace}.{kind}{task}": canned(f"{namespace}.{kind}{task}")
    for namespace in ("estimator", "compat.v1.estimator")
    for kind in ("Baseline", "DNN", "DNNLinearCombined", "Linear")
    for task in ("Classifier", "Estimator", "Regressor")
}
CALLS["compat.v1.estimator.tpu.TPUEstimator"] = lambda p: tf.compat.v1.estimator.tpu.TPUEstimator(
    lambda features, params: None, p, tf.compat.v1.estimator.tpu.RunConfig(), use_tpu=False
)

NOT_PATHS = {
    "compat.v1.train.Saver": "filename is ignored",
    "strings.regex_full_match": "an expression",
    "strings.regex_replace": "an expression",
    "compat.path_to_str": "turns a path into text",
    "compat.v1.flags.FlagValues.append_flags_into_file": "absl's, with Python's open",
    "compat.v1.flags.FlagValues.write_help_in_xml_format": "an open file, of absl",
    "debugging.enable_check_numerics": "path_length_limit is a number",
    "nn.ctc_beam_search_decoder": "top_paths is a number",
    "estimator.BestExporter": "a pattern, which is not used",
    "estimator.BestExporter.export": "given by train_and_evaluate, and to export_saved_model",
    "estimator.Exporter.export": "the user's own",
    "estimator.FinalExporter.export": "given by train_and_evaluate, and to export_saved_model",
    "estimator.LatestExporter.export": "given by train_and_evaluate, and to export_saved_model",
    "io.gfile.GFile.write": "what is written",
    "io.gfile.join": "text",
    "keras.backend.permute_dimensions": "pattern is an order of dimensions",
    "keras.callbacks.OrbaxCheckpoint": "Orbax brings it to other machines",
    "keras.callbacks.RemoteMonitor": "part of an address",
    "keras.datasets.boston_housing.load_data": "a name in Keras' cache",
    "keras.datasets.california_housing.load_data": "a name in Keras' cache",
    "keras.datasets.imdb.get_word_index": "a name in Keras' cache",
    "keras.datasets.imdb.load_data": "a name in Keras' cache",
    "keras.datasets.reuters.get_word_index": "a name in Keras' cache",
    "keras.datasets.reuters.load_data": "a name in Keras' cache",
    "keras.distribution.DataParallel.get_tensor_layout": "of a variable",
    "keras.distribution.ModelParallel.get_tensor_layout": "of a variable",
    "keras.ops.ctc_decode": "top_paths is a number",
    "keras.ops.rearrange": "of letters",
    "keras.saving.KerasFileEditor.add_object": "of an object in the file",
    "keras.utils.model_to_dot": "rankdir is no directory",
    "test.TestCase.create_tempfile": "a name in the test's own folder, of absl",
}


def test_whatever_takes_a_path_is_known_here() -> None:
    found = taking_paths()
    known = {same(_member(name)) for name in (*CALLS, *NOT_PATHS)}
    assert [name for name in found if same(_member(name)) not in known] == []


# What works with files of this machine only, and refuses others.
ONLY_HERE = [
    *("config.experimental.set_compilation_cache", "data.Dataset.cache", "data.Dataset.load", "data.Dataset.save"),
    *("data.Dataset.snapshot", "data.experimental.load", "data.experimental.save", "data.experimental.snapshot"),
    *("keras.callbacks.CSVLogger", "keras.utils.get_file", "launch"),
    *(f"keras.layers.{n}.load_assets" for n in ("IntegerLookup", "StringLookup", "TextVectorization")),
    *(f"keras.layers.{n}.save_assets" for n in ("IntegerLookup", "StringLookup", "TextVectorization")),
    *(f"keras.utils.{n}_dataset_from_directory" for n in ("audio", "image", "text")),
    *(f"keras.preprocessing.{n}_dataset_from_directory" for n in ("image", "text")),
    *(name for name in CALLS if name.startswith("keras.preprocessing.image.") and not name.endswith("_img")),
]


@pytest.fixture
def without_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    """The packages of schemes are not installed."""
    for package in ("gcsfs", "s3fs"):
        monkeypatch.setitem(sys.modules, package, None)


@pytest.fixture
def memory() -> Iterator[Any]:
    """fsspec's file system in memory, empty."""
    files = fsspec.filesystem("memory")
    files.store.clear()
    files.pseudo_dirs[:] = [""]
    yield files
    files.store.clear()
    files.pseudo_dirs[:] = [""]


@pytest.mark.usefixtures("without_packages")
@pytest.mark.parametrize("name", CALLS)
def test_a_scheme_is_refused_and_leaves_nothing(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for path in ("gs://bucket/ck", Path("s3://bucket/ck"), "nosuch://ck"):
        with pytest.raises(tf.errors.UnimplementedError, match=r"scheme '(gs|s3|nosuch)' is not implemented"):
            CALLS[name](path)
    assert {p.name for p in tmp_path.iterdir()} <= {"here"}


@pytest.mark.parametrize("name", CALLS)
def test_a_remote_file_system_is_used_or_refused_by_name(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, memory: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    try:
        CALLS[name]("memory://box/x")
        refused = None
    except Exception as error:  # there is nothing yet, or no object that has the method
        refused = error
    by_name = isinstance(refused, tf.errors.UnimplementedError) and "scheme 'memory'" in str(refused)
    assert by_name == (name in ONLY_HERE), repr(refused)
    if isinstance(refused, OSError):
        assert "memory://box" in str(refused), "it looked for something else"
    assert {p.name for p in tmp_path.iterdir()} <= {"here"}


def test_a_path_without_a_folder_makes_none_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, memory: Any) -> None:
    monkeypatch.chdir(tmp_path)
    v = tf.Variable(3.0)
    for options in (None, tf.train.CheckpointOptions(format="tensorflow")):
        path = tf.train.Checkpoint(v=v).save("memory://ck", options)
        assert tf.train.latest_checkpoint("memory://") == path == "memory://ck-1"
    model().save_weights("memory://w")
    model().save("memory://m")
    with pytest.raises(tf.errors.InvalidArgumentError, match="names no folder: give one, memory://folder/name"):
        keras.callbacks.ModelCheckpoint("memory://m.keras")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.usefixtures("without_packages")
def test_other_kinds_of_paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for call in (
        lambda: tf.data.TFRecordDataset(["a", b"gs://b/c"]),
        lambda: list(tf.data.TextLineDataset(tf.data.Dataset.from_tensors("gs://b/c"))),
        lambda: list(tf.data.Dataset.from_tensors("gs://b/c").map(tf.io.read_file)),
        lambda: tf.io.gfile.copy(text_file("here"), np.array(b"gs://b/c", object)),
        lambda: tf.print("text", output_stream="gs://b/c"),
        lambda: tf.estimator.Estimator(lambda features: None, warm_start_from="gs://b/c"),
    ):
        with pytest.raises(tf.errors.UnimplementedError, match="'gs' is not implemented"):
            call()
    assert {p.name for p in tmp_path.iterdir()} == {"here"}


@pytest.mark.parametrize(
    "arguments",
    [
        ["check", "gs://b/c"],
        ["checkpoint", "ls", "gs://b/c"],
        ["checkpoint", "list", "gs://b/c"],
        ["checkpoint", "show", "gs://b/c"],
        ["checkpoint", "verify", "gs://b/c"],
        ["checkpoint", "diff", "gs://b/c", "here"],
        ["checkpoint", "diff", "here", "gs://b/c"],
        ["checkpoint", "convert", "--to", "tensorflow", "gs://b/c", "here"],
        ["launch", "--log-dir", "gs://b/c", "program.py"],
        ["launch", "--token-file", "gs://b/c", "program.py"],
        ["token", "gs://b/c"],
    ],
    ids=" ".join,
)
@pytest.mark.usefixtures("without_packages")
def test_the_command_line_refuses_a_scheme(
    arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    ended = CliRunner().invoke(main, arguments)
    assert ended.exit_code == 2
    assert "scheme 'gs' is not implemented" in " ".join(ended.output.split())
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("given", "path"),
    [
        ("file:///tmp/x", "/tmp/x"),
        ("file://host/tmp/x", "/tmp/x"),
        (b"file:///tmp/x", "/tmp/x"),
        (Path("file:///tmp/x"), "/tmp/x"),
        (np.array("file:///tmp/x", object), "/tmp/x"),
        ("a/b", "a/b"),
        ("C:/x", "C:/x"),
        (Path("a:b/c"), "a:b/c"),
        ("a b://c", "a b://c"),
        ("/gs://b", "/gs://b"),
    ],
    ids=repr,
)
def test_local_paths(given: Any, path: str) -> None:
    assert local_path(given) == path


def test_file_urls_are_paths_of_this_machine(tmp_path: Path) -> None:
    url = f"file://{tmp_path}"
    first = tf.train.Checkpoint(v=tf.Variable(3.0))
    saved = first.save(f"{url}/ck")
    assert saved == str(tmp_path / "ck-1")
    v = tf.Variable(0.0)
    tf.train.Checkpoint(v=v).restore(tf.train.latest_checkpoint(url))
    assert float(v.numpy()) == 3.0
    model().save(f"{url}/m.keras")
    assert tf.keras.models.load_model(f"{url}/m.keras").count_params() == 2
    tf.io.gfile.GFile(f"{url}/t.txt", "w").close()
    assert tf.io.gfile.listdir(url) == [p.name for p in tmp_path.iterdir()]
    assert list(tf.data.TextLineDataset(f"{url}/t.txt")) == []
