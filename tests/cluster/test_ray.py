"""RayClusterResolver: facts only, for Ray knows the rest."""

from typing import Any

import pytest

import stratagem as tf
from stratagem._base.errors import ClusterError

RayClusterResolver = tf.distribute.cluster_resolver.RayClusterResolver


def test_it_says_how_many_tasks_there_are_and_that_this_one_is_the_coordinator() -> None:
    resolver = RayClusterResolver(servers=2, workers=3, resources_per_worker={"CPU": 2, "GPU": 0.5})
    assert resolver.cluster_spec().as_dict() == {"ps": ["", ""], "worker": ["", "", ""]}
    assert (resolver.task_type, resolver.task_id) == ("chief", 0)
    assert resolver.master() == resolver.master("ps", 0) == ""
    assert resolver.resources("ps") == {"CPU": 1.0}
    assert resolver.resources("worker") == {"CPU": 2, "GPU": 0.5}


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"servers": 0, "workers": 1}, "servers has to be a number from 1 on, got 0"),
        ({"servers": 1, "workers": "two"}, "workers has to be a number from 1 on, got 'two'"),
        (
            {"servers": 1, "workers": 1, "resources_per_server": {"CPU": -1}},
            r"resources_per_server\['CPU'\] has to be a number from 0 on, got -1",
        ),
    ],
)
def test_what_cannot_be_counted_is_refused(arguments: dict[str, Any], error: str) -> None:
    with pytest.raises(ClusterError, match=error):
        RayClusterResolver(**arguments)
