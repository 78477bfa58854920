"""Shows the library's log messages on standard error, as long as the program has not set up logging itself."""

import logging
import sys
from typing import final

from stratagem._base.exports import exported


@final
class _Unconfigured(logging.StreamHandler):  # type: ignore[type-arg]
    """Prints records when the program has installed no handler: by default `logging` would only show warnings."""

    def emit(self, record: logging.LogRecord) -> None:
        if not logging.getLogger().handlers:
            self.setStream(sys.stderr)  # looked up each time: programs and notebooks replace it
            super().emit(record)


def show(name: str) -> None:
    """Makes the logger `name` and its children print from INFO on, as TensorFlow's does. Its level can be set as usual."""
    logger = logging.getLogger(name)
    handler = _Unconfigured()
    handler.setFormatter(logging.Formatter("%(levelname)s:stratagem: %(message)s"))
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)


@exported("get_logger", v1=())
def get_logger() -> logging.Logger:
    """Returns the logger of the library, "stratagem", as `tf.get_logger` returns TensorFlow's."""
    return logging.getLogger("stratagem")
