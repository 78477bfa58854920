"""Warm starts: variables of a new model that start with the values of another model's checkpoint."""

import logging
import os
import re
from collections.abc import Callable, Collection, Sequence
from typing import Any, NamedTuple

import numpy as np

from stratagem._base.errors import NotFoundError
from stratagem._base.exports import exported
from stratagem._base.storage import checked_path
from stratagem._checkpoints import NamedCheckpoint, latest_checkpoint, load_checkpoint
from stratagem._private import KerasVariable
from stratagem._tf1.estimator._vocabularies import VocabInfo
from stratagem._tf1.graph import ModelState

_log = logging.getLogger("stratagem.estimator")


@exported("estimator.WarmStartSettings")
class WarmStartSettings(NamedTuple):
    """The variables of a model that start with values from a checkpoint, as `tf.estimator.WarmStartSettings`.

    ckpt_to_initialize_from: a checkpoint, or a directory, which means the latest one in it.
    vars_to_warm_start: a regular expression that selects among trainable variables; or a list of expressions or variables
        that selects among all variables; or None for the trainable variables in var_name_to_vocab_info alone.
    var_name_to_vocab_info: the vocabularies of variables whose rows have other words than in the checkpoint.
    var_name_to_prev_var_name: the names in the checkpoint of variables that have other names there.
    """

    ckpt_to_initialize_from: str | os.PathLike[str]
    vars_to_warm_start: Any = ".*"
    var_name_to_vocab_info: dict[str, VocabInfo] | None = None
    var_name_to_prev_var_name: dict[str, str] | None = None


def settings_of(warm_start_from: Any) -> WarmStartSettings | None:
    """Returns the settings of an Estimator's `warm_start_from`. Raises ValueError for any other type."""
    if warm_start_from is None:
        return None
    if isinstance(warm_start_from, str | os.PathLike):
        warm_start_from = WarmStartSettings(warm_start_from)
    if not isinstance(warm_start_from, WarmStartSettings):
        raise ValueError(
            f"warm_start_from must be a string or a WarmStartSettings, instead got {type(warm_start_from)}."
        )
    for name, info in (warm_start_from.var_name_to_vocab_info or {}).items():
        if not isinstance(info, VocabInfo):
            raise ValueError(f"var_name_to_vocab_info[{name!r}] must be a tf.estimator.VocabInfo, got {info!r:.200}.")
    return warm_start_from._replace(ckpt_to_initialize_from=checked_path(warm_start_from.ckpt_to_initialize_from))


def begin(graph: ModelState, settings: WarmStartSettings | None) -> None:
    """Gives variables their first values: those of `init_from_checkpoint` in the model_fn, then those of a warm start.

    Raises as `warm_start`.
    """
    by_path: dict[str, dict[str, str]] = {}
    for name, (path, saved) in graph.begin_with.items():
        by_path.setdefault(path, {})[name] = saved
    for path, names in by_path.items():
        _take(graph, path, names)
    if settings is not None:
        warm_start(graph, settings)


def warm_start(graph: ModelState, settings: WarmStartSettings) -> None:
    """Assigns the selected variables their values in the checkpoint.

    Raises NotFoundError if there is no checkpoint or it lacks a variable, CheckpointError if a shape differs, ValueError for
    names in the settings that are not among the selected variables, and as `VocabInfo.moved`.
    """
    _log.info("Warm-starting with WarmStartSettings: %s", settings)
    given = str(settings.ckpt_to_initialize_from)
    path = latest_checkpoint(given) or given
    renamed, vocabularies = settings.var_name_to_prev_var_name or {}, settings.var_name_to_vocab_info or {}
    selected = chosen_names(graph, settings.vars_to_warm_start, vocabularies)
    names = {name: renamed.get(name, name) for name in selected}
    for what, given_names in (("var_name_to_prev_var_name", renamed), ("var_name_to_vocab_info", vocabularies)):
        if unused := sorted(set(given_names) - set(names)):
            raise ValueError(
                f"{what} names {unused}, which are not among the variables to warm-start: {sorted(names)}."
            )
    reader = load_checkpoint(path)
    missing = [saved for saved in names.values() if not reader.has_tensor(saved)]
    if missing:
        raise NotFoundError(
            f"Warm start: {', '.join(missing)} not found in checkpoint {path!r}, which has "
            f"{', '.join(reader.get_variable_to_shape_map())}. Choose variables with vars_to_warm_start, or name them in "
            "var_name_to_prev_var_name."
        )
    arrays: dict[str, Any] = {}
    for name, info in vocabularies.items():
        variable: Any = graph.variables[name]
        saved = np.asarray(reader.get_tensor(names[name]))
        arrays[name] = info.moved(saved, tuple(variable.shape), np.dtype(variable.dtype), name)
    _take(graph, path, {name: saved for name, saved in names.items() if name not in vocabularies})
    NamedCheckpoint(lambda: graph.variables).take(arrays, path, {name: name for name in arrays})
    _log.info("Warm-started %d variables.", len(names))


def _take(graph: ModelState, path: str, names: dict[str, str]) -> None:
    reader = load_checkpoint(path)
    arrays = {saved: np.asarray(reader.get_tensor(saved)) for saved in names.values()}
    NamedCheckpoint(lambda: graph.variables).take(arrays, path, names)


def chosen_names(graph: ModelState, which: Any, vocabularies: Collection[str] = ()) -> list[str]:
    """Returns the names of the variables that `vars_to_warm_start` selects. vocabularies: the names that None selects."""
    if which is None or isinstance(which, str):
        trainable = {id(variable) for variable in graph.trainable}
        known = [name for name, variable in graph.variables.items() if id(variable) in trainable]
        return [name for name in known if (name in vocabularies if which is None else re.match(which, name))]
    return [n for n, v in graph.variables.items() if any(map(_means(n, v), which))] if _is_list(which) else []


def _is_list(which: Any) -> bool:
    if isinstance(which, Sequence) and all(isinstance(w, str | KerasVariable) for w in which):
        return True
    raise ValueError(
        f"vars_to_warm_start must be a regular expression, a list of them or of variables, or None, got {which!r}."
    )


def _means(name: str, variable: Any) -> Callable[[Any], bool]:
    return lambda wanted: bool(re.match(wanted, name)) if isinstance(wanted, str) else wanted is variable
