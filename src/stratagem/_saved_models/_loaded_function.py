"""LoadedFunction: a function of a SavedModel, which calls the program for the kind of arguments that it is given."""

import inspect
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, final

import jax
import jax.numpy as jnp
import numpy as np

from stratagem._core.context import current
from stratagem._core.mesh import exact
from stratagem._core.step import Function, RestoredProgram
from stratagem._core.values import TensorSpec
from stratagem._ops import string, tensor
from stratagem._private import KerasVariable
from stratagem._saved_models._host_calls import LoadedHost


@final
@dataclass(frozen=True, eq=False)
class LoadedProgram:
    """A function's program for one kind of arguments.

    function: takes the tensors of a call. call: the arguments, with specs in place of tensors. result: its structure.
    variables: those that it reads or assigns. ends_on_host: what follows the program is computed on the host, with strings.
    """

    function: Function
    call: tuple[tuple[Any, ...], dict[str, Any]]
    result: Any
    variables: tuple[KerasVariable, ...]
    ends_on_host: bool

    @classmethod
    def of(
        cls,
        name: str,
        program: RestoredProgram,
        call: tuple[tuple[Any, ...], dict[str, Any]],
        result: Any,
        variables: Sequence[KerasVariable],
        written: Sequence[int],
        host: LoadedHost,
    ) -> "LoadedProgram":
        """Connects an exported program with variables, of which it assigns those at the positions `written`.

        name: for messages. host: what is computed before and after the program.
        """
        function = Function(_Body(name, program, variables, written, result, host))
        return cls(function, call, result, tuple(variables), host.late > 0)

    def run(self, tensors: Sequence[Any]) -> Any:
        """Runs the program; in a compiled function it becomes a part of that."""
        context = current()
        if self.ends_on_host and context.recorder is None and context.replica is None:
            # Python runs it in any case: to find that out again, with a line in the log, helps nobody.
            return self.function.python_function(*tensors)
        return self.function(*tensors)

    @property
    def specs(self) -> list[TensorSpec]:
        """The specs of the tensors that it takes."""
        return [leaf for leaf in jax.tree.leaves(self.call) if isinstance(leaf, TensorSpec)]

    def tensors(self, args: tuple[Any, ...], kwargs: dict[str, Any], *, convert: bool) -> list[Any] | None:
        """Returns the tensors of a call that this program is for, None if it is not. convert: numbers and lists to tensors."""
        leaves, structure = jax.tree.flatten(self.call)
        try:
            given = structure.flatten_up_to((args, kwargs))  # type: ignore[attr-defined]
        except ValueError:
            return None
        found = []
        for wanted, value in zip(leaves, given, strict=True):
            if isinstance(wanted, TensorSpec):
                tensor = _fitted(wanted, value, convert)
                if tensor is None:
                    return None
                found.append(tensor)
            elif type(wanted) is not type(value) or wanted != value:
                return None
        return found


@final
class _Body:
    """Code that calls an exported program with the values of variables, and assigns those that it writes."""

    def __init__(
        self,
        name: str,
        program: RestoredProgram,
        variables: Sequence[KerasVariable],
        written: Sequence[int],
        result: Any,
        host: LoadedHost,
    ) -> None:
        self.__name__ = self.__qualname__ = name
        self._program, self._variables, self._written, self._host = program, variables, written, host
        self._leaves, self._structure = jax.tree.flatten(result)
        self._tensors = sum(isinstance(leaf, TensorSpec) and leaf.dtype != object for leaf in self._leaves)

    def __call__(self, *given: Any) -> Any:
        results = self._host.before(given)
        numbers = [exact(v) for v in given if np.dtype(v.dtype) != object]
        inputs: list[Any] = [exact(results.of(value)) for value in self._host.inputs]
        inputs += [jnp.zeros((*results.of(value).shape, 0), bool) for value in self._host.shaped]
        found = self._program([v.value for v in self._variables], [*numbers, *inputs])
        late = found[self._tensors : self._tensors + self._host.late]
        for position, value in zip(self._written, found[self._tensors + self._host.late :], strict=True):
            self._variables[position].assign(value)
        self._host.after(results, late)
        left, strings = iter(found), iter([results.of(value) for value in self._host.strings])
        return jax.tree.unflatten(
            self._structure,
            [
                v if not isinstance(v, TensorSpec) else next(strings if v.dtype == object else left)
                for v in self._leaves
            ],
        )


def _fitted(spec: TensorSpec, value: Any, convert: bool) -> Any:
    """Returns a tensor that fits a spec; None if the value is none, and cannot be made one."""
    value = value.value if isinstance(value, KerasVariable) else value
    if not (hasattr(value, "dtype") and hasattr(value, "shape")):
        if not convert:
            return None
        try:
            if spec.dtype == object:
                value = tensor(value, string)
                return value if spec.is_compatible_with(value) else None
            value = jnp.asarray(
                np.asarray(value).astype(spec.dtype, casting="same_kind" if np.size(value) else "unsafe")
            )
        except (TypeError, ValueError):
            return None
    return value if spec.is_compatible_with(value) else None


@final
class LoadedFunction:
    """A function of a SavedModel, for the kinds of arguments that it was saved with."""

    def __init__(self, name: str, parameters: inspect.Signature, programs: Sequence[LoadedProgram]) -> None:
        self.name = name
        self.parameters = parameters
        self.programs = tuple(programs)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Runs the program for these arguments; in a compiled function, it becomes a part of that.

        Raises: TypeError for arguments that the function does not take, ValueError if no program is for them.
        """
        bound, keywords = self._bound(args, kwargs)
        for convert in (False, True):
            for program in self.programs:
                tensors = program.tensors(bound, keywords, convert=convert)
                if tensors is not None:
                    return program.run(tensors)
        raise ValueError(self._no_program(bound, keywords))

    def _bound(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        if args and all(p.kind is inspect.Parameter.KEYWORD_ONLY for p in self.parameters.parameters.values()):
            # A signature, whose tensors have names; the program may give them in their order, too.
            names = list(self.parameters.parameters)[: len(args)]
            if len(names) == len(args) and not {*names} & {*kwargs}:
                args, kwargs = (), dict(zip(names, args, strict=True)) | kwargs
        try:
            found = self.parameters.bind(*args, **kwargs)
        except TypeError as error:
            raise TypeError(f"{self.name}: {error}. Its parameters are {self.parameters}.") from None
        found.apply_defaults()
        return found.args, found.kwargs

    def _no_program(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
        given = jax.tree.map(_described, (args, kwargs))
        known = "".join(f"\n  {program.call}" for program in self.programs)
        if not known:
            return (
                f"{self.name} was saved before it was ever called, so that there is no program of it. Call it once before "
                "saving, or give tf.function an input_signature."
            )
        return f"{self.name} was saved for other arguments than {given}:{known}"

    @property
    def structured_input_signature(self) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments, with specs in place of tensors. Raises ValueError if there are programs for several kinds of them."""
        return self._only().call

    @property
    def structured_outputs(self) -> Any:
        """The results, with specs in place of tensors. Raises the same error as `structured_input_signature`."""
        return self._only().result

    @property
    def inputs(self) -> list[TensorSpec]:
        """The specs of the tensors that it takes. Raises the same error as `structured_input_signature`."""
        return self._only().specs

    @property
    def outputs(self) -> list[TensorSpec]:
        """The specs of the tensors that it returns. Raises the same error as `structured_input_signature`."""
        return [leaf for leaf in jax.tree.leaves(self.structured_outputs) if isinstance(leaf, TensorSpec)]

    @property
    def variables(self) -> tuple[KerasVariable, ...]:
        """The variables that its programs read or assign, each once."""
        return tuple({id(v): v for program in self.programs for v in program.variables}.values())

    @property
    def trainable_variables(self) -> tuple[KerasVariable, ...]:
        """The trainable ones of `variables`."""
        return tuple(v for v in self.variables if v.trainable)

    def _only(self) -> LoadedProgram:
        if len(self.programs) != 1:
            raise ValueError(f"{self.name} was saved for {len(self.programs)} kinds of arguments: see `programs`.")
        return self.programs[0]

    def __repr__(self) -> str:
        return f"<LoadedFunction {self.name}{self.parameters} for {len(self.programs)} kinds of arguments>"


def _described(leaf: Any) -> Any:
    if hasattr(leaf, "dtype") and hasattr(leaf, "shape"):
        return TensorSpec(leaf.shape, leaf.dtype)
    return leaf
