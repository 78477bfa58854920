"""SummarySaverHook: the summaries of a model_fn, in the event file."""

from stratagem._base.exports import exported
from stratagem._base.storage import checked_path
from stratagem._tf1.estimator._session_run_hook import SessionRunHook
from stratagem._tf1.estimator.hooks._protocol import SessionRunArgs, SessionRunContext, SessionRunValues
from stratagem._tf1.estimator.hooks._step_counter import refuse_writer
from stratagem._tf1.estimator.hooks._timer import SecondOrStepTimer


@exported("estimator.SummarySaverHook", v1=["estimator.SummarySaverHook", "train.SummarySaverHook"])
class SummarySaverHook(SessionRunHook):
    """Writes the summaries of a model_fn (`tf1.summary.*`), and its loss, every so many steps or seconds to `output_dir`.

    scaffold, summary_op: required as in TensorFlow, but ignored: all of the model's summaries are written.
    Raises ValueError unless exactly one of save_steps and save_secs is given.
    """

    def __init__(
        self,
        save_steps: int | None = None,
        save_secs: float | None = None,
        output_dir: str | None = None,
        summary_writer: object = None,
        scaffold: object = None,
        summary_op: object = None,
    ) -> None:
        if (scaffold is None) == (summary_op is None):
            raise ValueError("Exactly one of scaffold or summary_op must be provided.")
        refuse_writer(summary_writer)
        self._timer = SecondOrStepTimer(save_secs, save_steps)
        self._output_dir = None if output_dir is None else checked_path(output_dir)
        self._step: int | None = None
        self._due = False

    def begin(self) -> None:
        self._step = None
        self._timer.reset()

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs | None:
        self._due = self._step is None or self._timer.should_trigger_for_step(self._step + 1)
        return SessionRunArgs([tensor for _, _, tensor in run_context.session.summaries]) if self._due else None

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        self._step = run_context.session.global_step()
        if not self._due:
            return
        self._timer.update_last_triggered_step(self._step)
        if self._output_dir is not None:
            pairs = zip(run_context.session.summaries, run_values.results, strict=True)
            found = [(kind, tag, value) for (kind, tag, _), value in pairs]
            run_context.session.events.summaries(self._output_dir, self._step, found)
