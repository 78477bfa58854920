"""TestCase: absl's, with assertions on tensors."""

import contextlib
import functools
import os
import random
import re
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import IO, Any, Self, final

import jax
import numpy as np
from absl.testing import absltest

from stratagem._base.errors import InvalidArgumentError, OpError
from stratagem._base.exports import exported
from stratagem._base.types import DTypeLike, UserFunction
from stratagem._ops import as_dtype, map_structure
from stratagem._ops.sampling import set_seed

_SEED = 87654321  # TensorFlow's tests have it
_MAX_SHOWN = 10  # of the entries that differ


@final
class CheckedThread:
    """A thread whose error `join` raises."""

    def __init__(self, target: UserFunction, args: Iterable[Any] = (), kwargs: Mapping[str, Any] | None = None) -> None:
        self._call = functools.partial(target, *args, **(kwargs or {}))
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._run, daemon=True)

    def _run(self) -> None:
        try:
            self._call()
        except BaseException as error:  # raised where the thread is joined
            self._error = error

    def start(self) -> None:
        """Starts the thread."""
        self._thread.start()

    def join(self) -> None:
        """Waits for the end of the thread, and raises what ended it."""
        self._thread.join()
        if self._error is not None:
            raise self._error

    def is_alive(self) -> bool:
        """Returns whether the thread runs."""
        return self._thread.is_alive()


@final
class CapturedWrites:
    """The text that was written to a stream."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def contents(self) -> str:
        """Returns it."""
        return self._path.read_text()


@final
class EagerSession:
    """The session of a test that runs eagerly: `run` returns the values of tensors."""

    def run(self, fetches: Any, feed_dict: object = None) -> Any:
        """Returns the tensors as NumPy arrays. Raises InvalidArgumentError for a `feed_dict`: nothing is left to feed."""
        if feed_dict:
            raise InvalidArgumentError(
                "A test that runs eagerly has no placeholders to feed: pass values to functions."
            )
        return _values(fetches)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        return


def _value(leaf: Any) -> Any:
    if isinstance(leaf, jax.Array) or hasattr(leaf, "numpy"):
        found = np.asarray(leaf.numpy() if hasattr(leaf, "numpy") else leaf)
        return found[()] if found.dtype == object else found
    return leaf


def _values(structure: Any) -> Any:
    return map_structure(_value, structure)


@exported("test.TestCase")
class TestCase(absltest.TestCase):
    """A test case whose assertions take tensors, arrays, numbers, and lists and dictionaries of them.

    Before each test, the seeds of Python, NumPy and `tf.random` are set, as TensorFlow's TestCase does.
    """

    __test__ = False  # pytest collects subclasses, not this one

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "__test__" not in vars(cls):
            cls.__test__ = True

    def setUp(self) -> None:
        super().setUp()
        random.seed(_SEED)
        np.random.seed(_SEED)
        set_seed(_SEED)

    def evaluate(self, tensors: Any) -> Any:
        """Returns tensors and variables, also in lists and dictionaries, as NumPy arrays."""
        return _values(tensors)

    def evaluate_if_both_tensors(self, a: Any, b: Any) -> tuple[Any, Any]:
        """Returns both as NumPy arrays if both are tensors, else as they are."""
        both = all(isinstance(each, jax.Array) for each in (a, b))
        return (_value(a), _value(b)) if both else (a, b)

    def get_temp_dir(self) -> str:
        """Returns an empty folder of this test, which is removed when it ends."""
        if not hasattr(self, "_folder"):
            self._folder = tempfile.TemporaryDirectory(prefix=f"{type(self).__name__}-")
            self.addCleanup(self._folder.cleanup)
        return self._folder.name

    def session(
        self, graph: Any = None, config: Any = None, use_gpu: Any = True, force_gpu: Any = False
    ) -> EagerSession:
        """Returns a session of a test that runs eagerly, for a `with`."""
        return EagerSession()

    cached_session = session

    def test_session(
        self, graph: Any = None, config: Any = None, use_gpu: Any = True, force_gpu: Any = False
    ) -> EagerSession:
        """Returns a session, as `session`. Its name makes it look like a test; as one, it is skipped."""
        if self._testMethodName == "test_session":
            self.skipTest("Not a test.")
        return EagerSession()

    def checkedThread(
        self, target: UserFunction, args: Iterable[Any] | None = None, kwargs: Mapping[str, Any] | None = None
    ) -> CheckedThread:
        """Returns a thread that is not started, whose error `join` raises."""
        return CheckedThread(target, args or (), kwargs)

    @contextlib.contextmanager
    def captureWritesToStream(self, stream: IO[str]) -> Iterator[CapturedWrites]:
        """Lets what is written to a stream of a file, such as `sys.stderr`, be read in its body, also what C++ writes."""
        number = stream.fileno()
        stream.flush()
        kept = os.dup(number)
        with tempfile.NamedTemporaryFile(dir=self.get_temp_dir(), delete=False) as file:
            try:
                os.dup2(file.fileno(), number)
                yield CapturedWrites(Path(file.name))
            finally:
                stream.flush()
                os.dup2(kept, number)
                os.close(kept)

    # --- Values -------------------------------------------------------------------------------------------------------

    def assertAllClose(self, a: Any, b: Any, rtol: float = 1e-6, atol: float = 1e-6, msg: str | None = None) -> None:
        """Asserts that both have the same structure and shapes, and |a - b| ≤ atol + rtol |b|; NaNs are equal to each other."""
        self._each_pair(_values(a), _values(b), "", msg, lambda x, y, where: self._close(x, y, rtol, atol, where, msg))

    def assertAllCloseAccordingToType(
        self,
        a: Any,
        b: Any,
        rtol: float = 1e-6,
        atol: float = 1e-6,
        float_rtol: float = 1e-6,
        float_atol: float = 1e-6,
        half_rtol: float = 1e-3,
        half_atol: float = 1e-3,
        bfloat16_rtol: float = 1e-2,
        bfloat16_atol: float = 1e-2,
        msg: str | None = None,
    ) -> None:
        """Asserts as `assertAllClose`, with the larger of `rtol`, `atol` and the tolerances of the dtype."""
        found, expected = np.asarray(_value(a)), np.asarray(_value(b))
        kinds = {found.dtype.name, expected.dtype.name}
        for names, relative, absolute in (
            ({"float32", "complex64"}, float_rtol, float_atol),
            ({"float16"}, half_rtol, half_atol),
            ({"bfloat16"}, bfloat16_rtol, bfloat16_atol),
        ):
            if kinds & names:
                rtol, atol = max(rtol, relative), max(atol, absolute)
        self.assertAllClose(found, expected, rtol, atol, msg)

    def assertNotAllClose(self, a: Any, b: Any, rtol: float = 1e-6, atol: float = 1e-6, msg: str | None = None) -> None:
        """Asserts that `assertAllClose` fails."""
        try:
            self.assertAllClose(a, b, rtol, atol)
        except AssertionError:
            return
        self.fail(self._formatMessage(msg, f"The two values are close at all elements: {_values(a)!r}"))

    def assertAllEqual(self, a: Any, b: Any, msg: str | None = None) -> None:
        """Asserts that both have the same shape and entries; NaNs are equal to each other."""
        found, expected = _with_bytes(np.asarray(_value(a))), _with_bytes(np.asarray(_value(b)))
        self._same_shape(found, expected, "", msg)
        same = found == expected
        if found.dtype.kind in "fc" and expected.dtype.kind in "fc":
            same |= np.isnan(found) & np.isnan(expected)
        self._report(np.logical_not(same), found, expected, "", "not equal", msg)

    def assertNotAllEqual(self, a: Any, b: Any, msg: str | None = None) -> None:
        """Asserts that `assertAllEqual` fails."""
        try:
            self.assertAllEqual(a, b)
        except AssertionError:
            return
        self.fail(self._formatMessage(msg, f"The two values are equal at all elements: {_values(a)!r}"))

    def assertNear(self, f1: float, f2: float, err: float, msg: str | None = None) -> None:
        """Asserts that two numbers are at most `err` apart."""
        self.assertTrue(f1 == f2 or abs(f1 - f2) <= err, self._formatMessage(msg, f"{f1!r} != {f2!r} +/- {err!r}"))

    def assertArrayNear(self, farray1: Any, farray2: Any, err: float, msg: str | None = None) -> None:
        """Asserts that two sequences of numbers are at most `err` apart everywhere."""
        first, second = np.asarray(_value(farray1)), np.asarray(_value(farray2))
        self.assertEqual(first.shape, second.shape, msg)
        self.assertAllClose(first, second, rtol=0.0, atol=err, msg=msg)

    def assertNDArrayNear(self, ndarray1: Any, ndarray2: Any, err: float, msg: str | None = None) -> None:
        """Asserts that the Euclidean norm of the difference is at most `err`."""
        distance = float(np.linalg.norm(np.asarray(_value(ndarray1)) - np.asarray(_value(ndarray2))))
        self.assertLessEqual(distance, err, msg)

    def assertAllGreater(self, a: Any, comparison_target: float) -> None:
        """Asserts that all entries are greater than a number."""
        self._all(a, lambda x: x > comparison_target, f"> {comparison_target}")

    def assertAllGreaterEqual(self, a: Any, comparison_target: float) -> None:
        """Asserts that all entries are at least a number."""
        self._all(a, lambda x: x >= comparison_target, f">= {comparison_target}")

    def assertAllLess(self, a: Any, comparison_target: float) -> None:
        """Asserts that all entries are less than a number."""
        self._all(a, lambda x: x < comparison_target, f"< {comparison_target}")

    def assertAllLessEqual(self, a: Any, comparison_target: float) -> None:
        """Asserts that all entries are at most a number."""
        self._all(a, lambda x: x <= comparison_target, f"<= {comparison_target}")

    def assertAllInRange(
        self,
        target: Any,
        lower_bound: float,
        upper_bound: float,
        open_lower_bound: bool = False,
        open_upper_bound: bool = False,
    ) -> None:
        """Asserts that all entries are between two numbers, which belong to the range unless it is open there."""
        above = np.greater if open_lower_bound else np.greater_equal
        below = np.less if open_upper_bound else np.less_equal
        left, right = "(" if open_lower_bound else "[", ")" if open_upper_bound else "]"
        shown = f"in {left}{lower_bound}, {upper_bound}{right}"
        self._all(target, lambda x: above(x, lower_bound) & below(x, upper_bound), shown)

    def assertAllInSet(self, target: Any, expected_set: Iterable[Any]) -> None:
        """Asserts that all entries are in a set."""
        allowed = list(expected_set)
        self._all(target, lambda x: np.isin(x, allowed), f"in {allowed}")

    # --- Shapes, dtypes, devices, errors ------------------------------------------------------------------------------

    def assertShapeEqual(self, input_a: Any, input_b: Any, msg: str | None = None) -> None:
        """Asserts that both have the same shape."""
        self.assertEqual(tuple(input_a.shape), tuple(input_b.shape), msg)

    def assertDTypeEqual(self, target: Any, expected_dtype: DTypeLike) -> None:
        """Asserts that a tensor or array has a dtype."""
        self.assertEqual(as_dtype(np.asarray(_value(target)).dtype), as_dtype(expected_dtype))

    def assertDeviceEqual(self, device1: Any, device2: Any, msg: str | None = None) -> None:
        """Asserts that two names of devices, or tensors' devices, are the same."""
        first, second = (
            str(each).lower().removeprefix("/job:localhost/replica:0/task:0") for each in (device1, device2)
        )
        self.assertEqual(first.replace("device:", "").strip("/"), second.replace("device:", "").strip("/"), msg)

    def assertRaisesOpError(
        self, expected_err_re_or_predicate: str | Callable[[Any], bool]
    ) -> contextlib.AbstractContextManager[Any]:
        """Returns a context that asserts that its body raises an OpError of which a pattern or predicate holds."""
        wanted = expected_err_re_or_predicate
        holds = wanted if callable(wanted) else lambda error: re.search(wanted, str(error)) is not None
        return self.assertRaisesWithPredicateMatch(OpError, holds)

    def assertRaisesIncompatibleShapesError(
        self, exception_type: type[Exception] = InvalidArgumentError
    ) -> contextlib.AbstractContextManager[Any]:
        """Returns a context that asserts that its body raises an error about shapes that do not fit."""
        return self.assertRaisesRegex(exception_type, r"(?i)incompatible|broadcast|shapes?")

    # --- How the assertions compare -----------------------------------------------------------------------------------

    def _each_pair(
        self, a: Any, b: Any, where: str, msg: str | None, compare: Callable[[np.ndarray, np.ndarray, str], None]
    ) -> None:
        """Calls `compare` with corresponding arrays of two structures; those of lists may also be one array."""
        if isinstance(a, Mapping) or isinstance(b, Mapping):
            self.assertTrue(isinstance(a, Mapping) and isinstance(b, Mapping), msg)
            self.assertCountEqual(a.keys(), b.keys(), msg)
            for key in a:
                self._each_pair(a[key], b[key], f"{where}[{key!r}]", msg, compare)
        elif isinstance(a, list | tuple) and isinstance(b, list | tuple) and not _is_array(a, b):
            self.assertEqual(len(a), len(b), self._formatMessage(msg, f"Length of value{where}"))
            for i, (x, y) in enumerate(zip(a, b, strict=True)):
                self._each_pair(x, y, f"{where}[{i}]", msg, compare)
        else:
            compare(np.asarray(a), np.asarray(b), where)

    def _close(self, a: np.ndarray, b: np.ndarray, rtol: float, atol: float, where: str, msg: str | None) -> None:
        self._same_shape(a, b, where, msg)
        if a.dtype.name == "bfloat16" or b.dtype.name == "bfloat16":
            a, b = a.astype(np.float32), b.astype(np.float32)
        wrong = np.logical_not(np.isclose(a, b, rtol=rtol, atol=atol, equal_nan=True))
        self._report(wrong, a, b, where, f"not close, rtol={rtol}, atol={atol}", msg)

    def _same_shape(self, a: np.ndarray, b: np.ndarray, where: str, msg: str | None) -> None:
        shown = f"Shape mismatch{where}: expected {b.shape}, got {a.shape}. Contents: {a}. Expected: {b}."
        self.assertEqual(a.shape, b.shape, self._formatMessage(msg, shown))

    def _report(self, wrong: np.ndarray, a: np.ndarray, b: np.ndarray, where: str, what: str, msg: str | None) -> None:
        if not np.any(wrong):
            return
        places = np.argwhere(wrong)[:_MAX_SHOWN]
        rows = [f"  {tuple(map(int, at))}: {a[tuple(at)]!r} and {b[tuple(at)]!r}" for at in places]
        more = int(np.sum(wrong)) - len(rows)
        shown = "\n".join([f"Value{where}: {int(np.sum(wrong))} of {np.size(wrong)} entries are {what}", *rows])
        self.fail(self._formatMessage(msg, shown + (f"\n  and {more} more" if more else "")))

    def _all(self, a: Any, holds: Callable[[np.ndarray], np.ndarray], what: str) -> None:
        found = np.asarray(_value(a))
        wrong = np.logical_not(holds(found))
        if np.any(wrong):
            places = [tuple(map(int, at)) for at in np.argwhere(wrong)[:_MAX_SHOWN]]
            self.fail(f"{int(np.sum(wrong))} of {found.size} entries are not {what}, at {places}: {found}")


def _with_bytes(array: np.ndarray) -> np.ndarray:
    """Returns an array of texts as one of bytes, which tensors hold."""
    return np.char.encode(array, "utf-8").astype(object) if array.dtype.kind == "U" else array


def _is_array(*lists: Any) -> bool:
    """Returns whether all lists hold numbers alone, at any depth: they are compared as arrays."""
    try:
        return all(np.asarray(each).dtype != object for each in lists)
    except ValueError:  # rows of different lengths
        return False
