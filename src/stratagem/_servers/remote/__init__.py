"""Variables on servers: their placement, and the programs by which workers read and update them."""

from stratagem._servers.remote._actors import Actor as Actor
from stratagem._servers.remote._actors import LocalActor as LocalActor
from stratagem._servers.remote._actors import Pending as Pending
from stratagem._servers.remote._placement import ServerPlacement as ServerPlacement
from stratagem._servers.remote._ray_worker_proxy import RemoteResource as RemoteResource
from stratagem._servers.remote._server import MissingVariableError as MissingVariableError
from stratagem._servers.remote._server import ServerStatistics as ServerStatistics
from stratagem._servers.remote._server import VariableServer as VariableServer
from stratagem._servers.remote._server_messages import Push as Push
from stratagem._servers.remote._server_messages import PushId as PushId
from stratagem._servers.remote._server_messages import UpdateGradients as UpdateGradients
from stratagem._servers.remote._servers import Servers as Servers
from stratagem._servers.remote._task_server import Server as Server
from stratagem._servers.remote._task_server import connect as connect
from stratagem._servers.remote._task_server import is_only_task as is_only_task
from stratagem._servers.remote._time_breakdown import BusyTimer as BusyTimer
from stratagem._servers.remote._time_breakdown import TimeBreakdown as TimeBreakdown
from stratagem._servers.remote._time_breakdown import TimeCategory as TimeCategory
from stratagem._servers.remote._update import SparseGradient as SparseGradient
from stratagem._servers.remote._worker import Worker as Worker
