"""`tf.io.gfile`: local files and folders."""

from stratagem.ops import not_provided as _not_provided
from stratagem.ops.files import GFile as GFile
from stratagem.ops.files import copy as copy
from stratagem.ops.files import exists as exists
from stratagem.ops.files import glob as glob
from stratagem.ops.files import isdir as isdir
from stratagem.ops.files import join as join
from stratagem.ops.files import listdir as listdir
from stratagem.ops.files import makedirs as makedirs
from stratagem.ops.files import mkdir as mkdir
from stratagem.ops.files import remove as remove
from stratagem.ops.files import rename as rename
from stratagem.ops.files import rmtree as rmtree
from stratagem.ops.files import stat as stat
from stratagem.ops.files import walk as walk


def __getattr__(name: str) -> object:
    raise _not_provided("io.gfile", name)
