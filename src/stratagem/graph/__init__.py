"""TensorFlow 1's way to write a model: a model_fn that is traced like any step, whose effects are operations run later."""

from stratagem.graph._building import Building as Building
from stratagem.graph._building import current_building as current_building
from stratagem.graph._get_variable import get_or_create_global_step as get_or_create_global_step
from stratagem.graph._get_variable import get_variable as get_variable
from stratagem.graph._graph import Graph as Graph
from stratagem.graph._keys import GraphKeys as GraphKeys
from stratagem.graph._operations import Operation as Operation
from stratagem.graph._operations import assign as assign
from stratagem.graph._operations import assign_add as assign_add
from stratagem.graph._operations import assign_sub as assign_sub
from stratagem.graph._operations import control_dependencies as control_dependencies
from stratagem.graph._operations import group as group
from stratagem.graph._operations import no_op as no_op
from stratagem.graph._optimizer import Optimizer as Optimizer
from stratagem.graph._optimizers import GradientDescentOptimizer as GradientDescentOptimizer
from stratagem.graph._scopes import AUTO_REUSE as AUTO_REUSE
from stratagem.graph._scopes import VariableScope as VariableScope
from stratagem.graph._variables import GraphVariable as GraphVariable
