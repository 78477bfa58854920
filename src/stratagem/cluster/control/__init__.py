"""The control channel of a job: who is there, who does what, who failed. It imports nothing heavy: supervisors run on it."""

from stratagem.cluster.control._connected import Connected as Connected
from stratagem.cluster.control._facts import Facts as Facts
from stratagem.cluster.control._limits import Limits as Limits
from stratagem.cluster.control._link import Link as Link
from stratagem.cluster.control._token import make_token as make_token
