"""The progress of fit, evaluate and predict: a live bar in a terminal, plain lines in files and CI."""

import logging
import math
import time
from typing import Any, final

import keras
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

logger = logging.getLogger("stratagem")

_SECONDS_BETWEEN_LINES = 30.0
_SECONDS_BETWEEN_UPDATES = 0.1


@final
class ProgressDisplay(keras.callbacks.ProgbarLogger):  # type: ignore[misc]
    """Replaces Keras' progress bar; `verbose` as there: 0 nothing, 1 (or "auto") progress, 2 a line per epoch.

    Without a terminal, and in notebooks, verbose 1 prints a line per epoch and, in long epochs, one every 30 s.
    """

    def __init__(self, console: Console | None = None) -> None:
        super().__init__()
        self.target: int | None = None
        self._console = console or _console()
        self._bar: Progress | None = None
        self._task = TaskID(0)
        self._title = ""
        self._steps_here = self._examples = 0
        self._began = self._shown_at = self._pause = 0.0
        self._logs: Any = None

    def advance(self, steps: int, last: int, examples: int, logs: Any) -> None:
        """Updates the display: `steps` of the pass were started, the `last` of them just now, on so many examples.

        An epoch that goes on where another process was interrupted begins with that one's steps, which took no time here.

        Shows the logs of the previous call: those are likely to be computed, so there is no need to wait.
        """
        if not self._steps_here and steps > last and self._bar is not None:
            self._bar.reset(self._task, completed=steps - last)
        self.seen, self._steps_here, self._examples = steps, self._steps_here + last, self._examples + examples
        previous, self._logs = self._logs, logs if isinstance(logs, dict) else None  # predictions are not logs
        if self.verbose != 1 or time.monotonic() - self._shown_at < self._pause:
            return
        self._shown_at = time.monotonic()
        if self._bar is not None:
            self._bar.update(self._task, completed=steps, text=self._figures(previous))
        else:
            self._print(previous)

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        """Does nothing: the trainer calls `advance`."""

    def on_test_batch_end(self, batch: int, logs: Any = None) -> None:
        """Does nothing: the trainer calls `advance`."""

    def on_predict_batch_end(self, batch: int, logs: Any = None) -> None:
        """Does nothing: the trainer calls `advance`."""

    def on_test_begin(self, logs: Any = None) -> None:
        if not self._called_in_fit:
            self._start("Evaluate")

    def on_predict_begin(self, logs: Any = None) -> None:
        self._start("Predict")

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        self._start(f"Epoch {epoch + 1}/{self.epochs}")

    def on_train_end(self, logs: Any = None) -> None:
        self.close()
        self._called_in_fit = False

    def _start(self, title: str) -> None:
        self.close()
        self._title, self._steps_here, self._examples, self.seen, self._logs = title, 0, 0, 0, None
        self._began = self._shown_at = time.monotonic()
        self._pause = _SECONDS_BETWEEN_LINES
        if self.verbose == 1 and self._console.is_terminal and keras.config.is_interactive_logging_enabled():
            columns = (TextColumn("{task.description}"), BarColumn(30), MofNCompleteColumn(), TimeRemainingColumn())
            self._bar = Progress(*columns, TextColumn("{task.fields[text]}"), console=self._console, transient=True)
            self._task = self._bar.add_task(title, total=self.target, text="")
            self._bar.start()
            self._pause = _SECONDS_BETWEEN_UPDATES

    def _finalize_progbar(self, logs: Any) -> None:
        self.target = self.seen if self.target is None else self.target
        self.close()
        if self.verbose:
            self._print(logs)

    def close(self) -> None:
        """Ends the live display, if there is one."""
        if self._bar is not None:
            self._bar.stop()
            self._bar = None

    def _print(self, logs: Any) -> None:
        seconds = time.monotonic() - self._began
        done = f"{self.seen}/{'?' if self.target is None else self.target}"
        line = f"{self._title} - {done} - {seconds:.0f}s - {self._figures(logs)}"
        if keras.config.is_interactive_logging_enabled():
            self._console.print(line, markup=False, highlight=False)
        else:
            logger.info(line)

    def _figures(self, logs: Any) -> str:
        seconds = max(time.monotonic() - self._began, 1e-9)
        parts = [f"{_duration(seconds / max(self._steps_here, 1))}/step", f"{self._examples / seconds:.0f} examples/s"]
        return " - ".join([*parts, *(f"{name}: {_number(value)}" for name, value in (logs or {}).items())])


def _console() -> Console:
    console = Console(highlight=False, soft_wrap=True)
    if console.is_jupyter:  # each line would be a piece of HTML, in letters of another size, and cut off at the right
        console = Console(highlight=False, soft_wrap=True, force_jupyter=False, force_terminal=False)
    return console


def _duration(seconds: float) -> str:
    return (
        f"{seconds:.1f}s" if seconds >= 1 else f"{seconds * 1e3:.0f}ms" if seconds >= 1e-3 else f"{seconds * 1e6:.0f}us"
    )


def _number(value: Any) -> str:
    """Formats a number with four decimals; very small numbers with an exponent, as Keras shows them."""
    value = float(value) if getattr(value, "ndim", None) == 0 else value
    if not isinstance(value, float | int) or not math.isfinite(value):
        return str(value)
    return f"{value:.4f}" if abs(value) > 1e-3 or value == 0 else f"{value:.4e}"
