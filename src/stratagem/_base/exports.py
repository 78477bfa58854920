"""exported: the declaration of a public name, beside what has it."""

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

T = TypeVar("T")


def exported(*names: str, v1: Sequence[str] | None = None, lacks: Mapping[str, str] | None = None) -> Callable[[T], T]:
    """Declares the public names of a function, a class or a value, as TensorFlow's `tf_export` does.

    A value is declared where it is made, `int8 = exported("int8")(DType(...))`, or by a statement after that,
    `exported("Tensor")(Tensor)`.

    Args:
        names: Paths below `tf`, as in `image.adjust_gamma`; those of `stratagem.addons` begin with `addons.`.
        v1: Paths below `tf.compat.v1`. None means the same as `names`, without those of Keras and of the addons.
        lacks: What TensorFlow's has and this never will, with the reason: a member by its name, an argument as `(name)`, that
            of a method as `method(name)`. `scripts/conformance.py` does not count these.

    Nothing happens when a program runs. `make api` reads these calls in the source, so that they have literals only.
    """
    return _unchanged


def _unchanged(value: T) -> T:
    return value
