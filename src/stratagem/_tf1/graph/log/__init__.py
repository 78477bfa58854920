"""tf1.logging."""

from stratagem._tf1.graph.log._log import DEBUG as DEBUG
from stratagem._tf1.graph.log._log import ERROR as ERROR
from stratagem._tf1.graph.log._log import FATAL as FATAL
from stratagem._tf1.graph.log._log import INFO as INFO
from stratagem._tf1.graph.log._log import WARN as WARN
from stratagem._tf1.graph.log._log import debug as debug
from stratagem._tf1.graph.log._log import error as error
from stratagem._tf1.graph.log._log import fatal as fatal
from stratagem._tf1.graph.log._log import flush as flush
from stratagem._tf1.graph.log._log import get_logger as get_logger
from stratagem._tf1.graph.log._log import get_verbosity as get_verbosity
from stratagem._tf1.graph.log._log import info as info
from stratagem._tf1.graph.log._log import log as log
from stratagem._tf1.graph.log._log import log_every_n as log_every_n
from stratagem._tf1.graph.log._log import log_first_n as log_first_n
from stratagem._tf1.graph.log._log import log_if as log_if
from stratagem._tf1.graph.log._log import set_verbosity as set_verbosity
from stratagem._tf1.graph.log._log import vlog as vlog
from stratagem._tf1.graph.log._log import warning as warning
