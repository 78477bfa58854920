"""Variables on servers, and how the steps of workers reach them."""

from stratagem.remote._actors import TaskLostError as TaskLostError
from stratagem.remote._clock import Busy as Busy
from stratagem.remote._clock import Part as Part
from stratagem.remote._placement import ServedPlacement as ServedPlacement
from stratagem.remote._ray import RemoteSource as RemoteSource
from stratagem.remote._server import Traffic as Traffic
from stratagem.remote._server import VariableServer as VariableServer
from stratagem.remote._servers import Servers as Servers
from stratagem.remote._task import Server as Server
from stratagem.remote._task import connect as connect
from stratagem.remote._worker import Worker as Worker
