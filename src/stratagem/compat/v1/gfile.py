"""tf.compat.v1.gfile: tf.io.gfile under TensorFlow 1's names."""

from typing import Any as _Any

from stratagem._ops import not_provided as _not_provided
from stratagem._ops.files import GFile as FastGFile  # noqa: F401
from stratagem._ops.files import GFile as GFile
from stratagem._ops.files import GFile as Open  # noqa: F401
from stratagem._tf1.graph.functions.reordered import copy as Copy  # noqa: F401
from stratagem._tf1.graph.functions.reordered import delete_recursively as DeleteRecursively  # noqa: F401
from stratagem._tf1.graph.functions.reordered import exists as Exists  # noqa: F401
from stratagem._tf1.graph.functions.reordered import glob as Glob  # noqa: F401
from stratagem._tf1.graph.functions.reordered import is_directory as IsDirectory  # noqa: F401
from stratagem._tf1.graph.functions.reordered import list_directory as ListDirectory  # noqa: F401
from stratagem._tf1.graph.functions.reordered import make_dirs as MakeDirs  # noqa: F401
from stratagem._tf1.graph.functions.reordered import mk_dir as MkDir  # noqa: F401
from stratagem._tf1.graph.functions.reordered import remove as Remove  # noqa: F401
from stratagem._tf1.graph.functions.reordered import rename as Rename  # noqa: F401
from stratagem._tf1.graph.functions.reordered import stat as Stat  # noqa: F401
from stratagem._tf1.graph.functions.reordered import walk as Walk  # noqa: F401


def __getattr__(name: str) -> _Any:
    raise _not_provided("compat.v1.gfile", name)
