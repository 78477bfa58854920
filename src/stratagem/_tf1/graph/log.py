"""tf1.logging: TensorFlow's log, here Python's logger "stratagem"."""

import logging
from collections import Counter
from typing import Any

DEBUG, INFO, WARN, ERROR, FATAL = logging.DEBUG, logging.INFO, logging.WARNING, logging.ERROR, logging.CRITICAL

_logger = logging.getLogger("stratagem")
_times: Counter[str] = Counter()


def get_logger() -> logging.Logger:
    """Returns the logger."""
    return _logger


def set_verbosity(v: int | str) -> None:
    """Shows messages of level `v` and above: DEBUG, INFO, WARN, ERROR or FATAL."""
    _logger.setLevel(v)


def get_verbosity() -> int:
    """Returns the lowest level that is shown."""
    return _logger.getEffectiveLevel()


def log(level: int, msg: str, *args: Any, **kwargs: Any) -> None:
    """Logs `msg % args`. kwargs: those of Python's logging, such as exc_info."""
    _logger.log(level, msg, *args, **kwargs)


def debug(msg: str, *args: Any, **kwargs: Any) -> None:
    """Logs at level DEBUG."""
    _logger.debug(msg, *args, **kwargs)


def info(msg: str, *args: Any, **kwargs: Any) -> None:
    """Logs at level INFO."""
    _logger.info(msg, *args, **kwargs)


def warning(msg: str, *args: Any, **kwargs: Any) -> None:
    """Logs at level WARN."""
    _logger.warning(msg, *args, **kwargs)


def error(msg: str, *args: Any, **kwargs: Any) -> None:
    """Logs at level ERROR."""
    _logger.error(msg, *args, **kwargs)


def fatal(msg: str, *args: Any, **kwargs: Any) -> None:
    """Logs at level FATAL."""
    _logger.critical(msg, *args, **kwargs)


def vlog(level: int, msg: str, *args: Any, **kwargs: Any) -> None:
    """Logs details, always at level DEBUG."""
    _logger.debug(msg, *args, **kwargs)


def log_if(level: int, msg: str, condition: Any, *args: Any) -> None:
    """Logs if `condition` is true."""
    if condition:
        _logger.log(level, msg, *args)


def log_every_n(level: int, msg: str, n: int, *args: Any) -> None:
    """Logs every n-th call with this message, beginning with the first."""
    _times[msg] += 1
    if (_times[msg] - 1) % n == 0:
        _logger.log(level, msg, *args)


def log_first_n(level: int, msg: str, n: int, *args: Any) -> None:
    """Logs the first n calls with this message."""
    _times[msg] += 1
    if _times[msg] <= n:
        _logger.log(level, msg, *args)


def flush() -> None:
    """Has no effect: nothing is buffered."""
