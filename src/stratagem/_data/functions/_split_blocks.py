"""An iterator over the results of a split function: the host's part in threads, the program on blocks or whole batches."""

import functools
import itertools
import time
from collections import deque
from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, final

import numpy as np

from stratagem._data.elements._nest import Array, leaves, packer, rows_in, rows_of, slice_rows, stacked
from stratagem._data.functions._applied import AppliedFunction, check_tensors
from stratagem._data.functions._draws import BlockDraws
from stratagem._data.functions._joint_blocks import BlockSizes, joint_result
from stratagem._data.functions._split_mode import HostPart, SplitMapMode, numbers_of
from stratagem._data.functions._thread_tuner import ThreadTuner
from stratagem._data.stages._order import State
from stratagem._data.stages._read_ahead import FailedElement, InlineExecutor, Result, SerialExecutor, ThreadExecutor
from stratagem._data.stages._stage import StageIterator

_MAX_ROWS = 64
_MAX_BYTES = 1 << 20


@final
@dataclass(frozen=True)
class BatchRequest:
    """Asks for batches of this many results instead of single ones."""

    size: int
    drop_remainder: bool


@final
@dataclass
class _Block:
    """Elements that were read together. origin, skip: where: so many elements after a state of the parent.

    first: the number of the first one. draws: their seeds. failure: the parent's error after them. stacked: all `count` in one,
    in place of `elements`, if the host functions take them so. threads: their number for the host's part; 1 is the caller's
    own. parts: what the host makes of them.
    """

    origin: State
    skip: int
    first: int
    draws: BlockDraws
    elements: list[Any]
    failure: Exception | None
    stacked: Any = None
    count: int = 0
    threads: int = 1
    parts: list[Future[Result]] = field(default_factory=list)

    def cancel(self) -> None:
        """Gives up what has not begun."""
        for part in self.parts:
            part.cancel()


@final
class SplitIterator(StageIterator):
    """Reads blocks of elements ahead, and returns the results one by one, or a block as a batch, in order.

    Only for parents without side effects. An error is raised at its position. The state is that of the next result.
    """

    def __init__(
        self,
        parent: StageIterator,
        applied: AppliedFunction,
        mode: SplitMapMode,
        tuner: ThreadTuner,
        block: int,
        batch: BatchRequest | None,
    ) -> None:
        super().__init__(parent)
        self._source, self._applied, self._mode = parent, applied, mode
        self._batch = batch
        self._size = block if batch is None else batch.size
        self._sizes = BlockSizes(self._size)
        self._tuner = tuner
        self._threads, self._caller = ThreadExecutor(tuner.most), InlineExecutor()
        self._epoch_facts = applied.begin()
        self._ahead: deque[_Block] = deque()
        self._continue_at(parent.get_state(), 0, 0)

    def _continue_at(self, origin: State, skip: int, first: int) -> None:
        """Continues reading, so many elements after the parent's present state `origin`."""
        for block in self._ahead:
            block.cancel()
        self._ahead.clear()
        for _ in itertools.islice(self._source, skip):
            pass
        self._next_first, self._ended = first, False
        self._head = self._block(origin, skip, first, [], None)
        self._begin = (origin, skip)
        self._results: list[Any] = []
        self._position = 0
        self._alike = (0, 0)  # of how many threads the last blocks are, and how many blocks in a row
        self._came = 0.0  # when the last one did

    def _block(self, origin: State, skip: int, first: int, elements: list[Any], failure: Exception | None) -> _Block:
        draws = BlockDraws(self._epoch_facts, first, self._size)
        return _Block(origin, skip, first, draws, elements, failure, count=len(elements))

    @property
    def _depth(self) -> int:
        """The number of blocks that are read ahead."""
        threads = self._tuner.threads
        return 1 if threads == 1 else max(2, -(-2 * threads // self._size))

    def _note(self, block: _Block) -> None:
        """Tells the tuner of a block, unless others ahead of it were computed in the other way."""
        before, self._came = self._came, time.perf_counter()
        self._alike = (block.threads, self._alike[1] + 1 if block.threads == self._alike[0] else 1)
        if self._alike[1] > self._depth + 1:
            self._tuner.took(block.threads, self._came - before, block.count)

    def __next__(self) -> Any:
        if self._batch is not None:
            return self._next_batch(self._batch)
        while self._position == len(self._results):
            failure = self._head.failure
            if failure is not None:
                self._head.failure = None
                raise failure
            block = self._next_block()
            if block.stacked is None:
                self._head, self._results, self._position = block, self._finished(block), 0
            elif (found := self._joint_result(block)) is not None:
                self._head, self._results, self._position = block, rows_of(found), 0
            self._note(block)
        self._position += 1
        result = self._results[self._position - 1]
        if isinstance(result, FailedElement):
            raise result.error
        return result

    def _next_batch(self, batch: BatchRequest) -> Any:
        while self._position == len(self._results):
            block = self._next_block()
            if block.stacked is None:
                return self._plain_batch(block, batch)
            found = self._joint_result(block)
            if found is not None:
                last = block.count - batch.size + 1 if batch.drop_remainder else block.count
                begins = range(0, last, batch.size)
                batches = [slice_rows(found, i, min(i + batch.size, block.count)) for i in begins]
                self._head, self._results, self._position = block, batches, 0
                self._note(block)
        self._position += 1
        return self._results[self._position - 1]

    def _joint_result(self, block: _Block) -> Any | None:
        """The stacked results of a block of stacked elements. None if each has to be taken alone: then they are read again."""
        part = block.parts[0].result()[0]
        if part is not None:
            return joint_result(part, block.count, self._size, self._epoch_facts, block.first)
        self._source.set_state(block.origin)
        self._continue_at(block.origin, block.skip, block.first)
        self._sizes.failed(block.first, block.count)
        return None

    def _plain_batch(self, block: _Block, batch: BatchRequest) -> Any:
        self._head, self._results, self._position = block, [], 0
        if block.failure is None and batch.drop_remainder and len(block.elements) < batch.size:
            self._ended = True
            raise StopIteration
        parts = self._parts(block)
        error = next((i for i, part in enumerate(parts) if isinstance(part, FailedElement)), None)
        if error is not None:
            # As in TensorFlow, the batch is lost as far as the error; the next one begins after it.
            self._source.set_state(block.origin)
            self._continue_at(block.origin, block.skip + error + 1, block.first + error + 1)
            raise parts[error].error
        self._head = self._block(*self._begin_of_next(), self._next_first_of(block), [], None)
        if block.failure is not None:
            raise block.failure
        one = self._one_for_all(parts)
        found = stacked(self._one_by_one(block, parts)) if one is None else self._program(block, parts, one)
        self._note(block)
        return found

    def _next_first_of(self, block: _Block) -> int:
        return block.first + block.count

    def _begin_of_next(self) -> tuple[State, int]:
        """The place of the next block to return."""
        return (self._ahead[0].origin, self._ahead[0].skip) if self._ahead else self._begin

    def _next_block(self) -> _Block:
        self._fill()
        if not self._ahead:
            raise StopIteration
        block = self._ahead.popleft()
        if self._depth > 1:
            self._fill()
        return block

    def _fill(self) -> None:
        while len(self._ahead) < self._depth and not self._ended:
            together = self._mode.joint and self._sizes.joint_at(self._next_first)
            block = (self._read_together() if together else None) or self._read_one_by_one()
            if block is None:
                self._ended = True
                return
            self._next_first += block.count
            self._begin = (self._source.get_state(), 0)
            self._submit(block)
            self._ahead.append(block)

    def _read_one_by_one(self) -> _Block | None:
        elements: list[Any] = []
        failure: Exception | None = None
        try:
            elements.extend(itertools.islice(self._source, self._size))
        except Exception as error:  # raised when its turn comes
            failure = error
        if not elements and failure is None:
            return None
        return self._block(*self._begin, self._next_first, elements, failure)

    def _read_together(self) -> _Block | None:
        """The next elements as stacked ones; None if there are none that can be read so."""
        origin, skip = self._begin
        wanted = self._sizes.now
        try:
            elements = self._source.next_batch(wanted, 1)
        except StopIteration:
            return None
        except Exception:  # it is raised again where it belongs, after the elements before it
            self._source.set_state(origin)
            for _ in itertools.islice(self._source, skip):
                pass
            self._sizes.failed(self._next_first, wanted)
            return None
        block = self._block(origin, skip, self._next_first, [], None)
        block.stacked, block.count = elements, rows_in(elements)
        self._sizes.took(elements, block.count)
        return block

    def _submit(self, block: _Block) -> None:
        count = len(block.elements)
        block.threads = self._tuner.threads
        executor: SerialExecutor = self._caller if block.threads == 1 else self._threads
        if block.stacked is not None:
            block.parts.append(executor.submit(functools.partial(_joint_part, self._mode, block.stacked)))
            return
        before = self._before(block)
        jobs = 1 if block.threads == 1 else max(1, min(self._size, 4 * block.threads))
        step = -(-count // jobs) if count else 1
        for start in range(0, count, step):
            rows = slice(start, start + step)
            given = None if before is None else before[rows]
            # The job does not refer to this iterator, which the threads would otherwise keep alive.
            job = functools.partial(
                _host_parts, self._applied, self._mode, block.elements[rows], given, block.draws, start, block.first
            )
            block.parts.append(executor.submit(job))

    def _before(self, block: _Block) -> list[tuple[Array, ...]] | None:
        """The results of the program before the host's part for every element; None if there are none, or not for all."""
        settled = self._mode.settled
        if settled is None or settled.before is None or not block.elements:
            return None
        numbers = stacked([numbers_of(element) for element in self._filled(block.elements)])
        found = settled.before.many(numbers, self._size, *block.draws.of_all)
        return list(zip(*leaves(found), strict=True))

    def _filled(self, rows: Sequence[Any]) -> list[Any]:
        return [*rows, *[rows[-1]] * (self._size - len(rows))]

    def _parts(self, block: _Block) -> list[Any]:
        return [part for future in block.parts for part in future.result()[0]]

    def _finished(self, block: _Block) -> list[Any]:
        parts = self._parts(block)
        one = self._one_for_all(parts) if self._size > 1 else None
        if one is None:
            return self._one_by_one(block, parts)
        return rows_of(self._program(block, parts, one))

    def _one_for_all(self, parts: Sequence[Any]) -> HostPart | None:
        """The first part, if one program goes on with all of them, and their strings are as many: words of texts are not."""
        if not parts or not all(isinstance(part, HostPart) for part in parts):
            return None
        same = all(part.split is parts[0].split for part in parts) and parts[0].split.cut.settled
        return parts[0] if same and all(part.shapes == parts[0].shapes for part in parts) else None

    def _program(self, block: _Block, parts: Sequence[HostPart], one: HostPart) -> Any:
        """The stacked results of elements with which one program goes on."""
        cut, count = one.split.cut, len(parts)
        computed: Sequence[Array] = ()
        if cut.after is not None:
            inputs = stacked([part.inputs for part in self._filled(parts)])
            computed = [rows[:count] for rows in cut.after.many(inputs, self._size, *block.draws.of_all)]
        found = []
        for name in one.split.results:
            where = cut.results[name] if isinstance(name, int) else name
            if isinstance(where, int):
                found.append(computed[where])
            else:
                found.append(stacked([np.asarray(part.known(where)) for part in parts]))
        result = packer(one.split.template)(found)
        check_tensors(result)
        return result

    def _one_by_one(self, block: _Block, parts: Sequence[Any]) -> list[Any]:
        found = []
        for i, part in enumerate(parts):
            if not isinstance(part, HostPart):
                found.append(part)
                continue
            after = part.split.cut.after
            found.append(part.result(() if after is None else after(part.inputs, *block.draws.of_one(i))))
        return found

    def get_state(self) -> State:
        block = self._head
        return {
            "parent": block.origin,
            "skip": block.skip,
            "first": block.first,
            "position": self._position * (1 if self._batch is None else self._batch.size),
            "draws": self._epoch_facts,
        }

    def set_state(self, state: State) -> None:
        self._source.set_state(state["parent"])
        self._epoch_facts = state["draws"]
        self._applied.restore(self._epoch_facts)
        position = state["position"]  # results do not depend on the block in which they are computed
        self._continue_at(state["parent"], state["skip"] + position, state["first"] + position)

    def close(self) -> None:
        """Stops the threads and the parent iterators."""
        for block in self._ahead:
            block.cancel()
        self._ahead.clear()
        self._threads.stop()
        super().close()


def block_size(mode: SplitMapMode) -> int:
    """The number of elements that are processed at once, ahead of their use."""
    size = max(1, mode.bytes_of_result)
    return max(1, min(_MAX_ROWS, _MAX_BYTES // size))


def _joint_part(mode: SplitMapMode, elements: Any) -> Result:
    return mode.joint_part(elements), {}


def _host_parts(
    applied: AppliedFunction,
    mode: SplitMapMode,
    elements: Sequence[Any],
    before: Sequence[tuple[Array, ...]] | None,
    draws: BlockDraws,
    start: int,
    first: int,
) -> Result:
    """Returns for each element its `HostPart`, the result of Python, or a `FailedElement`.

    start: the number of the first of these elements in its block. first: the position of the block's first element.
    """
    found: list[Any] = []
    for i, element in enumerate(elements):
        drawing = functools.partial(draws.of_one, start + i)
        try:
            part: Any = mode.host_part_or_none(element, None if before is None else before[i], drawing)
            if part is None:
                part = applied.in_python_at(element, drawing(), first + start + i)
                check_tensors(part)
        except Exception as error:
            part = FailedElement(error)
        found.append(part)
    return found, {}
