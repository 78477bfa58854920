"""The formulas of the optimizers of tf1.train."""

from typing import final

import jax
import jax.numpy as jnp

from stratagem._tf1.graph.train._rule import Arrays, Rule

Update = tuple[jax.Array, Arrays]


@final
class GradientDescent(Rule):
    def new(self, gradient: jax.Array, value: jax.Array, kept: Arrays, rates: Arrays) -> Update:
        return value - rates["learning_rate"] * gradient, {}


@final
class Momentum(Rule):
    slots, touched_only = ("momentum",), True

    def new(self, gradient: jax.Array, value: jax.Array, kept: Arrays, rates: Arrays) -> Update:
        rate, momentum = rates["learning_rate"], rates["momentum"]
        velocity = kept["momentum"] * momentum + gradient
        step = gradient * rate + velocity * momentum * rate if self.nesterov else velocity * rate
        return value - step, {"momentum": velocity}


@final
class Adagrad(Rule):
    slots = ("accumulator",)

    def new(self, gradient: jax.Array, value: jax.Array, kept: Arrays, rates: Arrays) -> Update:
        total = kept["accumulator"] + jnp.square(gradient)
        return value - rates["learning_rate"] * gradient * jax.lax.rsqrt(total), {"accumulator": total}


@final
class Adam(Rule):
    slots, counts = ("m", "v"), True

    def new(self, gradient: jax.Array, value: jax.Array, kept: Arrays, rates: Arrays) -> Update:
        beta1, beta2, step = rates["beta1"], rates["beta2"], rates["step"]
        m = kept["m"] + (gradient - kept["m"]) * (1 - beta1)
        v = kept["v"] + (jnp.square(gradient) - kept["v"]) * (1 - beta2)
        rate = rates["learning_rate"] * jnp.sqrt(1 - jnp.power(beta2, step)) / (1 - jnp.power(beta1, step))
        return value - rate * m / (jnp.sqrt(v) + rates["epsilon"]), {"m": m, "v": v}


@final
class RMSProp(Rule):
    slots, touched_only = ("rms", "momentum"), True

    def first(self, slot: str) -> object:
        return "ones" if slot == "rms" else "zeros"

    def new(self, gradient: jax.Array, value: jax.Array, kept: Arrays, rates: Arrays) -> Update:
        rms = kept["rms"] + (jnp.square(gradient) - kept["rms"]) * (1 - rates["decay"])
        step = rates["learning_rate"] * gradient * jax.lax.rsqrt(rms + rates["epsilon"])
        momentum = kept["momentum"] * rates["momentum"] + step
        return value - momentum, {"rms": rms, "momentum": momentum}


@final
class CenteredRMSProp(Rule):
    slots, touched_only = ("rms", "mg", "momentum"), True

    def first(self, slot: str) -> object:
        return "ones" if slot == "rms" else "zeros"

    def new(self, gradient: jax.Array, value: jax.Array, kept: Arrays, rates: Arrays) -> Update:
        rms = kept["rms"] + (jnp.square(gradient) - kept["rms"]) * (1 - rates["decay"])
        mean = kept["mg"] + (gradient - kept["mg"]) * (1 - rates["decay"])
        step = rates["learning_rate"] * gradient * jax.lax.rsqrt(rms - jnp.square(mean) + rates["epsilon"])
        momentum = kept["momentum"] * rates["momentum"] + step
        return value - momentum, {"rms": rms, "mg": mean, "momentum": momentum}


@final
class Adadelta(Rule):
    slots, touched_only = ("accum", "accum_update"), True

    def new(self, gradient: jax.Array, value: jax.Array, kept: Arrays, rates: Arrays) -> Update:
        rho, epsilon = rates["rho"], rates["epsilon"]
        total = kept["accum"] * rho + jnp.square(gradient) * (1 - rho)
        step = jnp.sqrt(kept["accum_update"] + epsilon) * jax.lax.rsqrt(total + epsilon) * gradient
        steps = kept["accum_update"] * rho + jnp.square(step) * (1 - rho)
        return value - step * rates["learning_rate"], {"accum": total, "accum_update": steps}


@final
class Ftrl(Rule):
    slots, touched_only = ("accum", "linear"), True

    def new(self, gradient: jax.Array, value: jax.Array, kept: Arrays, rates: Arrays) -> Update:
        rate, power = rates["learning_rate"], -rates["learning_rate_power"]
        total = kept["accum"] + jnp.square(gradient)
        grown = jnp.power(total, power)
        shrunk = gradient + 2 * rates["l2_shrinkage"] * value
        linear = kept["linear"] + shrunk - (grown - jnp.power(kept["accum"], power)) / rate * value
        quadratic = grown / rate + 2 * rates["l2"] + rates["beta"] / rate
        new = (jnp.clip(linear, -rates["l1"], rates["l1"]) - linear) / quadratic
        return new, {"accum": total, "linear": linear}


def _proximal(moved: jax.Array, rate: jax.Array, rates: Arrays) -> jax.Array:
    """Returns the value after a step, soft-thresholded by l1 and shrunk by l2."""
    less = jnp.maximum(jnp.abs(moved) - rate * rates["l1"], 0)
    return jnp.sign(moved) * less / (1 + rate * rates["l2"])


@final
class ProximalGradientDescent(Rule):
    touched_only = True

    def new(self, gradient: jax.Array, value: jax.Array, kept: Arrays, rates: Arrays) -> Update:
        rate = rates["learning_rate"]
        return _proximal(value - rate * gradient, rate, rates), {}


@final
class ProximalAdagrad(Rule):
    slots, touched_only = ("accumulator",), True

    def new(self, gradient: jax.Array, value: jax.Array, kept: Arrays, rates: Arrays) -> Update:
        total = kept["accumulator"] + jnp.square(gradient)
        rate = rates["learning_rate"] * jax.lax.rsqrt(total)
        return _proximal(value - rate * gradient, rate, rates), {"accumulator": total}
