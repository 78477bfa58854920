"""Columns of categories: their ids are numbers themselves, places in a vocabulary, or hashes."""

import abc
import functools
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, final

import numpy as np

from stratagem._base.errors import InvalidArgumentError
from stratagem._base.exports import exported
from stratagem._base.storage import checked_path, file_system
from stratagem._base.types import DTypeLike, PathLike
from stratagem._columns._checks import checked_key, checked_label
from stratagem._columns._column import CategoricalColumn
from stratagem._columns._entries import Entries, prepared, select, spread
from stratagem._columns._features import Features
from stratagem._core.step import init_scope
from stratagem._core.values import CompositeTensor
from stratagem._data.files import TFRecordDataset, VarLenFeature
from stratagem._ops import DType, allow_x64, as_dtype, int64, is_traced, string
from stratagem._ops.lookup import (
    KeyValueTensorInitializer,
    StaticHashTable,
    StaticVocabularyTable,
    TableInitializer,
    TextFileIndex,
    TextFileInitializer,
)
from stratagem._ops.text import bucket_of_integers, buckets_of_strings
from stratagem._private import refuse_in_safe_mode

_log = logging.getLogger("stratagem")


class KeyedColumn(CategoricalColumn):
    """A column of the categories in one feature: strings or integers.

    In a dense tensor empty strings and -1 are no entries, as in TensorFlow.
    """

    key: str
    dtype: DType

    @property
    def name(self) -> str:
        """The key."""
        return self.key

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        """A feature of any length."""
        return {self.key: VarLenFeature(self.dtype)}

    @property
    def parents(self) -> list[Any]:
        """The key."""
        return [self.key]

    def transform(self, features: Features) -> Entries:
        """Returns the id of each entry. Raises ValueError for a feature of another kind than the column's."""
        return prepared(self._identified, features.raw(self.key))

    def entries(self, features: Features) -> Entries:
        """Returns the id of each entry."""
        return features.of(self)

    def _identified(self, feature: Any) -> Entries:
        kind = checked_label(feature.dtype, f"column_name: {self.key} input_tensor")
        if kind.is_integer != self.dtype.is_integer:
            raise ValueError(
                "Column dtype and SparseTensors dtype must be compatible. "
                f"key: {self.key}, column dtype: {self.dtype}, tensor dtype: {kind}"
            )
        if kind == string:
            return self._of_words(feature)
        values, present, _ = spread(feature)
        if not isinstance(feature, CompositeTensor):
            with allow_x64(np.int64):
                present = values != -1
        found = self._ids(values)
        return Entries(select(present, found if is_traced(found) else np.asarray(found), -1), present)

    def _of_words(self, feature: Any) -> Entries:
        # Every step waits for this. It uses no operation of JAX, and NumPy's slow ones on objects only if a word is missing.
        if isinstance(feature, CompositeTensor):
            words, present, _ = spread(feature)
        else:
            words = np.asarray(feature)
            present = words != b"" if b"" in words.ravel().tolist() else np.ones(words.shape, bool)
        ids = self._ids(words)
        return Entries(ids if present.all() else np.where(present, ids, -1), present)

    @abc.abstractmethod
    def _ids(self, values: Any) -> Any:
        """Returns the id of each value, int64; of what stands where there is no entry, any number. Of strings, in NumPy."""


@final
@dataclass(frozen=True)
class IdentityCategoricalColumn(KeyedColumn):
    """Integers that are ids themselves."""

    key: str
    number_buckets: int
    default_value: int | None
    dtype = int64

    @property
    def num_buckets(self) -> int:
        """The number of ids."""
        return self.number_buckets

    def _ids(self, values: Any) -> Any:
        if self.default_value is None:
            return values
        with allow_x64(np.int64):
            outside = (values < 0) | (values >= np.int64(self.number_buckets))
        return select(~outside, values, self.default_value)


@exported("feature_column.categorical_column_with_identity")
def categorical_column_with_identity(
    key: str, num_buckets: int, default_value: int | None = None
) -> IdentityCategoricalColumn:
    """Returns a column of integers that are ids from 0 to num_buckets - 1 themselves.

    default_value: the id of integers out of range; without one, negative ones do not count. Raises ValueError for a number of
    buckets that is not positive, a default out of range, or a key that is no string.
    """
    if num_buckets < 1:
        raise ValueError(f"num_buckets {num_buckets} < 1, column_name {key}")
    if default_value is not None and not 0 <= default_value < num_buckets:
        raise ValueError(f"default_value {default_value} not in range [0, {num_buckets}), column_name {key}")
    return IdentityCategoricalColumn(checked_key(key), num_buckets, default_value)


@final
@dataclass(frozen=True)
class HashedCategoricalColumn(KeyedColumn):
    """Strings or integers whose ids are their fingerprints modulo the number of buckets."""

    key: str
    hash_bucket_size: int
    dtype: DType

    @property
    def num_buckets(self) -> int:
        """The number of buckets."""
        return self.hash_bucket_size

    def _ids(self, values: Any) -> Any:
        if self.dtype.is_integer:
            return bucket_of_integers(values, self.hash_bucket_size)
        return buckets_of_strings(values.ravel().tolist(), self.hash_bucket_size).reshape(values.shape)


@exported("feature_column.categorical_column_with_hash_bucket")
def categorical_column_with_hash_bucket(
    key: str, hash_bucket_size: int, dtype: DTypeLike = string
) -> HashedCategoricalColumn:
    """Returns a column of strings or integers whose ids are `tf.strings.to_hash_bucket_fast` of their text.

    Raises ValueError for a number of buckets that is not positive, another dtype, or a key that is no string.
    """
    if hash_bucket_size is None:
        raise ValueError(f"hash_bucket_size must be set. key: {key}")
    if hash_bucket_size < 1:
        raise ValueError(f"hash_bucket_size must be at least 1. hash_bucket_size: {hash_bucket_size}, key: {key}")
    return HashedCategoricalColumn(checked_key(key), hash_bucket_size, checked_label(dtype, f"column_name: {key}"))


def _table(entries: TableInitializer, default_value: int, num_oov_buckets: int, kind: DType) -> Any:
    """The table of a vocabulary: what it lacks has the default, or a hash."""
    if num_oov_buckets:
        return StaticVocabularyTable(entries, num_oov_buckets, lookup_key_dtype=kind)
    return StaticHashTable(entries, default_value)


@final
@dataclass(frozen=True)
class VocabularyListCategoricalColumn(KeyedColumn):
    """Strings or integers whose ids are their places in a list."""

    key: str
    vocabulary_list: tuple[Any, ...]
    dtype: DType
    default_value: int
    num_oov_buckets: int

    @property
    def num_buckets(self) -> int:
        """The length of the vocabulary, and the number of buckets for other words."""
        return len(self.vocabulary_list) + self.num_oov_buckets

    @property
    def words(self) -> list[Any]:
        """The words as tensors have them: integers, or bytes, which in a configuration may be none of UTF-8."""
        return [
            word.encode(errors="surrogateescape") if isinstance(word, str) else word for word in self.vocabulary_list
        ]

    @functools.cached_property
    def _words(self) -> Any:
        kind = int64 if self.dtype.is_integer else string
        with init_scope():
            ids = np.arange(len(self.vocabulary_list), dtype=np.int64)
            words = KeyValueTensorInitializer(self.words, ids, kind, int64)
            return _table(words, self.default_value, self.num_oov_buckets, kind)

    def _ids(self, values: Any) -> Any:
        return _looked_up(self._words, values)


def _looked_up(table: Any, values: Any) -> Any:
    if values.dtype == object:
        return table.values_of_strings(values.ravel().tolist()).reshape(values.shape)
    with allow_x64(np.int64):
        return table.lookup(values.astype(np.int64))


@exported("feature_column.categorical_column_with_vocabulary_list")
def categorical_column_with_vocabulary_list(
    key: str,
    vocabulary_list: Sequence[Any],
    dtype: DTypeLike | None = None,
    default_value: int = -1,
    num_oov_buckets: int = 0,
) -> VocabularyListCategoricalColumn:
    """Returns a column of strings or integers whose ids are their places in a list.

    default_value: the id of others; -1 does not count. num_oov_buckets: how many further ids others have, by their hashes.

    Raises ValueError for an empty vocabulary or one with duplicates, for a default together with buckets, a negative number
    of them, other dtypes, or a key that is no string.
    """
    if vocabulary_list is None or len(vocabulary_list) < 1:
        raise ValueError(f"vocabulary_list {vocabulary_list} must be non-empty, column_name: {key}")
    if len(set(vocabulary_list)) != len(vocabulary_list):
        raise ValueError(f"Duplicate keys in vocabulary_list {vocabulary_list}, column_name: {key}")
    found = np.array(vocabulary_list).dtype
    words = string if found.kind in "OSU" else as_dtype(found)
    _check_buckets(key, num_oov_buckets, default_value if default_value != -1 else None)
    checked_label(words, f"column_name: {key} vocabulary")
    kind = words if dtype is None else as_dtype(dtype)
    if kind.is_integer != words.is_integer:
        raise ValueError(f"dtype {kind} and vocabulary dtype {words} do not match, column_name: {key}")
    checked_label(kind, f"column_name: {key}")
    return VocabularyListCategoricalColumn(
        checked_key(key), tuple(vocabulary_list), kind, default_value, num_oov_buckets
    )


def _check_buckets(key: str, num_oov_buckets: int, default_value: int | None) -> None:
    if num_oov_buckets and default_value is not None:
        raise ValueError(f"Can't specify both num_oov_buckets and default_value in {key}.")
    if num_oov_buckets < 0:
        raise ValueError(f"Invalid num_oov_buckets {num_oov_buckets} in {key}.")


@final
@dataclass(frozen=True)
class VocabularyFileCategoricalColumn(KeyedColumn):
    """Strings or integers whose ids are the numbers of their lines in a file."""

    key: str
    vocabulary_file: str
    vocabulary_size: int
    num_oov_buckets: int
    dtype: DType
    default_value: int
    file_format: str | None

    def __post_init__(self) -> None:
        refuse_in_safe_mode("feature column", f"reads the vocabulary file {self.vocabulary_file!r}")

    def for_files(self) -> VocabularyListCategoricalColumn:
        """Returns a column of the words of the file, which is read once. Raises as `words_of_file`."""
        return self._listed

    @property
    def num_buckets(self) -> int:
        """The size of the vocabulary, and the number of buckets for other words."""
        return self.vocabulary_size + self.num_oov_buckets

    @functools.cached_property
    def _listed(self) -> VocabularyListCategoricalColumn:
        with init_scope():
            words = words_of_file(self).tolist()
        listed = [word.decode(errors="surrogateescape") if isinstance(word, bytes) else word for word in words]
        return VocabularyListCategoricalColumn(
            self.key, tuple(listed), self.dtype, self.default_value, self.num_oov_buckets
        )

    def _ids(self, values: Any) -> Any:
        return self._listed._ids(values)


def words_of_file(column: VocabularyFileCategoricalColumn) -> np.ndarray:
    """Returns the words of a column that count, bytes or int64.

    Raises NotFoundError if there is no file, InvalidArgumentError for fewer words than `vocabulary_size` and for words that
    are no integers where those are asked for.
    """
    path, size = column.vocabulary_file, column.vocabulary_size
    if column.file_format is None:
        kind = int64 if column.dtype.is_integer else string
        places = (kind, TextFileIndex.WHOLE_LINE, int64, TextFileIndex.LINE_NUMBER)
        return TextFileInitializer(path, *places, vocab_size=size).entries()[0]
    words = _records(path)
    if len(words) < size:
        raise InvalidArgumentError(f"{path} has {len(words)} records, fewer than vocabulary_size={size}.")
    if not column.dtype.is_integer:
        return np.array(words[:size], object)
    try:
        return np.array([int(word) for word in words[:size]], np.int64)
    except (ValueError, OverflowError) as error:
        raise InvalidArgumentError(f"{path}: a word of a column of integers is none: {error}") from error


def _records(path: str) -> list[bytes]:
    return [bytes(record) for record in TFRecordDataset(path, "GZIP").as_numpy_iterator()]


@exported("feature_column.categorical_column_with_vocabulary_file", v1=())
def categorical_column_with_vocabulary_file(
    key: str,
    vocabulary_file: PathLike,
    vocabulary_size: int | None = None,
    dtype: DTypeLike = string,
    default_value: int | None = None,
    num_oov_buckets: int = 0,
    file_format: str | None = None,
) -> VocabularyFileCategoricalColumn:
    """Returns a column of strings or integers whose ids are the numbers of their lines in a file.

    vocabulary_size: how many lines count, by default all. default_value: the id of others, by default -1, which does not
    count. num_oov_buckets: how many further ids others have, by their hashes. file_format: `tfrecord_gzip` for compressed
    records in place of lines, also found out by the name's end `tfrecord.gz`.

    Raises ValueError for a file that does not exist where the size is not given, no words, a default together with buckets,
    a negative number of them, another dtype or format, or a key that is no string.
    """
    if not vocabulary_file:
        raise ValueError(f"Missing vocabulary_file in {key}.")
    path = str(checked_path(vocabulary_file))
    form = "tfrecord_gzip" if file_format is None and path.endswith("tfrecord.gz") else file_format
    if form not in (None, "tfrecord_gzip"):
        raise ValueError(f"file_format of {key} is 'tfrecord_gzip' or None for lines of text, got {form!r}.")
    size = vocabulary_size
    if size is None:
        if not file_system(path).exists(path):
            raise ValueError(f"vocabulary_file in {key} does not exist: {path}.")
        size = len(_records(path)) if form else len(file_system(path).read(path).splitlines())
        _log.info("vocabulary_size = %d in %s is that of the vocabulary_file %s.", size, key, path)
    if size < 1:
        raise ValueError(f"Invalid vocabulary_size in {key}.")
    oov = num_oov_buckets or 0
    _check_buckets(key, oov, default_value)
    kind = checked_label(dtype, f"column_name: {key}")
    default = -1 if default_value is None else default_value
    return VocabularyFileCategoricalColumn(checked_key(key), path, size, oov, kind, default, form)
