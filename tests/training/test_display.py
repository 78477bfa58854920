"""What a notebook shows of strategies, data sets, checkpoints and histories."""

import html
import re
from pathlib import Path

import keras
import numpy as np

import stratagem as tf


def texts(shown: str) -> list[list[str]]:
    """The texts of a table's rows."""
    rows = re.findall(r"<tr>(.*?)</tr>", shown)
    return [list(map(html.unescape, re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row))) for row in rows]


def test_a_history_is_a_table_of_epochs() -> None:
    history = keras.callbacks.History()
    history.epoch, history.history = [0, 1], {"loss": [1.5, np.float32(0.25)], "<b>": [2.0]}
    shown = history._repr_html_()
    assert "&lt;b&gt;" in shown
    assert texts(shown) == [["epoch", "loss", "<b>"], ["1", "1.5", "2"], ["2", "0.25", ""]]
    history.epoch, history.history = list(range(30)), {"loss": [float(i) for i in range(30)]}
    rows = texts(history._repr_html_())
    assert (len(rows), rows[10][0], rows[11], rows[12][0]) == (22, "10", ["…", "…"], "21")


def test_a_strategy_is_shown_with_its_replicas_and_devices() -> None:
    shown = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])._repr_html_()
    assert "<strong>MirroredStrategy</strong>" in shown
    (name, count), (_, devices) = texts(shown)
    assert (name, count) == ("replicas in sync", "2")
    assert devices == ", ".join(f"/job:localhost/replica:0/task:0/device:CPU:{i}" for i in range(2))


def test_datasets_are_shown_with_their_length_and_what_an_element_is() -> None:
    data = tf.data.Dataset.from_tensor_slices({"x": np.ones((6, 3), "float32"), "y": np.ones(6, "int32")})
    assert texts(data.batch(4)._repr_html_()) == [
        ["elements", "2"],
        ["element['x']", "TensorSpec(shape=(None, 3), dtype=tf.float32, name=None)"],
        ["element['y']", "TensorSpec(shape=(None,), dtype=tf.int32, name=None)"],
    ]
    assert texts(data.repeat()._repr_html_())[0] == ["elements", "endless"]
    calls: list[int] = []
    unknown = tf.data.Dataset.range(3).map(lambda x: calls.append(1) or x)
    assert texts(unknown._repr_html_())[0] == ["elements", "3"]
    strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
    distributed = strategy.experimental_distribute_dataset(data.batch(4))
    shown = distributed._repr_html_()
    assert "<strong>DistributedDataset</strong>" in shown
    assert [row[0] for row in texts(shown)] == ["elements", "element['x']", "element['y']"]


def test_a_manager_is_shown_with_its_checkpoints(tmp_path: Path) -> None:
    manager = tf.train.CheckpointManager(tf.train.Checkpoint(v=tf.Variable(1.0)), tmp_path, max_to_keep=2)
    for _ in range(3):
        manager.save()
    rows = [["directory", str(tmp_path)], ["kept", "the last 2"], ["checkpoint", "ckpt-2"], ["newest", "ckpt-3"]]
    assert texts(manager._repr_html_()) == rows
