"""`tf.math`."""

from tests.ops.drawn.draws import Function, elementwise

FUNCTIONS: list[Function] = [
    elementwise("math.abs", gradients=True),
]
