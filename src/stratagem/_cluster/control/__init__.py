"""The control channel of a job: its tasks, their progress and failures. Imports nothing large: supervisors run on it."""

from stratagem._cluster.control._client import ControlClient as ControlClient
from stratagem._cluster.control._connected_job import ConnectedJob as ConnectedJob
from stratagem._cluster.control._failure import FailureKind as FailureKind
from stratagem._cluster.control._failure import JobFailure as JobFailure
from stratagem._cluster.control._job_info import JobInfo as JobInfo
from stratagem._cluster.control._limits import TimeLimits as TimeLimits
from stratagem._cluster.control._progress import Position as Position
from stratagem._cluster.control._progress import SharedProgress as SharedProgress
from stratagem._cluster.control._progress import position_in as position_in
from stratagem._cluster.control._token import INSECURE as INSECURE
from stratagem._cluster.control._token import TOKEN_FILE as TOKEN_FILE
from stratagem._cluster.control._token import is_secret as is_secret
from stratagem._cluster.control._token import make_token as make_token
from stratagem._cluster.control._token import own_token_file as own_token_file
from stratagem._cluster.control._token import read_token as read_token
