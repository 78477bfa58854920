"""InputSignature: the parameters of a compiled function, and the tensors that it takes for them."""

import inspect
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, final

import jax
import jax.numpy as jnp

from stratagem._base.types import UserFunction
from stratagem._core.values import TensorSpec

_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


@final
@dataclass(frozen=True)
class InputSignature:
    """The parameters of a Python function, with specs for the first of those that can be given by position.

    name: of the function, for messages.
    """

    name: str
    parameters: inspect.Signature
    specs: tuple[Any, ...] = ()

    @classmethod
    def of(cls, name: str, function: UserFunction, specs: Sequence[Any] | None) -> "InputSignature":
        """Returns the signature of a function. Raises TypeError for specs that are none, or for more than it has parameters."""
        parameters = inspect.signature(function)
        found = tuple(specs or ())
        wrong = [leaf for leaf in jax.tree.leaves(found) if not isinstance(leaf, TensorSpec)]
        if wrong:
            raise TypeError(
                f"{name}: input_signature must be a structure of tf.TensorSpec objects, found {wrong[0]!r}."
            )
        several = any(p.kind is inspect.Parameter.VAR_POSITIONAL for p in parameters.parameters.values())
        own = sum(p.kind in _POSITIONAL for p in parameters.parameters.values())
        if len(found) > own and not several:
            raise TypeError(f"{name}: input_signature has {len(found)} entries, the function takes {own} by position.")
        return cls(name, parameters, found)

    def bound(self, args: Sequence[Any], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Returns all arguments, defaults too, with tensors of the specs' dtypes where there are specs.

        Raises: TypeError for arguments that the function does not take, or that do not fit the specs.
        """
        try:
            found = self.parameters.bind(*args, **kwargs)
        except TypeError as error:
            raise TypeError(f"{self.name}: {error}. Its parameters are {self.parameters}.") from None
        found.apply_defaults()
        fitted = [_conform(self.name, spec, value) for spec, value in zip(self.specs, found.args, strict=False)]
        return (*fitted, *found.args[len(fitted) :]), found.kwargs

    def named(self, args: Sequence[Any], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Returns bound arguments with specs in place of tensors; those that are parameters themselves have their names."""
        found = self.parameters.bind(*args, **kwargs)
        for name, value in found.arguments.items():
            found.arguments[name] = jax.tree.map(_spec, value)
            if isinstance(found.arguments[name], TensorSpec):
                found.arguments[name] = TensorSpec(found.arguments[name].shape, found.arguments[name].dtype, name)
        return found.args, found.kwargs

    def completed(
        self, known: tuple[Sequence[Any], dict[str, Any]], args: Sequence[Any], kwargs: dict[str, Any]
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Returns all arguments of a call, given those without tensors, and specs for the others.

        known: all arguments, with specs in place of tensors. args, kwargs: those of the call, or all its tensors in order.
        Raises: TypeError for arguments that are missing or do not fit.
        """
        leaves, structure = jax.tree.flatten(tuple(known))
        open_ones = sum(isinstance(leaf, TensorSpec) for leaf in leaves)
        if not kwargs and len(args) == open_ones and all(map(_is_tensor, args)):
            left = iter(args)
            args, kwargs = jax.tree.unflatten(
                structure, [next(left) if isinstance(leaf, TensorSpec) else leaf for leaf in leaves]
            )
        wanted = self.parameters.bind(*known[0], **known[1])
        try:
            given = self.parameters.bind_partial(*args, **kwargs)
        except TypeError as error:
            raise TypeError(f"{self.name}: {error}. Its parameters are {self.parameters}.") from None
        for name, value in wanted.arguments.items():
            if name in given.arguments:
                wanted.arguments[name] = _conform(self.name, value, given.arguments[name])
            elif any(isinstance(leaf, TensorSpec) for leaf in jax.tree.leaves(value)):
                raise TypeError(f"{self.name}: the argument {name!r} is missing: {value}.")
        return wanted.args, wanted.kwargs

    def without_first(self) -> "InputSignature":
        """Returns the signature of a method that is bound to an instance."""
        _, *rest = self.parameters.parameters.values()
        return replace(self, parameters=self.parameters.replace(parameters=rest))

    def shown(self, args: Sequence[Any], kwargs: dict[str, Any]) -> str:
        """Returns a line for every parameter."""
        found = self.parameters.bind(*args, **kwargs)
        found.apply_defaults()
        kinds = self.parameters.parameters
        lines = [f"  {name} ({kinds[name].kind.name}): {value}" for name, value in found.arguments.items()]
        return "\n".join(["Input Parameters:", *(lines or ["  None"])])


def _spec(value: Any) -> Any:
    if isinstance(value, TensorSpec) or not _is_tensor(value):
        return value
    return TensorSpec(value.shape, value.dtype)


def _is_tensor(value: Any) -> bool:
    return hasattr(value, "dtype") and hasattr(value, "shape")


def _conform(name: str, wanted: Any, value: Any) -> Any:
    """Returns a value with tensors of the dtypes of specs. Raises TypeError if it does not fit, or differs where it may not."""
    leaves, structure = jax.tree.flatten(wanted)
    try:
        found = structure.flatten_up_to(value)  # type: ignore[attr-defined]
    except ValueError as error:
        raise TypeError(f"{name}: the signature asks for the structure {wanted}, got {value!r}: {error}") from None
    return jax.tree.unflatten(structure, [_fitted(name, w, v) for w, v in zip(leaves, found, strict=True)])


def _fitted(name: str, wanted: Any, value: Any) -> Any:
    if not isinstance(wanted, TensorSpec):
        if wanted is not value and (_is_tensor(value) or wanted != value):
            raise TypeError(f"{name}: {wanted!r} is a part of this program, got {value!r}. Ask for another program.")
        return wanted
    if wanted.dtype == object:  # strings are a part of the program
        return value
    tensor = value if _is_tensor(value) else jnp.asarray(value, dtype=wanted.dtype)
    if not wanted.is_compatible_with(tensor):
        shape = None if wanted.shape.rank is None else tuple(wanted.shape)
        raise TypeError(
            f"{name}: the signature asks for {wanted.dtype} {shape}, got {tensor.dtype} {tuple(tensor.shape)}."
        )
    return tensor
