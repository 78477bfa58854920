"""The context in which MLIR's library reads a StableHLO program, with the dialects that JAX's exports have.

It imports neither JAX nor JAX's Python modules of these dialects: the process that reads programs of strangers imports it, and
whoever loads one waits for that.
"""

from typing import Final, final

from jaxlib.mlir import ir
from jaxlib.mlir._mlir_libs import _chlo, _jax_mlir_ext, _sdy, _sdyMpmd, _stablehlo

_DIALECTS: Final = (_sdy, _sdyMpmd, _chlo, _stablehlo)


def program_context() -> ir.Context:
    """Returns a new context, which loads what a program names, and knows no other dialects."""
    registry, context = ir.DialectRegistry(), _Context()
    _jax_mlir_ext.register_dialects(registry)
    context.append_dialect_registry(registry)
    for dialect in _DIALECTS:
        dialect.register_dialect(context)
    return context


def deserialized(code: bytes, context: ir.Context) -> ir.Module:
    """Returns the program that has these bytes. Raises whatever the library raises; some bytes end the process."""
    return _stablehlo.deserialize_portable_artifact(context, code)


def serialized(module: ir.Module, version: str) -> bytes:
    """Returns a program's bytes, for a version of StableHLO such as "1.9.0"."""
    return _stablehlo.serialize_portable_artifact(module, version, True)


@final
class _Context(ir.Context):
    """A context without all the dialects that are in the library, which its own class loads."""

    def __init__(self) -> None:
        super(ir.Context, self).__init__()
