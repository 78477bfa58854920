"""Local files. A folder of its own, because some names here are also those of other functions."""

from stratagem._ops.files._files import FileStatistics as FileStatistics
from stratagem._ops.files._files import GFile as GFile
from stratagem._ops.files._files import copy as copy
from stratagem._ops.files._files import exists as exists
from stratagem._ops.files._files import glob as glob
from stratagem._ops.files._files import isdir as isdir
from stratagem._ops.files._files import join as join
from stratagem._ops.files._files import listdir as listdir
from stratagem._ops.files._files import makedirs as makedirs
from stratagem._ops.files._files import mkdir as mkdir
from stratagem._ops.files._files import read_file as read_file
from stratagem._ops.files._files import remove as remove
from stratagem._ops.files._files import rename as rename
from stratagem._ops.files._files import rmtree as rmtree
from stratagem._ops.files._files import stat as stat
from stratagem._ops.files._files import walk as walk
from stratagem._ops.files._files import write_file as write_file
