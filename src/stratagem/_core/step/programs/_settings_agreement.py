"""agree_on_settings: the workers compare an optimizer's settings when it first updates variables."""

import weakref
from typing import Any

import keras

from stratagem._base.job import Job, agree_on

_compared: "weakref.WeakSet[Any]" = weakref.WeakSet()


def agree_on_settings(optimizer: Any, job: Job) -> None:
    """Compares an optimizer's settings with those of the other workers, once; all of them have to call it.

    Raises:
        ClusterError: they differ; the message names each that does, with the workers' values.
    """
    if job.workers == 1 or optimizer in _compared:
        return
    _compared.add(optimizer)
    agree_on(job, "optimizers", _settings(optimizer))


def _settings(optimizer: Any) -> dict[str, str]:
    """Returns the optimizer's settings by name, with those of a learning rate schedule.

    (A learning rate itself is a variable.)
    """
    schedule = vars(optimizer).get("_learning_rate")
    facts = {"class": type(optimizer).__name__, **_simple(optimizer)}
    if isinstance(schedule, keras.optimizers.schedules.LearningRateSchedule):
        facts["learning_rate"] = (
            f"{type(schedule).__name__}({', '.join(f'{n}={v}' for n, v in _simple(schedule).items())})"
        )
    return facts


def _simple(thing: Any) -> dict[str, str]:
    found = {name: value for name, value in vars(thing).items() if not name.startswith("_") and name != "name"}
    return {name: repr(value) for name, value in found.items() if isinstance(value, bool | int | float | str | None)}
