"""In every public namespace a missing name of TensorFlow says what to use, and any other wrong name that it is one."""

import copy
import inspect
import pickle
import re
from types import ModuleType

import jax
import jax.experimental.pallas
import jax.experimental.sparse
import jax.export
import jax.ffi
import jax.image
import jax.scipy.signal
import keras
import numpy
import pytest

import stratagem as tf
from stratagem._base.errors import NotProvidedError
from stratagem._ops import INSTEAD, not_provided, tensorflow_names

WRONG = "nothing_like_it"
EARLIER = {  # names of TensorFlow before 2.15, which programs still use
    *("BoostedTreesClassifier", "BoostedTreesEstimator", "BoostedTreesRegressor"),
}


def reached(namespace: str) -> ModuleType | None:
    """The module of a namespace of TensorFlow's, if it is here."""
    module = tf
    for part in namespace.split(".") if namespace else []:
        module = getattr(module, part, None)
    return module if isinstance(module, ModuleType) else None


HERE = [namespace for namespace in tensorflow_names() if reached(namespace)]


def said(module: ModuleType, name: str) -> AttributeError | None:
    """The error for a name, None if the name is there."""
    try:
        getattr(module, name)
    except AttributeError as error:
        return error
    return None


@pytest.mark.parametrize("namespace", HERE)
def test_only_a_package_has_a_path_to_import_from(namespace: str) -> None:
    """One that gave another package's path would import that package's modules a second time, under its own name."""
    module = reached(namespace)
    spec = module.__spec__
    assert hasattr(module, "__path__") == (spec.submodule_search_locations is not None), module


@pytest.mark.parametrize("namespace", HERE)
def test_what_is_said_about_wrong_names(namespace: str) -> None:
    module = reached(namespace)
    error = said(module, WRONG)
    assert type(error) is AttributeError
    assert f"has no attribute {WRONG!r}: TensorFlow has no such name either." in str(error)
    for name in tensorflow_names()[namespace]:
        error = said(module, name)
        if error is not None:
            assert isinstance(error, NotProvidedError), f"{namespace}.{name}: {error}"
            assert re.fullmatch(rf"tf\.\S*{name} is not provided; use .+\. See \S+\.", str(error)), error


def test_every_row_is_about_names_of_tensorflow() -> None:
    names = tensorflow_names()
    for namespace, rows in INSTEAD.items():
        known = {*names[namespace], *names.get(f"compat.v1.{namespace}".rstrip("."), ()), *EARLIER, ""}
        assert sorted(rows.keys() - known) == [], namespace


def test_every_row_names_what_is_there() -> None:
    roots = {"tf": tf, "jax": jax, "keras": keras, "numpy": numpy}
    for text in {text for rows in INSTEAD.values() for text in rows.values()}:
        for path in re.findall(r"(?<![\w.])(?:tf|jax|keras|numpy)(?:\.\w+)+", text):
            value = roots[path.partition(".")[0]]
            if path != "tf.raw_ops.MatMul":
                for part in path.split(".")[1:]:
                    value = getattr(value, part) if hasattr(value, part) else pytest.fail(f"{path} in {text!r}")


@pytest.mark.parametrize(
    ("namespace", "name", "text"),
    [
        ("io", "decode_proto", "the message's own class of protobuf in tf.numpy_function"),
        ("keras.layers", "LocallyConnected1D", "a layer of your own with one kernel for each place"),
        ("distribute.experimental", "rpc", "ClusterCoordinator.schedule"),
        ("compat.v1.keras.backend", "get_session", "Keras has no sessions here"),
        ("", "Session", "the same name of tf.compat.v1"),
        ("compat.v1.io", "decode_proto", "the message's own class of protobuf in tf.numpy_function"),
        ("compat.v1.debugging", "is_nan", "the function of the same name in tf.math"),
    ],
)
def test_what_to_use(namespace: str, name: str, text: str) -> None:
    error = not_provided(namespace, name)
    assert isinstance(error, NotProvidedError)
    assert text in str(error)


@pytest.mark.parametrize(
    ("namespace", "name", "text"),
    [
        ("keras.layers", "Densee", "Did you mean tf.keras.layers.Dense"),
        ("train", "Checkpont", "Did you mean tf.train.Checkpoint"),
        ("keras.applications.resnet50", "ResNet5", "Did you mean tf.keras.applications.resnet50.ResNet50"),
        ("", "get_variable", "TensorFlow 2 has it as tf.compat.v1.get_variable only."),
    ],
)
def test_the_nearest_name(namespace: str, name: str, text: str) -> None:
    error = said(reached(namespace), name)
    assert type(error) is AttributeError
    assert text in str(error)


@pytest.mark.parametrize("module", [tf, tf.train, tf.keras, tf.keras.layers, tf.version, tf.compat.v1.flags])
def test_modules_are_still_modules(module: ModuleType) -> None:
    assert not hasattr(module, WRONG)
    assert getattr(module, "Sessionn", 3) == 3
    with pytest.raises(ImportError, match="cannot import name 'nothing_like_it'"):
        exec(f"from {module.__name__} import {WRONG}")
    assert inspect.unwrap(module) is module
    assert inspect.getdoc(module)
    assert inspect.getmembers(module, inspect.isclass) is not None
    assert WRONG not in dir(module)


def test_what_is_in_a_namespace_can_be_copied_and_pickled() -> None:
    dense = tf.keras.layers.Dense
    assert pickle.loads(pickle.dumps(dense)) is copy.deepcopy(dense) is dense
    error = pickle.loads(pickle.dumps(not_provided("lookup", "StaticHashTable")))
    assert isinstance(error, NotProvidedError)
