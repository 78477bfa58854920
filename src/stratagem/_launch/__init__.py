"""Starts the tasks of a job as processes of this machine, follows them, and ends them together.

In: a plan (how many tasks of each kind, their addresses and devices), a program, and a display.
Out: how the job ended, and which task failed first; `functions` has `tf.launch`, whose program is a function of the user's.
Never: imports JAX or Keras where the command `stratagem` starts programs: only `functions` does; leaves a process behind.
"""

from stratagem._launch._attempt import TaskStatus as TaskStatus
from stratagem._launch._attempt import log_path as log_path
from stratagem._launch._display import Display as Display
from stratagem._launch._display import FailureReport as FailureReport
from stratagem._launch._plan import TaskCounts as TaskCounts
from stratagem._launch._plan import TaskStart as TaskStart
from stratagem._launch._plan import assign_addresses as assign_addresses
from stratagem._launch._plan import device_variables as device_variables
from stratagem._launch._plan import on_this_machine as on_this_machine
from stratagem._launch._plan import refuse_used as refuse_used
from stratagem._launch._plan import wants_cpu as wants_cpu
from stratagem._launch._plan import with_chief_address as with_chief_address
from stratagem._launch._plan import with_tf_config as with_tf_config
from stratagem._launch._run import LaunchSpec as LaunchSpec
from stratagem._launch._run import run as run
from stratagem._launch._stream_display import StreamDisplay as StreamDisplay
from stratagem._launch._task_log_reader import plain as plain
