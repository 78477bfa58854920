"""Saving and restoring: the contents of checkpoints, the names of their values, and their integrity.

In: Python objects with variables below them, and a directory that may be damaged or hostile.
Out: checkpoints that are either complete or absent, even when several workers save; a report on what a restore has matched.
Never: unpickles, follows a link out of its directory, or displaces the last good checkpoint.
"""

from stratagem._checkpoints._attached import ArrayKeys as ArrayKeys
from stratagem._checkpoints._attached import AttachedCheckpoint as AttachedCheckpoint
from stratagem._checkpoints._attached import attached_in_memory as attached_in_memory
from stratagem._checkpoints._attached import has_attached as has_attached
from stratagem._checkpoints._attached import write_attached as write_attached
from stratagem._checkpoints._checkpoint import Checkpoint as Checkpoint
from stratagem._checkpoints._checkpoint_files import AttachedFiles as AttachedFiles
from stratagem._checkpoints._children import is_plain_object as is_plain_object
from stratagem._checkpoints._children import is_trackable as is_trackable
from stratagem._checkpoints._conversion import convert as convert
from stratagem._checkpoints._differences import Comparison as Comparison
from stratagem._checkpoints._differences import Difference as Difference
from stratagem._checkpoints._differences import compared as compared
from stratagem._checkpoints._finite import not_finite as not_finite
from stratagem._checkpoints._finite import shown as shown
from stratagem._checkpoints._index import CheckpointState as CheckpointState
from stratagem._checkpoints._index import get_checkpoint_state as get_checkpoint_state
from stratagem._checkpoints._index import record_checkpoint_state as record_checkpoint_state
from stratagem._checkpoints._inspect import CheckpointReport as CheckpointReport
from stratagem._checkpoints._inspect import report_on as report_on
from stratagem._checkpoints._inspect import values_in as values_in
from stratagem._checkpoints._keras_two import set_in_order_of_keras_two as set_in_order_of_keras_two
from stratagem._checkpoints._latest_intact import is_good as is_good
from stratagem._checkpoints._latest_intact import latest_checkpoint as latest_checkpoint
from stratagem._checkpoints._locations import folders_below as folders_below
from stratagem._checkpoints._locations import keras_files as keras_files
from stratagem._checkpoints._manager import CheckpointManager as CheckpointManager
from stratagem._checkpoints._named import Derived as Derived
from stratagem._checkpoints._named import NamedCheckpoint as NamedCheckpoint
from stratagem._checkpoints._named import Written as Written
from stratagem._checkpoints._options import CheckpointFormat as CheckpointFormat
from stratagem._checkpoints._options import CheckpointOptions as CheckpointOptions
from stratagem._checkpoints._preemption import PreemptionCheckpointHandler as PreemptionCheckpointHandler
from stratagem._checkpoints._preemption import TerminationConfig as TerminationConfig
from stratagem._checkpoints._reader import CheckpointReader as CheckpointReader
from stratagem._checkpoints._reader import list_variables as list_variables
from stratagem._checkpoints._reader import load_checkpoint as load_checkpoint
from stratagem._checkpoints._reader import load_variable as load_variable
from stratagem._checkpoints._reader import new_checkpoint_reader as new_checkpoint_reader
from stratagem._checkpoints._saving import settle as settle
from stratagem._checkpoints._special_parts import Finalized as Finalized
from stratagem._checkpoints._special_parts import HostArray as HostArray
from stratagem._checkpoints._special_parts import Supplement as Supplement
from stratagem._checkpoints._special_parts import Tracked as Tracked
from stratagem._checkpoints._status import LoadStatus as LoadStatus
from stratagem._checkpoints._weights import has_weights as has_weights
from stratagem._checkpoints._weights import read_weights as read_weights
from stratagem._checkpoints._weights import write_weights as write_weights
from stratagem._checkpoints.tensorflow import delete_bundle as delete_bundle
from stratagem._checkpoints.tensorflow import write_bundle as write_bundle
