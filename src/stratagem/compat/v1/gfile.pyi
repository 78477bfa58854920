# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.

from stratagem._ops.files import GFile as FastGFile
from stratagem._ops.files import GFile as GFile
from stratagem._ops.files import GFile as Open
from stratagem._tf1.graph.functions.reordered import copy as Copy
from stratagem._tf1.graph.functions.reordered import delete_recursively as DeleteRecursively
from stratagem._tf1.graph.functions.reordered import exists as Exists
from stratagem._tf1.graph.functions.reordered import glob as Glob
from stratagem._tf1.graph.functions.reordered import is_directory as IsDirectory
from stratagem._tf1.graph.functions.reordered import list_directory as ListDirectory
from stratagem._tf1.graph.functions.reordered import make_dirs as MakeDirs
from stratagem._tf1.graph.functions.reordered import mk_dir as MkDir
from stratagem._tf1.graph.functions.reordered import remove as Remove
from stratagem._tf1.graph.functions.reordered import rename as Rename
from stratagem._tf1.graph.functions.reordered import stat as Stat
from stratagem._tf1.graph.functions.reordered import walk as Walk

__all__ = [
    "Copy", "DeleteRecursively", "Exists", "FastGFile", "GFile", "Glob", "IsDirectory", "ListDirectory", "MakeDirs",
    "MkDir", "Open", "Remove", "Rename", "Stat", "Walk"
]  # fmt: skip
