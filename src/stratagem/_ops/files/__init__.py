"""Files. A folder of its own, because some names here are also those of other functions."""

from stratagem._ops.files._gfile import GFile as GFile
from stratagem._ops.files._gfile import copy as copy
from stratagem._ops.files._gfile import exists as exists
from stratagem._ops.files._gfile import glob as glob
from stratagem._ops.files._gfile import isdir as isdir
from stratagem._ops.files._gfile import join as join
from stratagem._ops.files._gfile import listdir as listdir
from stratagem._ops.files._gfile import makedirs as makedirs
from stratagem._ops.files._gfile import mkdir as mkdir
from stratagem._ops.files._gfile import read_file as read_file
from stratagem._ops.files._gfile import remove as remove
from stratagem._ops.files._gfile import rename as rename
from stratagem._ops.files._gfile import rmtree as rmtree
from stratagem._ops.files._gfile import stat as stat
from stratagem._ops.files._gfile import walk as walk
