"""TensorFlow's checkpoint files: a table of names, `PREFIX.index`, and the tensors in `PREFIX.data-00000-of-00001`.

In: a prefix; the files there may be damaged, or a stranger's.
Out: arrays by name, each compared with its checksum; the files of a checkpoint that TensorFlow reads.
Never: knows the objects that the tensors belong to; allocates more than the files have bytes for.
"""

from stratagem._checkpoints.tensorflow._bundle import Bundle as Bundle
from stratagem._checkpoints.tensorflow._bundle_writer import delete_bundle as delete_bundle
from stratagem._checkpoints.tensorflow._bundle_writer import write_bundle as write_bundle
from stratagem._checkpoints.tensorflow._damage import damage as damage
from stratagem._checkpoints.tensorflow._messages import ObjectGraph as ObjectGraph
from stratagem._checkpoints.tensorflow._stored_tensor import StoredTensor as StoredTensor
