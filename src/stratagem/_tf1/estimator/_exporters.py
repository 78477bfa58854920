"""The exporters of train_and_evaluate: of the last checkpoint, of every one, and of the best."""

import json
import logging
import os
from collections.abc import Callable, Mapping
from typing import Any, Final, final

from stratagem._base.errors import DataLossError
from stratagem._base.exports import exported
from stratagem._base.storage import file_system
from stratagem._tf1.estimator._call import argument_names
from stratagem._tf1.estimator._receivers import Receiver
from stratagem._tf1.estimator._train_eval_specs import Exporter

_log = logging.getLogger("stratagem.estimator")

_BEST: Final = "best_eval_result.json"
_COMPARED: Final = {"best_eval_result", "current_eval_result"}

ReceiverFn = Callable[[], Receiver]


class _SavedModelExporter(Exporter):
    """Writes SavedModels below a directory. keep: how many of them stay; None keeps all."""

    def __init__(
        self, name: str, receive: ReceiverFn | None, assets_extra: Mapping[str, Any] | None, keep: int | None
    ) -> None:
        if keep is not None and keep <= 0:
            raise ValueError(f"`exports_to_keep`, if provided, must be a positive number. Got {keep}")
        self._name, self._receive, self._assets_extra, self._keep = name, receive, assets_extra, keep

    @property
    def name(self) -> str:
        """The name of its directory below `export`."""
        return self._name

    def _written(self, estimator: Any, export_path: str, checkpoint_path: str) -> bytes:
        found: bytes = estimator.export_saved_model(
            export_path, self._receive, assets_extra=self._assets_extra, checkpoint_path=checkpoint_path
        )
        if self._keep is not None:
            files = file_system(export_path)
            for old in sorted((each for each in files.entries(export_path) if each.isdigit()), key=int)[: -self._keep]:
                files.remove_tree(os.path.join(export_path, old))
        return found


@exported("estimator.FinalExporter")
@final
class FinalExporter(_SavedModelExporter):
    """Exports the model once, after the training, as `tf.estimator.FinalExporter`."""

    def __init__(
        self,
        name: str,
        serving_input_receiver_fn: ReceiverFn,
        assets_extra: Mapping[str, Any] | None = None,
        as_text: bool = False,
    ) -> None:
        super().__init__(name, serving_input_receiver_fn, assets_extra, None)

    def export(
        self,
        estimator: Any,
        export_path: str,
        checkpoint_path: str,
        eval_result: dict[str, Any],
        is_the_final_export: bool,
    ) -> bytes | None:
        """Exports the last checkpoint. Returns the path; None for another checkpoint."""
        if not is_the_final_export:
            return None
        _log.info("Performing the final export in the end of training.")
        return self._written(estimator, export_path, checkpoint_path)


@exported("estimator.LatestExporter")
@final
class LatestExporter(_SavedModelExporter):
    """Exports the model after every evaluation, as `tf.estimator.LatestExporter`.

    exports_to_keep: how many of the latest exports stay, by default 5; None keeps all. Raises ValueError for 0 and less.
    """

    def __init__(
        self,
        name: str,
        serving_input_receiver_fn: ReceiverFn,
        assets_extra: Mapping[str, Any] | None = None,
        as_text: bool = False,
        exports_to_keep: int | None = 5,
    ) -> None:
        super().__init__(name, serving_input_receiver_fn, assets_extra, exports_to_keep)

    def export(
        self,
        estimator: Any,
        export_path: str,
        checkpoint_path: str,
        eval_result: dict[str, Any],
        is_the_final_export: bool,
    ) -> bytes:
        """Exports a checkpoint, and deletes exports beyond the limit. Returns the path."""
        return self._written(estimator, export_path, checkpoint_path)


def loss_smaller(best_eval_result: Mapping[str, Any], current_eval_result: Mapping[str, Any]) -> bool:
    """Returns whether the second result of an evaluation has the smaller loss. Raises ValueError if one has none."""
    for result in (best_eval_result, current_eval_result):
        if not result or "loss" not in result:
            raise ValueError(f"An evaluation's result has no loss to compare: {result!r:.200}. Give `compare_fn`.")
    return bool(best_eval_result["loss"] > current_eval_result["loss"])


@exported("estimator.BestExporter")
@final
class BestExporter(_SavedModelExporter):
    """Exports the model after every evaluation that is better than all before it, as `tf.estimator.BestExporter`.

    compare_fn: takes `best_eval_result`, the best result so far, and `current_eval_result`, and returns whether the latter is
        better; by default, whether its loss is smaller.
    event_file_pattern: not needed: the best result is in a file beside the exports, which a training that goes on reads.
    exports_to_keep: how many of the latest exports stay, by default 5; None keeps all.

    Raises ValueError for a `compare_fn` that is none or has other arguments, and for 0 exports and less.
    """

    def __init__(
        self,
        name: str = "best_exporter",
        serving_input_receiver_fn: ReceiverFn | None = None,
        event_file_pattern: str = "eval/*.tfevents.*",
        compare_fn: Callable[..., bool] = loss_smaller,
        assets_extra: Mapping[str, Any] | None = None,
        as_text: bool = False,
        exports_to_keep: int | None = 5,
    ) -> None:
        super().__init__(name, serving_input_receiver_fn, assets_extra, exports_to_keep)
        if not callable(compare_fn):
            raise ValueError(f"`compare_fn` must be a function, got {compare_fn!r}.")
        if argument_names(compare_fn) != _COMPARED:
            raise ValueError(
                f"compare_fn ({compare_fn}) is called with the arguments best_eval_result and current_eval_result; it has "
                f"{', '.join(sorted(argument_names(compare_fn))) or 'none'}."
            )
        self._compare = compare_fn
        self._best: dict[str, Any] | None = None

    def export(
        self,
        estimator: Any,
        export_path: str,
        checkpoint_path: str,
        eval_result: dict[str, Any],
        is_the_final_export: bool,
    ) -> bytes | None:
        """Exports a checkpoint if it is the best one. Returns the path; None for any other."""
        kept, files = os.path.join(export_path, _BEST), file_system(export_path)
        if self._best is None and files.is_file(kept):
            self._best = _results(kept, files.read(kept))
        if self._best is not None and not self._compare(best_eval_result=self._best, current_eval_result=eval_result):
            return None
        _log.info("Performing best model export.")
        self._best = eval_result
        found = self._written(estimator, export_path, checkpoint_path)
        files.write(kept, json.dumps({name: _number(value) for name, value in eval_result.items()}).encode())
        return found


def _results(path: str, text: bytes) -> dict[str, Any]:
    """The results in the file of the best export. Raises DataLossError for anything else."""
    try:
        found = json.loads(text)
        if isinstance(found, dict):
            return found
    except (ValueError, RecursionError) as error:
        raise DataLossError(f"{path} is damaged: {error}. Delete it to begin anew.") from error
    raise DataLossError(f"{path} is damaged: it has no results. Delete it to begin anew.")


def _number(value: Any) -> Any:
    found: Any = value.tolist() if hasattr(value, "tolist") else value
    return found
