# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.

from stratagem._tf1.graph.log import DEBUG as DEBUG
from stratagem._tf1.graph.log import ERROR as ERROR
from stratagem._tf1.graph.log import FATAL as FATAL
from stratagem._tf1.graph.log import INFO as INFO
from stratagem._tf1.graph.log import WARN as WARN
from stratagem._tf1.graph.log import debug as debug
from stratagem._tf1.graph.log import error as error
from stratagem._tf1.graph.log import fatal as fatal
from stratagem._tf1.graph.log import flush as flush
from stratagem._tf1.graph.log import get_verbosity as get_verbosity
from stratagem._tf1.graph.log import info as info
from stratagem._tf1.graph.log import log as log
from stratagem._tf1.graph.log import log_every_n as log_every_n
from stratagem._tf1.graph.log import log_first_n as log_first_n
from stratagem._tf1.graph.log import log_if as log_if
from stratagem._tf1.graph.log import set_verbosity as set_verbosity
from stratagem._tf1.graph.log import vlog as vlog
from stratagem._tf1.graph.log import warning as warn
from stratagem._tf1.graph.log import warning as warning

__all__ = [
    "DEBUG", "ERROR", "FATAL", "INFO", "WARN", "debug", "error", "fatal", "flush", "get_verbosity", "info", "log",
    "log_every_n", "log_first_n", "log_if", "set_verbosity", "vlog", "warn", "warning"
]  # fmt: skip
