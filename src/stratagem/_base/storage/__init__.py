"""The file systems that paths lead to: this machine's, and through fsspec object stores and others, with one interface.

In: paths as `paths.any_path` returns them.
Out: the file system of a path; local copies of remote files, and files that are uploaded when they are complete.
Never: waits for a remote file system without a limit, or takes a failed request for a missing file.
"""

from stratagem._base.storage._choice import checked_path as checked_path
from stratagem._base.storage._choice import file_system as file_system
from stratagem._base.storage._copies import LocalCopy as LocalCopy
from stratagem._base.storage._copies import copied as copied
from stratagem._base.storage._copies import copy_file as copy_file
from stratagem._base.storage._copies import download as download
from stratagem._base.storage._copies import upload as upload
from stratagem._base.storage._copies import uploaded as uploaded
from stratagem._base.storage._file_system import FileStatus as FileStatus
from stratagem._base.storage._file_system import OutputFile as OutputFile
from stratagem._base.storage._patterns import glob_remote as glob_remote
from stratagem._base.storage._remote import schemes as schemes
from stratagem._base.storage._requests import UNANSWERED as UNANSWERED
