"""The mode of functions that are split: what is done with strings runs for each element, and the rest is a program."""

import logging
import math
import threading
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any, final

import numpy as np

from stratagem._core.step import HostValue
from stratagem._data.elements._nest import Array, leaves, packer
from stratagem._data.functions._draws import Places, Words
from stratagem._data.functions._function_parts import Cut
from stratagem._data.functions._host_run import HostRun
from stratagem._data.functions._runner import FunctionRunner
from stratagem._data.functions._split import SplitFunction, split
from stratagem._data.functions._traced import NeedsPython
from stratagem._data.functions._user_code import UserFunction
from stratagem._data.stages._stage import Stage

logger = logging.getLogger("stratagem")

Drawing = Callable[
    [], tuple[Any, ...]
]  # returns the seed and the place of an element, or nothing if no numbers are drawn
_MAX_TRIES = 3  # elements with which the function is traced, if errors of its own end the trace
MAX_KINDS = 4  # so many kinds of elements get programs of their own, if one cannot serve all


@final
@dataclass(frozen=True)
class HostPart:
    """The host's results for an element, or stacked for many. split: whose program goes on with it."""

    split: SplitFunction
    made: HostRun
    values: dict[Any, Array]

    @property
    def inputs(self) -> tuple[Array, ...]:
        """The inputs of the program."""
        return tuple(self.values[v] for v in self.split.cut.needs)

    def known(self, name: Any) -> Any:
        """A value that the host knows: of a variable, or the strings of a name."""
        return self.made.of(name) if isinstance(name, HostValue) else self.values[name]

    @property
    def shapes(self) -> list[tuple[int, ...]]:
        """The shapes of those results that the host knows; the program's are the same for all elements that it takes."""
        found = (self.split.cut.results[name] if isinstance(name, int) else name for name in self.split.results)
        return [tuple(np.shape(self.known(where))) for where in found if not isinstance(where, int)]

    def result(self, computed: Sequence[Array]) -> Any:
        """The result for the element. computed: the results of the program."""
        cut, found = self.split.cut, []
        for name in self.split.results:
            where = cut.results[name] if isinstance(name, int) else name
            found.append(computed[where] if isinstance(where, int) else np.asarray(self.known(where)))
        return packer(self.split.template)(found)


@final
class SplitMapMode(FunctionRunner):
    """Host functions for each element, and a compiled program, as far as the function allows it; otherwise Python.

    The function is traced with the first element that comes, if it can be for unknown sizes. Where it depends on these, up to
    `MAX_KINDS` kinds of elements have programs. Python runs for all others, and raises the errors of the host functions.
    """

    def __init__(self, function: UserFunction, in_python: FunctionRunner) -> None:
        self._function, self._in_python = function, in_python
        self._lock = threading.Lock()
        self._for_all: SplitFunction | None = None
        self._kinds: dict[Hashable, SplitFunction | None] = {}
        self._first: SplitFunction | None = None  # of those by kind
        self._why = ""
        self._tries = 0
        self._one_by_one = False  # whether calls for many elements at once have turned out to be impossible

    @property
    def draws(self) -> bool:
        return True  # unknown before the first element

    @property
    def programs(self) -> int:
        """The number of traces that serve elements."""
        return sum(made is not None for made in (self._for_all, *self._kinds.values()))

    @property
    def decided(self) -> bool:
        """True if another element would not change how the function runs. (The first ones may be invalid.)"""
        return self.splits or self._tries >= _MAX_TRIES

    @property
    def bytes_of_result(self) -> int:
        """The size of what the program takes and makes for one element, as far as that is known."""
        made = self._first or self._for_all
        if made is None or made.cut.after is None:
            return 0
        specs = [v.aval for v in made.cut.needs] + list(made.cut.after.trace.spec)
        return sum(math.prod(spec.shape) * int(spec.dtype.itemsize) for spec in specs)

    @property
    def splits(self) -> bool:
        """True if it is known that a part of the function is compiled."""
        return self._for_all is not None or self._first is not None

    @property
    def reads_variables(self) -> bool:
        """True if elements must not be computed before they are requested."""
        return any(made is not None and made.reads_variables for made in (self._for_all, self._first))

    def spec(self, parent: Stage) -> Any:
        return self._in_python.spec(parent)

    def decide(self, element: Any) -> None:
        """Traces the function with this element, if that was not done yet."""
        with self._lock:
            if self.decided:
                return
            self._tries += 1
            made: SplitFunction | None = None
            try:
                made = split(self._function.function, element, sized=True)
            except Exception as error:  # it depends on sizes, or an element is invalid: then Python will raise
                logger.debug("%s: `%s` cannot be traced for unknown sizes: %s", *self._named, error)
            self._for_all = made
            if made is None or not made.cut.settled:
                self._trace_kind(element)
            if not self.splits and self.decided:
                logger.info("%s: `%s` runs as Python for every element: %s.", *self._named, self._why)

    def host_part(self, element: Any, before: Sequence[Array] | None, drawing: Drawing) -> HostPart | None:
        """Runs the host functions for an element; None if Python has to run all of it.

        before: the results of the program before, if it has run already. drawing: returns seed and place, for that program.
        """
        self.decide(element)
        everything = self._for_all
        if everything is not None and everything.cut.settled:
            return self._part(everything, element, before, drawing)
        return self._part_of_kind(element, drawing) or (
            None if everything is None else self._part(everything, element, None, drawing)
        )

    def host_part_or_none(self, element: Any, before: Sequence[Array] | None, drawing: Drawing) -> HostPart | None:
        """The same; None also if a host function fails: Python raises its error where the user's code causes it."""
        try:
            return self.host_part(element, before, drawing)
        except Exception as error:
            logger.debug("%s: `%s` is called again after an error: %s", *self._named, error)
            return None

    @property
    def joint(self) -> bool:
        """True if the host's part can be made for many elements at once, by `joint_part`."""
        return self._for_all is not None and self._for_all.joint and not self._one_by_one

    def joint_part(self, elements: Any) -> HostPart | None:
        """Runs the host functions for stacked elements; its values are stacked. None if each element has to be taken alone."""
        made = self._for_all
        assert made is not None
        try:
            run = made.run_joint(elements)
        except Exception as error:
            logger.debug("%s: `%s` is called for single elements after an error: %s", *self._named, error)
            return None
        self._one_by_one = self._one_by_one or run is None
        return None if run is None or run.kind != made.kind else HostPart(made, run, made.cut.on_host(run, ()))

    def in_python(self, element: Any, *drawing: Any) -> Any:
        """Calls the function."""
        return self._in_python(element, *drawing)

    def __call__(self, element: Any, seed: Words | None = None, place: Places | None = None) -> Any:
        drawing = () if seed is None or place is None else (seed, place)
        part = self.host_part_or_none(element, None, lambda: drawing)
        if part is None:
            return self._in_python(element, seed, place)
        after = part.split.cut.after
        return part.result(() if after is None else after(part.inputs, *drawing))

    @property
    def settled(self) -> Cut | None:
        """The parts of the function, if they serve all elements."""
        return self._for_all.cut if self._for_all is not None and self._for_all.cut.settled else None

    @property
    def _named(self) -> tuple[str, str]:
        return self._function.what, self._function.name

    def _part(
        self, made: SplitFunction, element: Any, before: Sequence[Array] | None, drawing: Drawing
    ) -> HostPart | None:
        run = made.run(element)
        return self._continued(made, run, element, before, drawing) if run.kind == made.kind else None

    def _continued(
        self,
        made: SplitFunction,
        run: HostRun,
        element: Any,
        before: Sequence[Array] | None,
        drawing: Drawing,
    ) -> HostPart:
        if before is None:
            before = () if made.cut.before is None else made.cut.before(numbers_of(element), *drawing())
        return HostPart(made, run, made.cut.on_host(run, before))

    def _part_of_kind(self, element: Any, drawing: Drawing) -> HostPart | None:
        first = self._first
        if first is None:
            return None
        run = first.run(element)
        if run.kind not in self._kinds:
            with self._lock:
                if run.kind not in self._kinds and len(self._kinds) < MAX_KINDS:
                    self._trace_kind(element)
        made = self._kinds.get(run.kind)
        return None if made is None else self._continued(made, run, element, None, drawing)

    def _trace_kind(self, element: Any) -> None:
        """Traces the function for elements of this kind. For those whose host functions are others, Python runs."""
        made: SplitFunction | None = None
        try:
            made = split(self._function.function, element, sized=False)
        except NeedsPython as reason:
            self._why, self._tries = str(reason), _MAX_TRIES
        except Exception as error:  # Python will raise it for the element, or do without
            self._why = f"tracing it raised {type(error).__name__}: {error!s:.200}"
        if made is None:
            return
        self._first = self._first or made
        same = made.prefix.equals(self._first.prefix)
        self._kinds[made.kind if same else self._first.run(element).kind] = made if same else None
        if len(self._kinds) == MAX_KINDS:
            logger.info(
                "%s: `%s` has %d programs, for as many shapes; elements of others run without: resize them to one shape.",
                *self._named,
                MAX_KINDS,
            )


def numbers_of(element: Any) -> tuple[Array, ...]:
    """The numbers among the leaves of an element."""
    return tuple(leaf for leaf in leaves(element) if leaf.dtype != object)
