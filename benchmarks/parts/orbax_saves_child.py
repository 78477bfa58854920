"""Orbax saving in a process of its own: `python -m parts.orbax_saves_child FOLDER save|restore MEGABYTES`."""

import os
import sys

os.environ["JAX_PLATFORMS"] = "cpu"

import jax
import jax.numpy as jnp
import orbax.checkpoint as ocp
from parts.child import answer
from parts.saves_program import Library, arrays, timer


def library(megabytes: int) -> Library:
    """Orbax' standard way, which returns when the files are there, and restores as the types of the arrays say."""
    saved = {f"v{i}": jax.block_until_ready(jnp.array(array)) for i, array in enumerate(arrays(megabytes))}
    place = jax.sharding.SingleDeviceSharding(jax.devices()[0])
    types = {name: jax.ShapeDtypeStruct(v.shape, v.dtype, sharding=place) for name, v in saved.items()}
    checkpointer = ocp.StandardCheckpointer()

    def write(path: str) -> None:
        checkpointer.save(path, saved)
        checkpointer.wait_until_finished()

    return Library(write, lambda path: jax.block_until_ready(checkpointer.restore(path, types)))


answer(timer(library(int(sys.argv[3])), sys.argv[1], sys.argv[2]))
