"""Refuses to write HDF5 files of models whose layers have learned a vocabulary or bins, which such a file would lose."""

from typing import Any

from stratagem._base.errors import UnimplementedError
from stratagem._preprocessing import AdaptedLayer
from stratagem._private import sublayers


def refuse_what_hdf5_loses(model: Any, path: str) -> None:
    """Raises UnimplementedError if a layer has learned what is no variable, which is all that HDF5 keeps beside arguments.

    TensorFlow raises NotImplementedError, which this is, for look-ups; it keeps the bins of Discretization.
    """
    lost = [
        layer.name for layer in sublayers(model) if isinstance(layer, AdaptedLayer) and layer.learned_beside_variables()
    ]
    if lost:
        raise UnimplementedError(
            f"{path!r} would lack what {', '.join(lost)} learned: HDF5 keeps variables alone. Save the model to a path that "
            "ends in '.keras' or has no ending, or its weights to a path without an ending (a checkpoint); or pass the "
            "vocabulary or the bins to the layer when it is made."
        )
