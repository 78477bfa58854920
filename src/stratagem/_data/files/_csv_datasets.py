"""Datasets of comma-separated values: `CsvDataset`, and `make_csv_dataset`, which infers names and types from the files."""

import collections
from collections.abc import Sequence
from typing import Any, final

from stratagem._base.errors import InvalidArgumentError
from stratagem._base.exports import exported
from stratagem._data._dataset import Dataset
from stratagem._data.elements._nest import to_numpy
from stratagem._data.files._bytes import checked_compression
from stratagem._data.files._csv_fields import checked_selection, columns, dialect
from stratagem._data.files._csv_format import CsvFormat
from stratagem._data.files._csv_sample import CsvSchemaInference
from stratagem._data.files._datasets import reading
from stratagem._data.stages._file_names import FileNames, matching, names_in
from stratagem._data.stages._options import AUTOTUNE
from stratagem._data.stages._order import State
from stratagem._data.stages._seeds import EpochSeeds
from stratagem._data.stages._stage import ParentIterator, Stage, StageIterator, UnaryStage


@exported("data.experimental.CsvDataset")
@final
class CsvDataset(Dataset):
    """Records of comma-separated values as tuples of scalars.

    record_defaults: one per column: a dtype (float32, float64, int32, int64, string) if a value is required, else the
    default for fields that are empty or `na_value`. header: skip the first record of each file.
    select_cols, exclude_cols: indices of the columns to read, or not to read, in ascending order.
    While iterating, InvalidArgumentError names the file, record and byte of an invalid record.
    """

    def __init__(
        self,
        filenames: Any,
        record_defaults: Any,
        compression_type: Any = None,
        buffer_size: Any = None,
        header: bool = False,
        field_delim: Any = ",",
        use_quote_delim: bool = True,
        na_value: Any = "",
        select_cols: Any = None,
        exclude_cols: Any = None,
    ) -> None:
        if select_cols is not None and exclude_cols is not None:
            raise InvalidArgumentError("select_cols and exclude_cols cannot be given both.")
        chosen, total = checked_selection(select_cols, record_defaults), None
        if select_cols is None:
            left_out = {int(i) for i in exclude_cols or ()}
            total = len(record_defaults) + len(left_out)
            chosen = [i for i in range(total) if i not in left_out]
        made = dialect(field_delim, use_quote_delim)
        table = CsvFormat(made, columns(record_defaults, chosen), total, bool(header), to_numpy(na_value).item())
        super().__init__(*reading(filenames, table, compression_type, buffer_size, None))


@exported("data.experimental.make_csv_dataset")
def make_csv_dataset(
    file_pattern: Any,
    batch_size: Any,
    column_names: Sequence[str] | None = None,
    column_defaults: Sequence[Any] | None = None,
    label_name: str | None = None,
    select_columns: Sequence[Any] | None = None,
    field_delim: str = ",",
    use_quote_delim: bool = True,
    na_value: str = "",
    header: bool = True,
    num_epochs: int | None = None,
    shuffle: bool = True,
    shuffle_buffer_size: int = 10000,
    shuffle_seed: int | None = None,
    prefetch_buffer_size: int | None = None,
    num_parallel_reads: int | None = None,
    sloppy: bool = False,
    num_rows_for_inference: int | None = 100,
    compression_type: str | None = None,
    ignore_errors: bool = False,
    encoding: str = "utf-8",
) -> Dataset:
    """Batches of the columns by name, as ordered dicts; with `label_name`, pairs of such a dict and that column.

    Names come from the headers, which must be equal. Types are inferred from the first `num_rows_for_inference`
    records: int32, int64, float32, float64 or string; empty fields become 0 or "". Without `num_epochs` the dataset
    repeats forever, in full batches. The other arguments are TensorFlow's. The order does not depend on `sloppy`.

    Raises:
        ValueError: no file matches, headers differ, a name is repeated or missing, or types cannot be inferred.
    """
    files = matching(names_in(file_pattern))
    cut, na = dialect(field_delim, use_quote_delim), na_value.encode()
    sample = CsvSchemaInference(files, cut, checked_compression(compression_type), header)
    names = sample.names(column_names, encoding)
    chosen = sorted(_number(c, names) for c in (names if select_columns is None else select_columns))
    picked = tuple(names[i] for i in chosen)
    if label_name is not None and label_name not in picked:
        raise ValueError(f"`label_name` provided must be one of the columns: {list(picked)}. Received: {label_name}.")
    if column_defaults is None:
        column_defaults = sample.defaults(chosen, len(names), na, num_rows_for_inference)
    elif len(column_defaults) != len(chosen):
        raise ValueError(f"{len(column_defaults)} `column_defaults` were given for the columns {list(picked)}.")
    table = CsvFormat(cut, columns(list(column_defaults), chosen), len(names), header, na)

    seeds = EpochSeeds(shuffle_seed, reshuffle=True) if shuffle else None
    names_to_read = Dataset(FileNames(files, seeds))
    dataset = Dataset(*reading(names_to_read, table, compression_type, None, num_parallel_reads))
    if ignore_errors:
        dataset = dataset.ignore_errors()
    if shuffle:
        dataset = dataset.shuffle(shuffle_buffer_size, shuffle_seed)
    if num_epochs != 1:
        dataset = dataset.repeat(num_epochs)
    dataset = dataset.batch(batch_size, drop_remainder=num_epochs is None)
    dataset = Dataset(NamedColumnsStage(dataset.stage, picked, label_name), dataset.options())
    return dataset.prefetch(AUTOTUNE if prefetch_buffer_size is None else prefetch_buffer_size)


def _number(column: Any, names: list[str]) -> int:
    number = names.index(column) if column in names else column
    if not isinstance(number, int) or not 0 <= number < len(names):
        raise ValueError(f"select_columns names {column!r}, which is none of the columns {names}.")
    return number


@final
class NamedColumnsStage(UnaryStage):
    """Converts tuples to ordered dicts; a label is removed from the dict and placed beside it."""

    def __init__(self, parent: Stage, names: tuple[str, ...], label: str | None) -> None:
        super().__init__(parent)
        self._names = names
        self._label = label

    @property
    def spec(self) -> Any:
        return self.named(self._parent.spec)

    def named(self, values: tuple[Any, ...]) -> Any:
        """Arranges the values by name."""
        found = collections.OrderedDict(zip(self._names, values, strict=True))
        if self._label is None:
            return found
        label = found.pop(self._label)
        return found, label

    def walk(self) -> StageIterator:
        return _ByNameIterator(self._parent.walk(), self)

    def example(self) -> Any:
        return self.named(self._parent.example())


@final
class _ByNameIterator(ParentIterator):
    def __init__(self, parent: StageIterator, stage: NamedColumnsStage) -> None:
        super().__init__(parent)
        self._stage = stage

    def __next__(self) -> Any:
        return self._stage.named(next(self._source))

    def _own_state(self) -> State:
        return {}

    def _set_own_state(self, state: State) -> None:
        pass
