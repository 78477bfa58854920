"""Weights that are refused, while Keras reads them, leave a model as it was."""

import contextlib
from collections.abc import Iterator
from typing import Any

from stratagem._core.values import is_remote
from stratagem._private import initialized, store, stored


@contextlib.contextmanager
def unchanged_if_refused(model: Any) -> Iterator[None]:
    """Gives the variables of a model and of its optimizer back what they had if the body raises.

    Keras' readers assign what they have read so far. Variables on parameter servers keep what was assigned.
    """
    optimizer = getattr(model, "optimizer", None)
    variables = [*(model.variables if model.built else ()), *getattr(optimizer, "variables", ())]
    before = [(each, stored(each)) for each in variables if initialized(each) and not is_remote(each)]
    try:
        yield
    except BaseException:
        for variable, value in before:
            store(variable, value)
        raise
