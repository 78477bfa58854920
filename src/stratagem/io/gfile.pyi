# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.

from stratagem._ops.files import GFile as GFile
from stratagem._ops.files import copy as copy
from stratagem._ops.files import exists as exists
from stratagem._ops.files import get_registered_schemes as get_registered_schemes
from stratagem._ops.files import glob as glob
from stratagem._ops.files import isdir as isdir
from stratagem._ops.files import join as join
from stratagem._ops.files import listdir as listdir
from stratagem._ops.files import makedirs as makedirs
from stratagem._ops.files import mkdir as mkdir
from stratagem._ops.files import remove as remove
from stratagem._ops.files import rename as rename
from stratagem._ops.files import rmtree as rmtree
from stratagem._ops.files import stat as stat
from stratagem._ops.files import walk as walk

__all__ = [
    "GFile", "copy", "exists", "get_registered_schemes", "glob", "isdir", "join", "listdir", "makedirs", "mkdir",
    "remove", "rename", "rmtree", "stat", "walk"
]  # fmt: skip
