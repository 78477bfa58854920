"""Names for values that are the user's, about which a type checker cannot know more: each is `Any`, and says what it takes."""

from collections.abc import Callable
from typing import Any, TypeAlias

# What `tf.convert_to_tensor` takes: a tensor, a variable, PerReplica where the function may see one, a NumPy array, numbers or
# strings, also in lists.
TensorLike: TypeAlias = Any

# Lists, tuples, named tuples, dicts, dataclasses of leaves: tensors, PerReplica values, variables, or any Python object,
# which is handed on as it is.
Nest: TypeAlias = Any

# A tf.DType, a NumPy dtype, Python's float, int or bool, or a name.
DTypeLike: TypeAlias = Any

# A list or tuple of int or None, one number, a tf.TensorShape, or a tensor.
ShapeLike: TypeAlias = Any

# An int, or a list, tuple or tensor of them.
IntLike: TypeAlias = Any

# What stands between brackets after a tensor: ints, slices, `...`, None, tensors, or a tuple of them.
Index: TypeAlias = Any

# Whatever Python has: a value that is kept, compared or handed on, never looked into.
Value: TypeAlias = Any

# An argument that TensorFlow has and that changes nothing here; it is accepted as programs give it.
Unused: TypeAlias = Any

# What a user gives to be called, with arguments and a result of the user's choice.
UserFunction: TypeAlias = Callable[..., Any]

# What can be read from JSON, and written to it.
Json: TypeAlias = Any

# A model, optimizer, variable, iterator, metric, or any object with such attributes: what a checkpoint saves.
Trackable: TypeAlias = Any

# A str, an os.PathLike, or what TensorFlow takes in their place: a tensor of one string.
PathLike: TypeAlias = Any
