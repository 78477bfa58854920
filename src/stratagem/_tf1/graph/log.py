"""tf1.logging: TensorFlow's log, here Python's logger "stratagem"."""

import logging
from collections import Counter
from typing import Any

from stratagem._base.exports import exported

DEBUG, INFO, WARN, ERROR, FATAL = logging.DEBUG, logging.INFO, logging.WARNING, logging.ERROR, logging.CRITICAL
exported(v1=["logging.WARN"])(WARN)
exported(v1=["logging.INFO"])(INFO)
exported(v1=["logging.FATAL"])(FATAL)
exported(v1=["logging.ERROR"])(ERROR)
exported(v1=["logging.DEBUG"])(DEBUG)

_logger = logging.getLogger("stratagem")
_times: Counter[str] = Counter()


@exported(v1=["get_logger"])
def get_logger() -> logging.Logger:
    """Returns the logger."""
    return _logger


@exported(v1=["logging.set_verbosity"])
def set_verbosity(v: int | str) -> None:
    """Shows messages of level `v` and above: DEBUG, INFO, WARN, ERROR or FATAL."""
    _logger.setLevel(v)


@exported(v1=["logging.get_verbosity"])
def get_verbosity() -> int:
    """Returns the lowest level that is shown."""
    return _logger.getEffectiveLevel()


@exported(v1=["logging.log"])
def log(level: int, msg: str, *args: Any, **kwargs: Any) -> None:
    """Logs `msg % args`. kwargs: those of Python's logging, such as exc_info."""
    _logger.log(level, msg, *args, **kwargs)


@exported(v1=["logging.debug"])
def debug(msg: str, *args: Any, **kwargs: Any) -> None:
    """Logs at level DEBUG."""
    _logger.debug(msg, *args, **kwargs)


@exported(v1=["logging.info"])
def info(msg: str, *args: Any, **kwargs: Any) -> None:
    """Logs at level INFO."""
    _logger.info(msg, *args, **kwargs)


@exported(v1=["logging.warn", "logging.warning"])
def warning(msg: str, *args: Any, **kwargs: Any) -> None:
    """Logs at level WARN."""
    _logger.warning(msg, *args, **kwargs)


@exported(v1=["logging.error"])
def error(msg: str, *args: Any, **kwargs: Any) -> None:
    """Logs at level ERROR."""
    _logger.error(msg, *args, **kwargs)


@exported(v1=["logging.fatal"])
def fatal(msg: str, *args: Any, **kwargs: Any) -> None:
    """Logs at level FATAL."""
    _logger.critical(msg, *args, **kwargs)


@exported(v1=["logging.vlog"])
def vlog(level: int, msg: str, *args: Any, **kwargs: Any) -> None:
    """Logs details, always at level DEBUG."""
    _logger.debug(msg, *args, **kwargs)


@exported(v1=["logging.log_if"])
def log_if(level: int, msg: str, condition: Any, *args: Any) -> None:
    """Logs if `condition` is true."""
    if condition:
        _logger.log(level, msg, *args)


@exported(v1=["logging.log_every_n"])
def log_every_n(level: int, msg: str, n: int, *args: Any) -> None:
    """Logs every n-th call with this message, beginning with the first."""
    _times[msg] += 1
    if (_times[msg] - 1) % n == 0:
        _logger.log(level, msg, *args)


@exported(v1=["logging.log_first_n"])
def log_first_n(level: int, msg: str, n: int, *args: Any) -> None:
    """Logs the first n calls with this message."""
    _times[msg] += 1
    if _times[msg] <= n:
        _logger.log(level, msg, *args)


@exported(v1=["logging.flush"])
def flush() -> None:
    """Has no effect: nothing is buffered."""
