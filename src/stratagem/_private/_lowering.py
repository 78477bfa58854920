"""Lowering of primitives: JAX tells a rule which program it is for, and how XLA will run that."""

from typing import Any


def runs_here_as_it_is(context: Any) -> bool:
    """Returns whether a program is lowered for this machine, and reaches XLA as each device runs it.

    Not so are exports, which other machines run, and programs that XLA partitions by itself (`jit` over sharded arrays). Inside
    of `shard_map` over all axes of a mesh each device has its part already.
    """
    module = context.module_context
    if module.lowering_parameters.for_export:
        return False
    axes = module.axis_context
    manual = getattr(axes, "manual_axes", None)
    if manual is not None:
        return set(manual) == set(axes.mesh.axis_names)
    return axes.num_devices == 1
