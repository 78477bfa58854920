"""A name that is not provided says what to use instead."""

import pytest

from stratagem._errors import NotProvidedError
from stratagem.ops import not_provided
from tests.ops.facade import NAMESPACES, tf


@pytest.mark.parametrize(
    ("namespace", "name", "advice"),
    [
        ("math", "bessel_i0", "use jax.numpy.i0"),
        ("math", "igamma", "use jax.lax.igamma"),
        ("linalg", "slogdet", "use jax.numpy.linalg.slogdet"),
        ("", "reduce_nansum", "use jax.numpy.nansum|see docs"),
        ("", "nothing_like_it", "see docs/tensor_functions.md"),
        ("nn", "_private", "see docs/tensor_functions.md"),
    ],
)
def test_advice(namespace: str, name: str, advice: str) -> None:
    text = str(not_provided(namespace, name))
    assert text.startswith(f"tf.{namespace}.{name} is not provided" if namespace else f"tf.{name} is not provided")
    assert any(part in text for part in advice.split("|"))


@pytest.mark.parametrize("namespace", [*NAMESPACES, "io.gfile"])
def test_every_namespace_raises_it(namespace: str) -> None:
    module = tf
    for part in namespace.split("."):
        module = getattr(module, part)
    with pytest.raises(NotProvidedError, match=rf"tf\.{namespace}\.nothing_like_it is not provided"):
        module.nothing_like_it  # noqa: B018
    assert not hasattr(module, "nothing_like_it")
