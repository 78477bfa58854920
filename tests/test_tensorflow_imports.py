"""`install_as_tensorflow`: what other people's `import tensorflow` finds, each in a process of its own."""

import json
import os
from pathlib import Path
from typing import Any

from tests import prepared

COLLEAGUE = """
import tensorflow as tf
import tensorflow.compat.v2 as tf2
from tensorflow import keras
from tensorflow.keras import layers
from tensorflow.keras.optimizers import SGD

def weights_after(steps):
    keras.utils.set_random_seed(1)
    model = keras.Sequential([layers.Input((3,)), layers.Dense(2, activation="relu"), layers.Dense(1)])
    optimizer = SGD(0.1)
    for step in range(steps):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf2.square(model(tf.ones([4, 3])) - float(step)))
        variables = model.trainable_variables
        optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
    return [w.tolist() for w in model.get_weights()]
"""

COLLEAGUE_IS_USED = """
import json, sys
import stratagem
stratagem.install_as_tensorflow()
stratagem.install_as_tensorflow()
import colleague
before = colleague.weights_after(3)
import tensorflow as tf
import tensorflow.keras.layers
import tensorflow_addons as tfa
from tensorflow_addons.optimizers import AdamW
text = open(colleague.__file__).read().replace("import tensorflow as tf", "import stratagem as tf", 1)
text = text.replace("import tensorflow.compat.v2 as tf2", "tf2 = tf").replace("from tensorflow", "from stratagem")
changed = {}
exec(text, changed)
tf.random.user_attribute = 1
print(json.dumps({
    "as imported": before, "with the import changed": changed["weights_after"](3),
    "same class": tf.keras.layers.Dense is stratagem.keras.layers.Dense is tensorflow.keras.layers.Dense,
    "version": tf.__version__ == stratagem.__version__, "listed": set(dir(stratagem)) <= set(dir(tf)),
    "addons": tfa.optimizers.AdamW is AdamW is stratagem.addons.optimizers.AdamW,
    "set": stratagem.random.user_attribute, "dense": "tensorflow.python" in sys.modules,
}))
"""

MISSING = """
import importlib.util, json, sys
import numpy as np
import stratagem
import keras
found = {"before": importlib.util.find_spec("tensorflow") is not None}
stratagem.install_as_tensorflow()
found["after"] = importlib.util.find_spec("tensorflow") is not None
import tensorflow as tf
for _ in range(2):
    found["has"] = hasattr(tf, "lite")
found["misspelt"] = hasattr(tf.math, "sqrtt")
for statement in ("from tensorflow.python.framework import ops", "from tensorflow import mlir", "import tensorflow._api"):
    try:
        exec(statement)
    except ImportError as error:
        found[statement] = type(error).__name__
try:
    keras.layers.StringLookup(vocabulary=["a"])(np.array(["a"]))
except ImportError as error:
    found["keras"] = str(error)
print(json.dumps(found))
"""

TOO_LATE = """
import tensorflow
import stratagem
try:
    stratagem.install_as_tensorflow()
except RuntimeError as error:
    print(error)
import tensorflow
print(tensorflow.mine)
"""

TENSORFLOW_DATASETS = """
import json
import numpy as np
import stratagem as tf
tf.install_as_tensorflow()
cpu = tf.config.list_physical_devices("CPU")[0]
tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
import tensorflow_datasets as tfds

class Squares(tfds.core.GeneratorBasedBuilder):
    VERSION = tfds.core.Version("1.0.0")

    def _info(self):
        features = {"x": tfds.features.Tensor(shape=(2,), dtype=np.float32), "y": tfds.features.ClassLabel(num_classes=9)}
        return tfds.core.DatasetInfo(builder=self, features=tfds.features.FeaturesDict(features), supervised_keys=("x", "y"))

    def _split_generators(self, manager):
        return {"train": self._generate_examples()}

    def _generate_examples(self):
        for i in range(12):
            yield i, {"x": np.array([i, i * i], np.float32), "y": i % 9}

builder = Squares(data_dir=".")
builder.download_and_prepare()
dataset = builder.as_dataset(split="train", as_supervised=True)
assert isinstance(dataset, tf.data.Dataset)
strategy = tf.distribute.MirroredStrategy(["cpu:0", "cpu:1"])
total = 0.0
for x, y in strategy.experimental_distribute_dataset(dataset.batch(4)):
    total += float(strategy.reduce("sum", strategy.run(lambda x, y: tf.reduce_sum(x), args=(x, y)), axis=None))
rows = sorted([*x.numpy().tolist(), int(y)] for x, y in dataset)
print(json.dumps({"rows": rows, "sum": total}))
"""


def run(program: str, path: Path) -> tuple[str, str]:
    """What a program prints and logs that is run in this folder, from which it can import."""
    env = os.environ | {"PYTHONPATH": os.pathsep.join([str(path), os.environ.get("PYTHONPATH", "")])}
    ended = prepared.run(program, environment=env, directory=path)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout, ended.stderr


def answers(program: str, path: Path) -> tuple[Any, str]:
    """What a program prints as JSON in its last line, and what it logs."""
    out, log = run(program, path)
    return json.loads(out.splitlines()[-1]), log


def test_a_module_that_imports_tensorflow_trains_as_with_the_import_changed(tmp_path: Path) -> None:
    tmp_path.joinpath("colleague.py").write_text(COLLEAGUE)
    found, log = answers(COLLEAGUE_IS_USED, tmp_path)
    assert len(found["as imported"]) == 4
    assert found["as imported"] == found["with the import changed"]
    assert found["same class"]
    assert found["version"]
    assert found["listed"]
    assert found["set"] == 1
    assert found["addons"]
    assert not found["dense"]
    assert "asks for" not in log


def test_what_asks_for_a_missing_name_is_told_once_in_the_log(tmp_path: Path) -> None:
    found, log = answers(MISSING, tmp_path)
    assert not found["before"]
    assert found["after"]
    assert not found["has"]
    assert not found["misspelt"]
    assert found["from tensorflow.python.framework import ops"] == "ModuleNotFoundError"
    assert found["from tensorflow import mlir"] == "ImportError"
    assert found["import tensorflow._api"] == "ModuleNotFoundError"
    assert log.count("<string>, line 11, asks for tensorflow.lite: tf.lite is not provided") == 1
    assert log.count("<string>, line 12, asks for tensorflow.math.sqrtt: ") == 1
    assert "asks for tensorflow.python: stratagem has no module of this name" in log
    # Keras has uses of its own for TensorFlow, which need the original.
    assert "Install it via `pip install tensorflow`" in found["keras"]


def test_it_refuses_when_tensorflow_itself_is_imported_already(tmp_path: Path) -> None:
    tmp_path.joinpath("tensorflow").mkdir()
    tmp_path.joinpath("tensorflow", "__init__.py").write_text("mine = 'the original'\n")
    out, _ = run(TOO_LATE, tmp_path)
    assert "after TensorFlow itself was imported" in out
    assert str(tmp_path / "tensorflow") in out
    assert out.endswith("the original\n")


def test_tensorflow_datasets_prepares_and_reads_a_dataset(tmp_path: Path) -> None:
    found, _ = answers(TENSORFLOW_DATASETS, tmp_path)
    assert found["rows"] == sorted([float(i), float(i * i), i % 9] for i in range(12))
    assert found["sum"] == sum(i + i * i for i in range(12))
