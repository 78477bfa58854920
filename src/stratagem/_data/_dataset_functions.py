"""The methods of datasets that take user functions."""

import abc
from collections.abc import Callable, Sequence
from typing import Any, Self

from stratagem._data._dataset_base import DatasetBase, as_int, seed_of
from stratagem._data.elements._nest import convert
from stratagem._data.functions._map_filter import filtered, mapped
from stratagem._data.functions._resample import resampled
from stratagem._data.functions._scan import ScanStage, taken_while
from stratagem._data.functions._user_code import UserFunction
from stratagem._data.grouping._groups import GroupStage
from stratagem._data.grouping._interleave import interleaved
from stratagem._data.grouping._lengths import BucketBoundaries
from stratagem._data.stages._seeds import EpochSeeds


class Functions(DatasetBase, abc.ABC):
    """Functions of elements, and of groups of them."""

    def map(
        self,
        map_func: Callable[..., Any],
        num_parallel_calls: Any = None,
        deterministic: bool | None = None,
        name: str | None = None,
    ) -> Self:
        """Applies a function to every element; the members of a tuple are its arguments.

        The function is traced once and compiled. What it does with strings, as reading and decoding files, runs for every
        element, and so does resizing and cropping of images whose sizes only files tell, in `num_parallel_calls` threads. If
        it needs values, Python runs all of it for every element, in as many threads; the log then says so. Results come in
        order, whatever `deterministic` is.
        """
        return self._with(mapped(self._stage, map_func, num_parallel_calls))

    def filter(self, predicate: Callable[..., Any], name: str | None = None) -> Self:
        """The elements for which `predicate` returns True."""
        return self._with(filtered(self._stage, predicate))

    def take_while(self, predicate: Callable[..., Any], name: str | None = None) -> Self:
        """The elements before the first one for which `predicate` returns False."""
        return self._with(taken_while(self._stage, UserFunction(predicate, "predicate")))

    def scan(self, initial_state: Any, scan_func: Callable[[Any, Any], Any], name: str | None = None) -> Self:
        """The outputs of `scan_func(state, element) -> (state, output)`, called for one element after another."""
        return self._with(ScanStage(self._stage, convert(initial_state), UserFunction(scan_func, "scan_func")))

    def flat_map(self, map_func: Callable[..., Any], name: str | None = None) -> Self:
        """The elements of the datasets that `map_func` makes from the elements, one dataset after another."""
        return self._with(interleaved(self._stage, UserFunction(map_func, "map_func"), 1, 1, None))

    def interleave(
        self,
        map_func: Callable[..., Any],
        cycle_length: Any = None,
        block_length: Any = None,
        num_parallel_calls: Any = None,
        deterministic: bool | None = None,
        name: str | None = None,
    ) -> Self:
        """The elements of the datasets that `map_func` makes from the elements, several datasets in turn.

        Args:
            map_func: Makes a dataset from an element.
            cycle_length: How many datasets take turns; one that has ended is replaced. None or AUTOTUNE: eight.
            block_length: The number of elements per turn; None is 1.
            num_parallel_calls: How many of them make their elements ahead, each in a thread; the order is the same.
            deterministic: Ignored: the order is always the same.
            name: Unused.
        """
        function = UserFunction(map_func, "map_func")
        return self._with(interleaved(self._stage, function, cycle_length, block_length, num_parallel_calls))

    def group_by_window(
        self,
        key_func: Callable[..., Any],
        reduce_func: Callable[[Any, Any], Any],
        window_size: Any = None,
        window_size_func: Callable[[Any], Any] | None = None,
        name: str | None = None,
    ) -> Self:
        """The elements of `reduce_func(key, window)`, a dataset, for every `window_size` elements with the same key.

        Args:
            key_func: Returns an element's key, an integer.
            reduce_func: Makes a dataset from a key and the dataset of a window.
            window_size: The number of elements in a window. The rest at the end makes smaller ones, by key.
            window_size_func: Returns the size for a key.
            name: Unused.
        """
        if (window_size is None) == (window_size_func is None):
            raise ValueError(
                "Either the `window_size` argument or the `window_size_func` argument must be specified, and not both."
            )
        key, reduce = UserFunction(key_func, "key_func"), UserFunction(reduce_func, "reduce_func")
        size: Callable[[Any], Any]
        if window_size_func is None:
            fixed = as_int(window_size, "window_size")

            def size(key: Any) -> int:
                return fixed
        else:
            size = UserFunction(window_size_func, "window_size_func")
        return self._with(GroupStage(self._stage, key, reduce, size, self._of))

    def rejection_resample(
        self,
        class_func: Callable[..., Any],
        target_dist: Any,
        initial_dist: Any = None,
        seed: Any = None,
        name: str | None = None,
    ) -> Self:
        """Pairs of a class and an element. Elements are left out at random, so that the classes get other shares.

        Args:
            class_func: Returns the number of an element's class, an integer from 0.
            target_dist: The share of each class that is wanted, numbers whose sum need not be 1.
            initial_dist: The share of each class in this dataset; None: counted as elements come.
            seed: Of the random choice, which is another one in every iteration.
            name: Unused.

        Raises:
            TypeError, ValueError: a class is no integer; it is no scalar, or the shares are not as many as the others.
            InvalidArgumentError: while iterating; a class has no share.
        """
        seeds = EpochSeeds(seed_of(seed), reshuffle=True)
        return self._with(resampled(self._stage, class_func, target_dist, initial_dist, seeds))

    def bucket_by_sequence_length(
        self,
        element_length_func: Callable[..., Any],
        bucket_boundaries: Sequence[int],
        bucket_batch_sizes: Sequence[int],
        padded_shapes: Any = None,
        padding_values: Any = None,
        pad_to_bucket_boundary: bool = False,
        no_padding: bool = False,
        drop_remainder: bool = False,
        name: str | None = None,
    ) -> Self:
        """Padded batches of elements of similar length.

        Args:
            element_length_func: Returns an element's length, an integer.
            bucket_boundaries: The lengths at which the next bucket begins: the first bucket has the lengths below the first
                boundary, the second those from there to below the second, and so on.
            bucket_batch_sizes: The batch size of each bucket, one more than boundaries.
            padded_shapes: See `padded_batch`.
            padding_values: See `padded_batch`.
            pad_to_bucket_boundary: Pad unknown sizes to the greatest length of the bucket. No element may be as long as
                the last boundary.
            no_padding: The elements of a bucket have equal shapes.
            drop_remainder: Drop last, smaller batches.
            name: Unused.
        """
        buckets = BucketBoundaries(
            UserFunction(element_length_func, "element_length_func").function,
            tuple(as_int(length, "a length in bucket_boundaries") for length in bucket_boundaries),
            tuple(as_int(size, "a size in bucket_batch_sizes") for size in bucket_batch_sizes),
            to_boundary=pad_to_bucket_boundary,
        )

        def reduced(bucket: Any, window: Any) -> Any:
            size = buckets.size(bucket)
            if no_padding:
                return window.batch(size, drop_remainder=drop_remainder)
            shapes = buckets.shapes(bucket, window.element_spec, padded_shapes)
            return window.padded_batch(size, shapes, padding_values, drop_remainder)

        return self.group_by_window(buckets.bucket, reduced, window_size_func=buckets.size)
