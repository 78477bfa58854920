"""Every Python program in the documents runs: the blocks of a page one after the other, in one process."""

import os
import re
from pathlib import Path

import pytest

from stratagem.testing import free_ports
from tests import prepared

ROOT = Path(__file__).parents[2]
PORT = re.compile(r'"localhost:\d+"')
BLOCK = re.compile(r"^```python\n(.*?)^```", re.M | re.S)
# The README's program has a test of its own, which looks at what it prints.
PAGES = sorted(page for page in ROOT.glob("docs/**/*.md") if BLOCK.search(page.read_text(encoding="utf-8")))
# What the reader of a page has already: a model, some data.
DATA = """
import numpy as np
import stratagem as tf
images = np.random.default_rng(0).random((64, 4, 4), "float32")
labels = np.arange(64) % 10
"""
MODEL = """
model = tf.keras.Sequential([tf.keras.Input((4, 4)), tf.keras.layers.Flatten(), tf.keras.layers.Dense(10)])
model.compile("adam", tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True), metrics=["accuracy"])
"""
BEFORE = {
    "checkpoints.md": DATA
    + MODEL
    + """
model.fit(images, labels, verbose=0)
theirs = tf.train.CheckpointOptions(format="tensorflow")
tf.train.Checkpoint(model=model, optimizer=model.optimizer).save("theirs/ckpt", options=theirs)
""",
    "estimators.md": "import numpy as np\nfeatures, labels = np.ones((100, 3), 'float32'), np.ones((100, 1), 'float32')",
    "fit.md": DATA,
    "sessions.md": "batches = [([[0.5] * 784] * 32, [3] * 32)] * 3",
    "start.md": DATA
    + """
images = np.random.default_rng(0).integers(0, 256, (512, 28, 28), "uint8")
tf.keras.datasets.fashion_mnist.load_data = lambda: ((images, np.arange(512) % 10), (images, np.arange(512) % 10))
""",
    "summaries.md": DATA
    + MODEL
    + """
strategy = tf.distribute.MirroredStrategy()
data = [tf.ones(3), tf.zeros(3)]
step = tf.reduce_sum
""",
    "parameter_servers.md": """
import keras
import numpy as np
import stratagem as tf
steps = 4
def dataset_fn(context=None):
    return tf.data.Dataset.from_tensor_slices(np.ones((8, 2), "float32")).repeat().batch(2)
@tf.function
def step(iterator):
    return tf.reduce_sum(next(iterator))
def train_an_epoch():
    coordinator.join()
""",
}
# Blocks that a machine has to be prepared for: a Ray cluster, which tests/install starts, and the tasks of a job, with which
# tests/servers/processes begin in the same lines.
ELSEWHERE = ("ray.init(", "resolver = tf.distribute.cluster_resolver.TFConfigClusterResolver()")
# The page first says what a sharded variable is, then which strategy makes one.
ORDER = {"parameter_servers.md": (0, 2, 1, 3, 4)}


def program(page: Path) -> str:
    """What a reader has typed at the end of the page."""
    blocks = [block for block in BLOCK.findall(page.read_text(encoding="utf-8")) if not block.startswith(ELSEWHERE)]
    order = ORDER.get(page.name, range(len(blocks)))
    assert len(order) == len(blocks), f"{page.name} has {len(blocks)} blocks to run"
    text = "\n".join([BEFORE.get(page.name, ""), *(blocks[number] for number in order)])
    # Ports that are free here, in place of those of the page.
    ports = iter(free_ports(len(PORT.findall(text))))
    return PORT.sub(lambda _: f'"localhost:{next(ports)}"', text)


@pytest.mark.sampled
@pytest.mark.sampled
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_programs_of_a_page_run(page: Path, tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(program(page), encoding="utf-8")
    more = {"JAX_NUM_CPU_DEVICES": "2", "PYTHONPATH": str(ROOT / "src"), "TMPDIR": str(tmp_path)}
    environment = {**os.environ, **more}  # an Estimator without a folder makes a temporary one, which stays
    done = prepared.run(tmp_path / "program.py", directory=tmp_path, environment=environment)
    assert done.returncode == 0, f"{page.name}:\n{done.stderr}"


def test_pages_whose_blocks_need_something_are_there() -> None:
    assert set(BEFORE) <= {page.name for page in PAGES}
