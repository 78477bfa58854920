"""TensorFlow's derivatives at kinks, ties and poles, put into a program in place of the rules by which JAX's differ there.

In: a traced program.
Out: the same program with calls of functions in place of primitives, and of functions of JAX, whose rules differ: each has the
same value and TensorFlow's rule, the same one for tapes and for forward accumulators.
Never: changes a value; looks into what has a rule of its user's own (`custom_jvp_call`, `custom_vjp_call`).
"""

from stratagem._core.derivatives._pools import volume_pool as volume_pool
from stratagem._core.derivatives._reverse_only import reverse_only as reverse_only
from stratagem._core.derivatives._rules import forward_rules as forward_rules
from stratagem._core.derivatives._rules import tensorflow_rules as tensorflow_rules
