"""Shows what the library has to say on standard error, as long as the program has not set logging up itself."""

import logging
import sys
from typing import final


@final
class _Unconfigured(logging.StreamHandler):  # type: ignore[type-arg]
    """Prints records that no handler of the program's would: `logging` itself shows warnings only."""

    def emit(self, record: logging.LogRecord) -> None:
        if not logging.getLogger().handlers:
            self.setStream(sys.stderr)  # the present one: programs and notebooks replace it
            super().emit(record)


def show(name: str) -> None:
    """Let the logger `name` and those below it print from INFO on, as TensorFlow's does. Its level can be set as usual."""
    logger = logging.getLogger(name)
    handler = _Unconfigured()
    handler.setFormatter(logging.Formatter("%(levelname)s:stratagem: %(message)s"))
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
