"""The table by which a notebook shows a history, what `fit` returns: a row for each epoch, a column for each metric."""

import keras

from stratagem._base.html_tables import html_table
from stratagem._private import display_histories

_SHOWN = 10  # first and last epochs, where there are more than twice as many


def attach_histories() -> None:
    """Has histories of Keras show themselves as tables."""
    display_histories(history_table)


def history_table(history: keras.callbacks.History) -> str:
    """Returns the history as HTML."""
    names = list(history.history)
    rows = [
        [f"{epoch + 1}", *(_number(history.history[name], place) for name in names)]
        for place, epoch in enumerate(history.epoch)
    ]
    if len(rows) > 2 * _SHOWN:
        rows = [*rows[:_SHOWN], ["…"] * (len(names) + 1), *rows[-_SHOWN:]]
    return html_table("History", rows, header=["epoch", *names])


def _number(values: list[float], place: int) -> str:
    # A metric may have been added by a callback, or computed in some epochs only.
    return f"{float(values[place]):.4g}" if place < len(values) else ""
