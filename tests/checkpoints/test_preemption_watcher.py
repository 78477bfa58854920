"""The watcher for Google's own cluster says that it watches nothing here, and lets programs go on."""

import logging

import pytest

import stratagem as tf


def test_the_watcher_warns_and_sees_nothing(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        watcher = tf.distribute.experimental.PreemptionWatcher()
    assert "PreemptionCheckpointHandler" in caplog.text
    assert watcher.preemption_message is None
    watcher.block_until_worker_exit()
