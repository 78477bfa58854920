"""The trace of a replica that runs as Python: what it computes, and for what it asks the others."""

from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import keras
from keras.src.backend.common import global_state

from stratagem._private import in_replica_trace, keras_settings, set_keras_settings


def test_a_replica_computes_at_once_and_asks_the_others_only_for_collectives() -> None:
    asked: list[int] = []

    def collective(program: Callable[..., Any], operands: Sequence[Any]) -> Any:
        asked.append(len(operands))
        found = jax.vmap(program, axis_name="r", axis_size=2)(*(jnp.stack([x, x]) for x in operands))
        return jax.tree.map(lambda x: x[1], found)

    before = jnp.float32(1.0)
    with in_replica_trace("r", 2, 1, collective):
        x = jax.nn.relu(before * 2.0)  # with a derivative of its own
        assert float(x) == 2.0
        assert int(jax.lax.axis_index("r")) == 1
        assert asked == []
        assert float(jax.jit(lambda v: jax.lax.psum(v, "r"))(x)) == 4.0
        assert jax.lax.all_gather(x, "r").tolist() == [2.0, 2.0]
        assert float(jax.lax.cond(True, lambda v: jax.lax.psum(v, "r"), lambda v: v, x)) == 4.0
    assert asked == [1, 1, 2]
    assert float(x + before) == 3.0


def test_a_thread_takes_over_kerass_settings() -> None:
    before = keras_settings()
    try:
        keras.mixed_precision.set_dtype_policy("mixed_bfloat16")
        settings = keras_settings()
        set_keras_settings(before)
        set_keras_settings({"dtype_policy": settings["dtype_policy"]})
        assert keras.mixed_precision.dtype_policy().name == "mixed_bfloat16"
    finally:
        vars(global_state.GLOBAL_STATE_TRACKER).clear()
        set_keras_settings(before)
