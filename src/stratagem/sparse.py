"""`tf.sparse`: sparse tensors, which parsing returns for features of any length."""

from stratagem import _hooks
from stratagem._data.files import SparseTensor as SparseTensor
from stratagem._data.files import to_dense as to_dense
from stratagem._ops import not_provided as _not_provided

_hooks.install()


def __getattr__(name: str) -> object:
    raise _not_provided("sparse", name)
