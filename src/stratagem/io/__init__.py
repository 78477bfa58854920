"""`tf.io`: local files."""

from stratagem.io import gfile as gfile
from stratagem.ops import not_provided as _not_provided
from stratagem.ops.files import read_file as read_file
from stratagem.ops.files import write_file as write_file


def __getattr__(name: str) -> object:
    raise _not_provided("io", name)
