"""`stratagem check`: what it finds in programs, what it prints, its exit status, and what --fix rewrites."""

import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from stratagem.cli import main

# Private: what the checker knows of clauses has to be of clauses that the table still has.
from stratagem.cli.migration._differences import clauses, stated_clauses

ROOT = Path(__file__).parents[2]


def check(*arguments: object, answer: str | None = None) -> Result:
    result = CliRunner().invoke(main, ["check", *map(str, arguments)], input=answer)
    assert result.exception is None or isinstance(result.exception, SystemExit), "a traceback"
    return result


def found(path: Path) -> Any:
    return json.loads(check(path, "--json").stdout)


def states(folder: Path, text: str, name: str = "a.py") -> list[tuple[int, str, str]]:
    """The line, name and state of each use in a program."""
    (folder / name).write_text(text)
    return [(use["line"], use["name"], use["state"]) for use in found(folder / name)["uses"]]


def notebook(*cells: Any) -> str:
    listed = [{"cell_type": "code", "source": source, "outputs": [], "metadata": {}} for source in cells]
    return json.dumps({"cells": listed, "nbformat": 4, "nbformat_minor": 4, "metadata": {}}, indent=1)


@pytest.mark.parametrize(
    ("text", "name", "state"),
    [
        ("import tensorflow as tf\ntf.reduce_mean([1.])", "tf.reduce_mean", "works"),
        ("import tensorflow\ntensorflow.keras.layers.Dense(1)", "tf.keras.layers.Dense", "works"),
        ("import tensorflow.keras.layers\ntensorflow.keras.layers.Dense(1)", "tf.keras.layers.Dense", "works"),
        ("import tensorflow.compat.v1 as tf\ntf.placeholder('int32')", "tf.compat.v1.placeholder", "works"),
        ("import tensorflow.compat.v2 as tf\ntf.linalg.expm([1])", "tf.linalg.expm", "differs"),
        ("import tensorflow as tf\nK = tf.keras.backend\nK.get_session()", "tf.keras.backend.get_session", "missing"),
        ("import tensorflow as tf\ndef f():\n  L = tf.lite\n  L.Interpreter()", "tf.lite.Interpreter", "missing"),
        ("import tensorflow as tf\ntf.optimizers.Adam(1)", "tf.keras.optimizers.Adam", "works"),
        ("from tensorflow.losses import MeanSquaredError as M\nM()", "tf.keras.losses.MeanSquaredError", "works"),
        ("import tensorflow as tf\ntf.losses.get_total_loss()", "tf.keras.losses.get_total_loss", "missing"),
        ("import tensorflow as tf\ntf.no_such_name()", "tf.no_such_name", "unknown"),
        ("import tensorflow as tf\ntf.contrib.layers.flatten(1)", "tf.contrib", "missing"),
        ("import tensorflow as tf\ntf.concat([], 0, foo=1)", "tf.concat", "missing"),
        ("import tensorflow as tf\nd = tf.data.Dataset.range(3)\nd.map(f, wrong=1)", "tf.data.Dataset.map", "missing"),
        ("import tensorflow as tf\ng = tf.Graph()\ng.as_graph_def()", "tf.Graph.as_graph_def", "missing"),
        ("from tensorflow.python.client import device_lib", "tensorflow.python.client.device_lib", "missing"),
        ("from tensorflow.python.keras.layers import Dense", "tf.keras.layers.Dense", "works"),
        ("from tensorflow.keras.layers import *\nDense(1)", "tf.keras.layers.Dense", "works"),
        ("from tensorflow import *\nadd(1, 2)", "tf.add", "works"),
        ("from tensorflow.compat.v1 import *\nplaceholder(float32)", "tf.compat.v1.placeholder", "works"),
        ("import tensorflow as tf\ntf.constant(1.0).eval()", "tf.Tensor.eval", "missing"),
        (
            "import tensorflow as tf\nm = tf.keras.Sequential()\nm.fit(x, workers=4)",
            "tf.keras.Sequential.fit",
            "missing",
        ),
        ("import tensorflow as tf\ntf.keras.Input((1,), 2, 'a')", "tf.keras.Input", "missing"),
        ("import tensorflow as tf\ntf.keras.Input((1,), 2)", "tf.keras.Input", "works"),
        ("from tensorflow.python.ops.rnn_cell import *", "tensorflow.python.ops.rnn_cell", "missing"),
        (
            "import tensorflow as tf\ntf.compat.v1.compat.v1.lite.Interpreter",
            "tf.compat.v1.lite.Interpreter",
            "missing",
        ),
        ("import tensorflow as tf\ntf.compat.v1.compat.v2.zeros(1)", "tf.zeros", "works"),
        ("import tensorflow.experimental.numpy as np\nnp.newaxis", "tf.experimental.numpy.newaxis", "missing"),
        ("import tensorflow as tf\ntf.name_scope('a', 'b', [])", "tf.name_scope", "missing"),
        ("import tensorflow as tf\ntf.name_scope(*names)", "tf.name_scope", "works"),
        ("import tensorflow as tf\ntf.keras.layers.Dense()", "tf.keras.layers.Dense", "missing"),
        ("import tensorflow as tf\ntf.keras.layers.Dense(**sizes)", "tf.keras.layers.Dense", "works"),
        ("import tensorflow as tf\ntf.keras.layers.LSTM(1, time_major=True)", "tf.keras.layers.LSTM", "missing"),
        ("import tensorflow as tf\ntf.keras.layers.LSTM(1, name='a', input_dim=3)", "tf.keras.layers.LSTM", "works"),
        ("import tensorflow as tf\ntf.keras.optimizers.SGD(momentums=1)", "tf.keras.optimizers.SGD", "missing"),
        ("import tensorflow as tf\nv = tf.Variable(1)\nd = {v.ref(): 1}\nv.ref(1)", "tf.Variable.ref", "missing"),
        ("import tensorflow as tf\ntf.summary.trace_on()", "tf.summary.trace_on", "missing"),
        ("import tensorflow as tf\ntf.data.Iterator.from_structure(1)", "tf.data.Iterator.from_structure", "unknown"),
        ("import tensorflow as tf\ntf.data.Dataset.range(1)", "tf.data.Dataset.range", "works"),
        ("import tensorflow as tf\ntf.keras.Model.__init__(m)", "tf.keras.Model.__init__", "works"),
        ("import tensorflow as tf\ntf.estimator.Estimator._check", "tf.estimator.Estimator._check", "missing"),
        (
            "import tensorflow as tf\ntf.keras.callbacks.ModelCheckpoint('a', period=2)",
            "tf.keras.callbacks.ModelCheckpoint",
            "works",
        ),
        ("import tensorflow as tf\ntf.keras.models.load_model('a', options=o)", "tf.keras.models.load_model", "works"),
        (
            "import tensorflow as tf\ntf.keras.Model.save_weights(m, 'a', save_format='h5')",
            "tf.keras.Model.save_weights",
            "works",
        ),
        (
            "import tensorflow as tf\ntf.keras.layers.BatchNormalization(fused=0)",
            "tf.keras.layers.BatchNormalization",
            "works",
        ),
        (
            "def g():\n  import tensorflow as t\n  return t\ndef f():\n  tf = g()\n  tf.lite.Interpreter()",
            "tf.lite.Interpreter",
            "missing",
        ),
        (
            "import importlib\nt = importlib.import_module('tensorflow.lite')\nt.Interpreter()",
            "tf.lite.Interpreter",
            "missing",
        ),
        ("import tensorflow as tf\ndef f(graph):\n  graph.as_graph_def()", "tf.Graph.as_graph_def", "missing"),
        (
            "import tensorflow as tf\ndef f(o, v):\n  o.add_slot(v, 'm')",
            "tf.keras.optimizers.legacy.Optimizer.add_slot",
            "missing",
        ),
        ("import tensorflow as tf\ndef f(k):\n  k().graph.as_graph_def()", "tf.Graph.as_graph_def", "missing"),
        (
            "import tensorflow as tf\nm = tf.keras.Sequential()\nm.save_spec()",
            "tf.keras.Sequential.save_spec",
            "missing",
        ),
        ("import tensorflow_addons as tfa\ntfa.optimizers.AdamW", "tfa.optimizers.AdamW", "works"),
        ("import tensorflow_addons as tfa\ntfa.optimizers.Yogi", "tfa.optimizers.Yogi", "missing"),
        ("import tensorflow_hub as hub", "tensorflow_hub", "missing"),
        ("import tensorflow_datasets as tfds\ntfds.load('mnist')", "tensorflow_datasets.load", "differs"),
        ("import tf_keras\ntf_keras.Sequential()", "tf.keras.Sequential", "works"),
        ("import stratagem as tf\ntf.install_as_tensorflow()", "tf.install_as_tensorflow", "works"),
        (
            "try:\n  import tensorflow.compat.v1 as tf\nexcept ImportError:\n  import tensorflow as tf\ntf.Session()",
            "tf.compat.v1.Session",
            "works",
        ),
    ],
)
def test_a_use_is_found_by_whatever_name_it_has(tmp_path: Path, text: str, name: str, state: str) -> None:
    assert [(n, s) for _, n, s in states(tmp_path, text) if n == name][-1:] == [(name, state)]


def test_what_differs_in_steps_alone_is_told_of_functions(tmp_path: Path) -> None:
    """What a module does when it is imported is in no step. Other differences are told everywhere."""
    text = "import tensorflow as tf\nw = tf.random.uniform((3,))\ndef f(x):\n  return tf.random.uniform(tf.shape(x))\n"
    assert (
        states(tmp_path, f"{text}tf.linalg.expm([1])\n")
        == [
            (1, "tensorflow", "works"),
            (2, "tf.random.uniform", "works"),
            (4, "tf.random.uniform", "differs"),
            (4, "tf.shape", "differs"),
            (5, "tf.linalg.expm", "differs"),
        ][-4:]
    )


@pytest.mark.parametrize(
    ("use", "state"),
    [
        ("tf.constant('text')", "works"),
        ("tf.constant(300)", "works"),
        ("tf.constant(x, tf.float32)", "works"),
        ("tf.constant([1, [255]], dtype='uint8')", "works"),
        ("tf.constant(300, tf.uint8)", "differs"),
        ("tf.constant(-1, tf.uint8)", "differs"),
        ("tf.constant(x, tf.int8)", "differs"),
        ("tf.constant(x, dtype)", "differs"),
        ("tf.constant(*x)", "differs"),
        ("list(map(tf.constant, x))", "differs"),
        ("tf.signal.frame(x, 4, frame_step=2)", "works"),
        ("tf.signal.frame(x, 4, frame_step=step)", "differs"),
        # What TensorFlow does, and more.
        ("tf.argsort(x)", "works"),
        ("tf.nn.conv2d(x, w, 1, 'SAME')", "works"),
        ("tf.nn.dropout(x, 0.5)", "works"),
        ("(tf.nn.dropout(x, 0.5), tf.distribute.MirroredStrategy)[0]", "differs"),
    ],
)
def test_a_difference_is_told_where_the_arguments_can_meet_it(tmp_path: Path, use: str, state: str) -> None:
    assert states(tmp_path, f"import tensorflow as tf\ndef f(x, w, end, step, dtype):\n  return {use}\n")[0][2] == state


def texts() -> list[str]:
    """The differences and replacements that the table tells."""
    table = json.loads((ROOT / "src/stratagem/cli/migration/table.json").read_text())
    return [row["text"] for rows in table["names"].values() for row in rows.values() if "text" in row]


def test_conditions_are_on_differences_of_the_table() -> None:
    every = [clause for text in texts() for clause in clauses(text)]
    assert [begin for begin in stated_clauses() if not any(clause.startswith(begin) for clause in every)] == []


def test_a_difference_is_told_of_the_names_that_it_is_about(tmp_path: Path) -> None:
    names = "image.convert_image_dtype", "nn.l2_loss", "train.Checkpoint"
    text = "import tensorflow as tf\n" + "".join(f"def f(): return tf.{name}\n" for name in names)
    assert {state for _, _, state in states(tmp_path, text)} == {"works"}


def test_every_text_of_the_table_is_whole() -> None:
    assert [
        t for t in texts() if t.count("(") != t.count(")") or t.count("`") % 2 or t.count("[") != t.count("]")
    ] == []


WORKERS = """\
import json, os
import tensorflow as tf
strategy = tf.distribute.MultiWorkerMirroredStrategy()
index = json.loads(os.environ["TF_CONFIG"])["task"]["index"]
task_id = index
model = build()
model.fit(data)
if task_id == 0:
    model.evaluate(data)
    model.save("m.keras")
    open("a", "w")
    plot.save("p")
    print(model.summary())
latest = tf.train.latest_checkpoint("checkpoints")
open("result.json", mode="w")
open(f"result-{index}.json", "w")
open("data.csv")
"""


def test_what_one_worker_does_alone_and_each_for_one_are_habits(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_text(WORKERS)
    assert [(h["line"], h["kind"]) for h in found(file)["habits"]] == [
        (9, "one_worker"),
        (10, "one_worker"),
        (14, "latest_checkpoint"),
        (15, "shared_file"),
    ]
    assert "only the chief writes checkpoints" in check(file).stdout
    file.write_text(WORKERS.replace("if task_id == 0:", "if debug:"))
    assert [(h["line"], h["kind"]) for h in found(file)["habits"]][:2] == [(10, "saved_once"), (11, "shared_file")]
    for other in ("MirroredStrategy()", "MultiWorkerMirroredStrategy(); tf.distribute.ParameterServerStrategy(r)"):
        file.write_text(WORKERS.replace("MultiWorkerMirroredStrategy()", other))
        assert {h["kind"] for h in found(file)["habits"]} <= {"devices"}


CLUSTER = """\
import os
import tensorflow as tf
os.environ["TF_CONFIG"] = str({"cluster": {JOBS}, "task": {"type": "worker", "index": 0}})
tf.estimator.train_and_evaluate(tf.estimator.Estimator(f, config=tf.estimator.RunConfig(WITH)), a, b)
"""


@pytest.mark.parametrize(
    ("jobs", "arguments", "told"),
    [
        ("'chief': ['a:1'], 'worker': ['b:1']", "", True),
        ("'worker': ['a:1', 'b:1']", "'m'", True),
        ("'worker': ['a:1', 'b:1']", "train_distribute=s", False),
        ("'chief': ['a:1'], 'worker': ['b:1'], 'ps': ['c:1']", "", False),
        ("'chief': ['a:1']", "", False),
    ],
)
def test_an_estimators_cluster_without_servers_is_a_habit(
    tmp_path: Path, jobs: str, arguments: str, *, told: bool
) -> None:
    file = tmp_path / "a.py"
    file.write_text(CLUSTER.replace("JOBS", jobs).replace("WITH", arguments))
    assert [(h["line"], h["kind"]) for h in found(file)["habits"]] == [(4, "estimator_cluster")] * told


@pytest.mark.parametrize(
    "text",
    [
        "def f(tf):\n  return tf.no_such_name\nimport tensorflow as tf",
        "import tensorflow as tf\n[tf.nothing for tf in ()]",
        "import tensorflow as tf\nx = tf.zeros(1)\nx.whatever()",
        "import keras\nkeras.nothing",
        "import numpy as tf  # tensorflow\ntf.nothing",
        "import tensorflow as tf\nif tf.__version__ >= '2':\n  tf = tf.compat.v1\nlayers = tf.layers\nlayers.Flatten()",
        "import tensorflow as tf\nclass A:\n  def as_graph_def(self): pass\ndef f(a):\n  a.as_graph_def()",
        "import tensorflow as tf\nclass A:\n  def __init__(self): self.save_spec = 1\ndef f(a):\n  a.save_spec()",
    ],
)
def test_another_thing_of_the_name_is_no_use(tmp_path: Path, text: str) -> None:
    assert [name for _, name, state in states(tmp_path, text) if state != "works"] == []


def test_a_name_that_is_bound_is_no_use(tmp_path: Path) -> None:
    text = "import tensorflow as tf\nactivation = tf.nn.relu\nactivation(1)\ndel activation\n"
    assert [line for line, _, _ in states(tmp_path, text)] == [2, 3]


TRIES = [
    # What the program does without by itself is no line to change, and what comes in its place counts.
    ("tf.log(1)", "AttributeError", "tf.math.log(1)", ["differs", "works"]),
    ("tf.log(1)", "(KeyError, AttributeError)", "tf.nothing", ["differs", "unknown"]),
    ("tf.concat([], 0, foo=1)", "TypeError", "tf.concat([], 0)", ["differs", "works"]),
    (
        "from tensorflow.lite import Interpreter as I",
        "ImportError",
        "from tensorflow import zeros as I",
        ["differs", "works", "works"],
    ),
    ("import tensorflow_hub as I", "ModuleNotFoundError", "I = None", ["differs", "missing"]),
    ("tf.contrib.f(1)", "Exception", "tf.zeros(1)", ["differs", "works"]),
    # Another error, no handler that goes on, more than a search for a name.
    ("tf.log(1)", "ImportError", "tf.zeros(1)", ["missing", "works"]),
    ("tf.log(1)", "AttributeError", "raise", ["missing"]),
    ("tf.log(1)", "Exception", "pass", ["missing"]),
    ("tf.zeros(1)\n  tf.log(1)", "Exception", "tf.zeros(1)", ["works", "missing", "works"]),
    ("def f():\n    tf.log(1)", "AttributeError", "pass", ["missing"]),
    # What is there is not looked for elsewhere.
    ("tf.zeros(1)", "AttributeError", "tf.contrib.f(1)", ["works", "works"]),
    ("import os, foo, tensorflow.compat.v1 as I", "ImportError", "tf.log(1)", ["missing", "unknown"]),
]


@pytest.mark.parametrize(("tried", "error", "handler", "expected"), TRIES)
def test_what_the_program_handles_itself(
    tmp_path: Path, tried: str, error: str, handler: str, expected: list[str]
) -> None:
    text = f"import tensorflow as tf\ntry:\n  {tried}\nexcept {error}:\n  {handler}\nI.x(1)\n"
    assert [state for _, _, state in states(tmp_path, text)] == expected


def test_names_are_followed_through_the_files_of_a_repository(tmp_path: Path) -> None:
    package = tmp_path / "package"
    package.mkdir()
    (package / "__init__.py").write_text("from .names import *\n")
    (package / "names.py").write_text("import tensorflow as tf\nfrom tensorflow.keras import backend as K\n")
    (package / "loop.py").write_text("from .names import loop\nfrom .loop import loop\nloop()\n")
    (package / "model.py").write_text("from .names import K, tf as t\nt.lite.Interpreter()\nK.get_session()\n")
    (tmp_path / "train.py").write_text("import package.names as n\nfrom package import tf\nn.tf.audio\ntf.zeros(1)\n")
    report = found(tmp_path)
    told = {(Path(use["file"]).name, use["line"]): (use["name"], use["state"]) for use in report["uses"]}
    assert told["model.py", 2] == ("tf.lite.Interpreter", "missing")
    assert told["model.py", 3] == ("tf.keras.backend.get_session", "missing")
    assert told["train.py", 4] == ("tf.zeros", "works")
    assert report["unread"] == []


def test_habits(tmp_path: Path) -> None:
    lines = """import tensorflow as tf
strategy = tf.distribute.MirroredStrategy()
class T:
    def step(self, x):
        self.count += 1
        self.losses.append(x)
        local = []
        local.append(tf.strings.length(x))
        return tf.py_function(f, [x], tf.float32)
    def train(self, x):
        strategy.run(self.step, args=(x,))
        tf.saved_model.save(self, "here")
    @tf.function
    def compiled(self):
        self.count += 1
"""
    states(tmp_path, lines)
    told = sorted((habit["line"], habit["kind"]) for habit in found(tmp_path)["habits"])
    expected = [(2, "devices"), (5, "state"), (6, "state"), (8, "strings"), (9, "python_function"), (12, "saved_model")]
    assert told == expected


def test_a_notebooks_cells_are_one_program(tmp_path: Path) -> None:
    book = tmp_path / "n.ipynb"
    book.write_text(
        notebook(["!pip install x\n", "import tensorflow as tf"], "%time f()\ntf.lite.Interpreter()", "if:")
    )
    report = found(book)
    assert [(use["cell"], use["line"], use["state"]) for use in report["uses"]] == [(2, 2, "missing")]
    assert [(each["cell"], each["line"]) for each in report["unread"]] == [(3, 1)]


CELLS = [
    "!tool --one \\\n  --two\ntf.lite.Interpreter()",
    "  files = !ls\n  tf.lite.Interpreter()\n  %cd x",
    "x = ('%d, %d'\n %(1, 2))\ntf.lite.Interpreter()",
    "%%writefile task.py\n\ntf.lite.Interpreter()",
    "%%time\n%matplotlib inline\n%time x = tf.lite.Interpreter()",
    "tf.zeros?\n!ls\ny = %timeit tf.lite.Interpreter()",
    "text = '''\n!ls\n'''; tf.lite.Interpreter()",
    "%%bash\ntf.lite.Interpreter()\ntf.lite.Interpreter()",
]


def test_lines_of_cells_that_are_not_python(tmp_path: Path) -> None:
    book = tmp_path / "n.ipynb"
    book.write_text(notebook("import tensorflow as tf", *CELLS))
    report = found(book)
    assert report["unread"] == []
    assert [(use["cell"], use["line"], use["state"]) for use in report["uses"]] == [
        *((cell, 2 if cell == 3 else 3, "missing") for cell in range(2, 9)),
    ]


def test_fix_rewrites_imports_in_cells_that_are_indented(tmp_path: Path) -> None:
    book = tmp_path / "n.ipynb"
    book.write_text(
        notebook("!ls \\\n --a", "  import tensorflow as tf\n  !ls\n  if 1:\n    from tensorflow import keras\n")
    )
    before = book.read_text()
    check(book, "--fix", "--yes")
    wanted = before.replace("import tensorflow as tf", "import stratagem as tf")
    assert book.read_text() == wanted.replace("from tensorflow import", "from stratagem import")


def test_star_imports_of_unread_files_cost_no_time(tmp_path: Path) -> None:
    package = tmp_path / "package"
    package.mkdir()
    modules = [f"plain{number}" for number in range(6)]
    for module in modules:
        (package / f"{module}.py").write_text("x = 1\n")
    (package / "__init__.py").write_text("".join(f"from package.{module} import *\n" for module in [*modules, "rates"]))
    lines = "def f():\n  rates.first(1)\n  rates.second(1)\n" * 200
    (package / "rates.py").write_text(f"import tensorflow as tf\n{lines}")
    (tmp_path / "train.py").write_text(f"import tensorflow as tf\nfrom package import *\n{lines}")
    begin = time.process_time()
    assert found(tmp_path)["unread"] == []
    assert time.process_time() - begin < 3


def test_summary_and_exit_status(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_text("import tensorflow as tf\n" + "tf.zeros(1)\n" * 19)
    done = check(file)
    assert (done.exit_code, done.stdout) == (0, "100 % of 19 uses work; to change: the import, and no other line\n")
    file.write_text(file.read_text() + "tf.lite.Interpreter()\n")
    done = check(file)
    last = done.stdout.splitlines()[-1]
    assert (done.exit_code, last) == (1, "95 % of 20 uses work; to change: the import, and 1 more line")
    (tmp_path / "b.py").write_text("import tensorflow as tf\nfrom tensorflow.lite import Interpreter\ntf.zeros(1)\n")
    assert check(tmp_path).stdout.splitlines()[-1].endswith("to change: 2 imports, and 2 more lines")
    assert (found(tmp_path)["imports_to_change"], found(tmp_path)["lines_to_change"]) == (2, 2)
    file.write_text(file.read_text().replace("import tensorflow as tf", "from tensorflow import lite"))
    assert check(file).stdout.splitlines()[-1].endswith("; 1 line to change")
    file.write_text(
        "import stratagem as tf\nimport tensorflow_datasets, os.path\nfrom . import tensorflow\ntf.zeros(1)\n"
    )
    assert "; 0 lines to change" in check(file).stdout  # nothing of these imports is TensorFlow's
    assert check(tmp_path / "absent.py").exit_code == 2
    assert check("s3://bucket/a.py").exit_code == 2
    assert check(file, "--yes").exit_code == 2
    assert check(file, "--fix", "--json").exit_code == 2


def hostile(folder: Path) -> None:
    (folder / "two.py").write_text("import tensorflow\nprint 'hello'\n")
    (folder / "binary.py").write_bytes(b"tensorflow\xff\xfe\0\0" * 100)
    (folder / "zeros.py").write_bytes(b"import tensorflow\n\0\n")
    (folder / "coding.py").write_bytes(b"# -*- coding: nothing-known -*-\nimport tensorflow\n")
    (folder / "deep.py").write_text("import tensorflow as tf\nx = " + "-" * 50_000 + "1\n")
    (folder / "chain.py").write_text("import tensorflow as tf\nx = tf" + ".a" * 5_000 + "\n")
    (folder / "sum.py").write_text("import tensorflow as tf\nx = " + "1+" * 20_000 + "1\n")
    with (folder / "large.py").open("wb") as file:
        file.write(b"import tensorflow\n")
        file.truncate(100_000_000)
    (folder / "deep.ipynb").write_text('{"cells": ' + "[" * 100_000 + '"tensorflow"')
    (folder / "number.ipynb").write_text('{"tensorflow": ' + "1" * 10_000 + "}")
    (folder / "list.ipynb").write_text('["tensorflow"]')
    (folder / "cells.ipynb").write_text('{"cells": [1, {"cell_type": "code", "source": [3, "import tensorflow_hub"]}]}')
    for module in range(12):
        stars = "".join(f"from m{other} import *\n" for other in range(12))
        (folder / f"m{module}.py").write_text(f"{stars}import tensorflow_io\nunknown_name()\n")
    for module in range(500):
        (folder / f"c{module}.py").write_text(f"from c{module + 1} import *\nimport tensorflow_io\nunknown_name()\n")
    (folder / "words.py").write_text("import " * 500_000)
    (folder / "spaces.ipynb").write_text(notebook(["import tensorflow\n", " " * 1_000_000]))
    (folder / "loop").symlink_to(folder)
    (folder / "gone.py").symlink_to(folder / "nowhere.py")
    os.mkfifo(folder / "pipe.py")


def test_a_hostile_repository_is_reported_and_the_rest_goes_on(tmp_path: Path) -> None:
    hostile(tmp_path)
    (tmp_path / "good\x1b[31m.py").write_text("import tensorflow as tf\ntf.lite.Interpreter()\n")
    done = check(tmp_path)
    assert done.exit_code == 1
    assert "\x1b" not in done.output
    assert "tf.lite.Interpreter" in done.output
    assert "two.py:2: syntax error" in done.output
    unread = {Path(each["file"]).name for each in found(tmp_path)["unread"]}
    assert unread >= {
        "two.py",
        "binary.py",
        "zeros.py",
        "coding.py",
        "large.py",
        "deep.ipynb",
        "number.ipynb",
        "pipe.py",
    }
    assert unread >= {"deep.py", "list.ipynb"}
    assert "cells.ipynb" not in unread


def test_the_page_shows_no_markup_of_the_program(tmp_path: Path) -> None:
    folder, page = tmp_path / "p", tmp_path / "page.html"
    folder.mkdir()
    (folder / "<img src=x onerror=alert(1)>.py").write_text("import tensorflow as tf\ntf.lite.Interpreter()\n")
    assert check(folder, "--html", page).exit_code == 1
    text = page.read_text()
    assert "&lt;img" in text
    assert not re.search(r"<img|<script|https?://", text)


FIXED = [
    ("import tensorflow as tf", "import stratagem as tf"),
    ("import os, tensorflow, sys", "import os, stratagem as tensorflow, sys"),
    ("import tensorflow.keras.backend as K", "import stratagem.keras.backend as K"),
    ("import tensorflow.keras", "import stratagem as tensorflow"),
    ("from tensorflow.keras.layers import (  # all\n    Dense as D,\n)", None),
    ("from  tensorflow  import keras", "from  stratagem  import keras"),
    ("from \\\n  tensorflow import keras", "from \\\n  stratagem import keras"),
    ("import tensorflow_addons as tfa", "import stratagem.addons as tfa"),
    ("from tensorflow.python.keras import layers", "from stratagem.keras import layers"),
    ("import tensorflow.compat.v1 as tf; tf.disable_v2_behavior()", None),
    ("é = 'ü'; import tensorflow as tf", "é = 'ü'; import stratagem as tf"),
]


@pytest.mark.parametrize(("before", "after"), FIXED)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_fix_rewrites_imports_alone(tmp_path: Path, before: str, after: str | None, end: str) -> None:
    after = after or before.replace("tensorflow", "stratagem")
    rest = "\tx = 'import tensorflow'  \nif 1:\n".join(["", "    tf\x0c\n\n# tensorflow"])
    file = tmp_path / "a.py"
    file.write_bytes(f"{before}\nif 1:\n{rest}".replace("\n", end).encode("utf-8-sig"))
    file.chmod(0o755)
    done = check(file, "--fix", answer="y\n")
    assert "1 file rewritten" in done.output
    assert file.read_bytes() == f"{after}\nif 1:\n{rest}".replace("\n", end).encode("utf-8-sig")
    assert file.stat().st_mode & 0o777 == 0o755
    assert [each.name for each in tmp_path.iterdir()] == ["a.py"]


def test_fix_keeps_the_encoding(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    text = "# coding: latin-1\nname = 'é'; import tensorflow as tf\n"
    file.write_bytes(text.encode("latin-1"))
    check(file, "--fix", "--yes")
    assert file.read_bytes() == text.replace("tensorflow", "stratagem").encode("latin-1")


def test_fix_says_how_to_answer_where_nobody_is_asked(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_text("import tensorflow as tf\ntf.zeros(1)\n")
    done = check(file, "--fix", answer="")
    assert done.exit_code == 2
    assert "nothing was written, for nobody answers here: --fix --yes does not ask." in done.output
    assert "import tensorflow" in file.read_text()


def test_fix_asks(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_text("import tensorflow as tf\n")
    done = check(file, "--fix", answer="n\n")
    assert "-import tensorflow as tf\n+import stratagem as tf\n" in done.output
    assert file.read_text() == "import tensorflow as tf\n"


def test_fix_keeps_every_other_byte_of_a_notebook(tmp_path: Path) -> None:
    raw = (
        '{ "metadata":{"a":"import tensorflow as tf"},\t"cells" : [{"cell_type":"markdown","source":["import tensorflow"]},\r\n'
        '{"source" : ["x = \\u0022\\ud83d\\ude00\\"\\n" , "\\u0069mport tensorflow as tf; import \\u0074ensorflow.keras as k"],'
        ' "outputs":[{"text":"import tensorflow"}],"cell_type":"code"}] , "nbformat":4,"n":1.50}  '
    )
    book = tmp_path / "n.ipynb"
    book.write_bytes(raw.encode())
    check(book, "--fix", "--yes")
    wanted = raw.replace("mport tensorflow as tf;", "mport stratagem as tf;")
    assert book.read_bytes().decode() == wanted.replace("\\u0074ensorflow.keras as", "stratagem.keras as")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("from tensorflow.python.ops import array_ops", "private"),
        ("from tensorflow.lite import Interpreter", "use TensorFlow itself"),
        ("from tensorflow.contrib import layers", "tf.contrib went with TensorFlow 1"),
        ("from tensorflow . keras import layers", "unusual"),
    ],
)
def test_fix_leaves_what_it_cannot_rewrite(tmp_path: Path, text: str, why: str) -> None:
    file = tmp_path / "a.py"
    file.write_text(text)
    done = check(file, "--fix", "--yes")
    assert why in done.output
    assert file.read_text() == text


def test_fix_refuses_a_file_with_other_names(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_text("import tensorflow as tf\n")
    os.link(file, tmp_path / "b.txt")
    done = check(file, "--fix", "--yes")
    assert (done.exit_code, "hard links" in done.output) == (2, True)
    assert file.read_text() == "import tensorflow as tf\n"


def test_it_needs_neither_jax_nor_keras_nor_numpy(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("import tensorflow as tf\ntf.zeros(1)\n")
    code = "import sys; from stratagem.cli import main; main(['check', sys.argv[1]], standalone_mode=False);"
    code += "print(sorted({'jax', 'keras', 'numpy', 'rich'} & set(sys.modules)))"
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run([sys.executable, "-c", code, tmp_path], capture_output=True, text=True, env=environment)
    assert done.stdout.splitlines()[-1] == "[]", done.stderr
