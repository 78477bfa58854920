"""Where programs find all this, what it costs to import, and what is said about what is not there."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import stratagem as tf
from stratagem._base.errors import NotProvidedError

SOURCE = Path(__file__).parents[2] / "src"
PROGRAM = """
import sys
import stratagem._cluster as cluster
resolver = cluster.default_resolver({"TF_CONFIG": '{"cluster": {"worker": ["a:1"]}, "task": {"type": "worker", "index": 0}}'})
assert cluster.job_of(resolver).size == 1
print(sorted({"jax", "jaxlib", "keras", "numpy", "grain", "google.protobuf", "asyncio"} & set(sys.modules)))
"""


def test_a_process_that_only_waits_stays_small() -> None:
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", PROGRAM],
        env={**os.environ, "PYTHONPATH": str(SOURCE)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (run.stdout, run.stderr) == ("[]\n", "INFO:stratagem: The cluster is the one of TF_CONFIG.\n")


def test_names_are_where_tensorflow_has_them() -> None:
    assert tf.train.ClusterSpec({"worker": ["a:1"]}).jobs == ["worker"]
    assert tf.distribute.cluster_resolver.UnionResolver.__name__ == "UnionResolver"


@pytest.mark.parametrize(
    ("name", "advice"),
    [
        ("KubernetesClusterResolver", "use TFConfigClusterResolver, with TF_CONFIG set in every pod"),
        ("GCEClusterResolver", "use TFConfigClusterResolver, with TF_CONFIG set on every machine"),
    ],
)
def test_what_is_not_there_says_what_to_use(name: str, advice: str) -> None:
    with pytest.raises(NotProvidedError, match=rf"tf\.distribute\.cluster_resolver\.{name} is not provided; {advice}"):
        getattr(tf.distribute.cluster_resolver, name)


def test_a_message_for_tensorflows_servers_is_not_made() -> None:
    with pytest.raises(NotImplementedError, match="as_dict"):
        tf.train.ClusterSpec({}).as_cluster_def()
