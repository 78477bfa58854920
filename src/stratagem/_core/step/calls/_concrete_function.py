"""ConcreteFunction: a compiled function for one kind of arguments."""

from collections.abc import Callable
from typing import Any, NoReturn, final

import jax
import numpy as np

from stratagem._base.exports import exported
from stratagem._base.types import UserFunction
from stratagem._core.step.calls._input_signature import InputSignature
from stratagem._core.step.calls._stages import StepProgram
from stratagem._core.step.programs._program import Program
from stratagem._core.values import TensorSpec
from stratagem._private import KerasVariable


@exported("types.experimental.ConcreteFunction")
@final
class ConcreteFunction:
    """A compiled function for one kind of arguments, made by `get_concrete_function`.

    Sizes may be unknown (None): then there is one program for each, compiled when it is called. What is no tensor is fixed.
    """

    def __init__(
        self,
        function: UserFunction,
        program_of: Callable[[tuple[Any, ...], dict[str, Any]], StepProgram | None],
        signature: InputSignature,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> None:
        """program_of: returns the program for such arguments, None if there is none before a call. args, kwargs: with specs."""
        self._function = function
        self._program_of = program_of
        self._signature = signature
        self.structured_input_signature = signature.named(args, kwargs)
        self.name = signature.name
        if all(spec.shape.is_fully_defined() for spec in self.inputs):
            program_of(*examples(self.structured_input_signature, 0))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Runs the function. Arguments that are fixed may be left out.

        Raises: TypeError for tensors that do not fit, and for another value of an argument that is fixed.
        """
        found = self._signature.completed(self.structured_input_signature, args, kwargs)
        return self._function(*found[0], **found[1])

    @property
    def inputs(self) -> list[TensorSpec]:
        """The specs of all tensors that it takes."""
        return [s for s in jax.tree.leaves(self.structured_input_signature) if isinstance(s, TensorSpec)]

    @property
    def structured_outputs(self) -> Any:
        """The results, with specs in place of tensors. Raises RuntimeError if they are not known before a call."""
        if all(spec.shape.is_fully_defined() for spec in self.inputs):
            return self._program(0).result_specs
        # A size that is another for another size of an input is unknown.
        return jax.tree.map(_relaxed, self._program(2).result_specs, self._program(3).result_specs)

    @property
    def outputs(self) -> list[TensorSpec]:
        """The specs of all tensors that a call returns."""
        return [s for s in jax.tree.leaves(self.structured_outputs) if isinstance(s, TensorSpec)]

    @property
    def variables(self) -> tuple[KerasVariable, ...]:
        """The variables that a call reads or assigns."""
        return self._program(2).variables

    @property
    def trainable_variables(self) -> tuple[KerasVariable, ...]:
        """The trainable ones of `variables`."""
        return tuple(v for v in self.variables if v.trainable)

    @property
    def graph(self) -> NoReturn:
        """Raises NotImplementedError: there is no graph."""
        raise NotImplementedError(
            f"{self.name} has no graph: a compiled function is a program of JAX. Its inputs and results are "
            "structured_input_signature and structured_outputs; it is called like the function."
        )

    def pretty_printed_signature(self, verbose: bool = True) -> str:
        """Returns the arguments and the results as text."""
        return f"{self._signature.shown(*self.structured_input_signature)}\nOutput Type:\n  {self.structured_outputs}"

    def __repr__(self) -> str:
        return f"<ConcreteFunction {self.name}\n{self._signature.shown(*self.structured_input_signature)}>"

    def _program(self, size: int) -> Program:
        """Returns the program for arguments in which unknown sizes are this one."""
        program = self._program_of(*examples(self.structured_input_signature, size))
        if not isinstance(program, Program):
            raise RuntimeError(
                f"The results of {self.name} are not known before a call: it draws from an iterator, runs in Python, or on a "
                "parameter server."
            )
        return program


def examples(structure: Any, size: int) -> Any:
    """Returns arguments for specs, whose unknown sizes are this one."""

    def example(leaf: Any) -> Any:
        if not isinstance(leaf, TensorSpec):
            return leaf
        # One number, shown as often as the shape asks for: it takes no memory.
        return np.broadcast_to(np.zeros((), leaf.dtype), [size if n is None else n for n in leaf.shape])

    return jax.tree.map(example, structure)


def _relaxed(one: Any, other: Any) -> Any:
    if not isinstance(one, TensorSpec):
        return one
    return TensorSpec([a if a == b else None for a, b in zip(one.shape, other.shape, strict=True)], one.dtype)
