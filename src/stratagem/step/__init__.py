"""One training step: record, differentiate, replicate, compile."""

from stratagem.step import _keras_rules as _keras_rules
from stratagem.step import _losses as _losses
from stratagem.step._execute import execute as execute
from stratagem.step._execute import execute_anew as execute_anew
from stratagem.step._execute import execute_together as execute_together
from stratagem.step._execute import prepare as prepare
from stratagem.step._function import Function as Function
from stratagem.step._function import default_mesh as default_mesh
from stratagem.step._function import function as function
from stratagem.step._gradient_tape import GradientTape as GradientTape
from stratagem.step._gradient_tape import UnconnectedGradients as UnconnectedGradients
from stratagem.step._losses import of_batch as of_batch
from stratagem.step._replicate import ReplicaContext as ReplicaContext
from stratagem.step._replicate import agreed as agreed
from stratagem.step._replicate import check_even as check_even
from stratagem.step._replicate import gather_value as gather_value
from stratagem.step._replicate import reduce_rows as reduce_rows
from stratagem.step._replicate import reduce_value as reduce_value
from stratagem.step._replicate import run_replicas as run_replicas
from stratagem.step._signature import Same as Same
from stratagem.step._signature import function_key as function_key
