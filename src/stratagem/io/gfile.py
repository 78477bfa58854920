"""`tf.io.gfile`: files and folders, of this machine and others."""

from stratagem._ops import not_provided as _not_provided
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


def __getattr__(name: str) -> object:
    raise _not_provided("io.gfile", name)
