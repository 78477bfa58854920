"""The functions of TensorFlow that models of Keras 2 call as layers, by the names under which models have them here."""

from typing import Final

from stratagem._base.errors import UnimplementedError
from stratagem._ops import symbolic_functions

_NAMESPACES: Final = ("bitwise", "dtypes", "image", "linalg", "math", "nn", "quantization", "signal", "strings")
_OPERATORS: Final = {
    **{name: name for name in ("add", "getitem", "logical_and", "logical_or", "logical_xor")},
    "eq": "equal",
    "ne": "not_equal",
    "logical_not": "logical_not",
}
# Functions that are here under another name than the last part of their own, which another function has.
_OTHERS: Final = {"image.transpose": "transpose_image"}
_LAYERS: Final = (
    "TFOpLambda",
    "SlicingOpLambda",
    "TensorFlowOpLayer",
    "ClassMethod",
    "InstanceMethod",
    "InstanceProperty",
)


def is_function_layer(class_name: str) -> bool:
    """Returns whether a class of Keras 2 makes a layer of a call on symbolic tensors."""
    return class_name in _LAYERS


def function_named(name: str) -> str:
    """Returns the name that models here have for a function of TensorFlow.

    Raises UnimplementedError for one that takes no symbolic tensors here, and for what is no function of tensors.
    """
    namespace, _, own = name.removeprefix("compat.v1.").rpartition(".")
    known = symbolic_functions()
    if namespace == "__operators__":
        found = _OPERATORS.get(own)
    elif namespace == "strings":
        found = f"strings.{own}"
    else:
        found = _OTHERS.get(f"{namespace}.{own}", own) if namespace in ("", *_NAMESPACES) else None
    if found is None or found not in known:
        raise UnimplementedError(
            f"The model calls tf.{name} as a layer, which models cannot have here. Build the model here, with a layer that "
            "calls what you want instead, and read its weights with load_weights."
        )
    return found
