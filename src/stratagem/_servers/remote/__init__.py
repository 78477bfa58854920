"""Variables on servers, and how the steps of workers reach them."""

from stratagem._servers.remote._actors import TaskLostError as TaskLostError
from stratagem._servers.remote._actors import TaskSilentError as TaskSilentError
from stratagem._servers.remote._placement import ServerPlacement as ServerPlacement
from stratagem._servers.remote._ray import RemoteSource as RemoteSource
from stratagem._servers.remote._server import Traffic as Traffic
from stratagem._servers.remote._server import VariableServer as VariableServer
from stratagem._servers.remote._servers import Servers as Servers
from stratagem._servers.remote._task import Server as Server
from stratagem._servers.remote._task import connect as connect
from stratagem._servers.remote._time_breakdown import Busy as Busy
from stratagem._servers.remote._time_breakdown import TimeCategory as TimeCategory
from stratagem._servers.remote._worker import Worker as Worker
