"""Columns in general: names, keys, the specs of their features in files, and descriptions."""

import abc
import dataclasses
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, ClassVar, Protocol, Self

import keras

from stratagem._base.exports import exported
from stratagem._columns._entries import Entries
from stratagem._columns._features import Features
from stratagem._core.values import TensorShape
from stratagem._ops import DType, Tensor, as_dtype


class FeatureColumn(abc.ABC):
    """A description of what a model makes of features. Columns are frozen dataclasses, so that equal ones are the same."""

    kinds: ClassVar[dict[str, type["FeatureColumn"]]] = {}

    def __init_subclass__(cls) -> None:
        FeatureColumn.kinds[cls.__name__] = cls

    @property
    @abc.abstractmethod
    def name(self) -> str:
        """The name, by which columns are ordered and variables called."""

    @property
    @abc.abstractmethod
    def parse_example_spec(self) -> dict[str, Any]:
        """The features of `tf.io.parse_example` that the column needs, by key."""

    @property
    @abc.abstractmethod
    def parents(self) -> list[Any]:
        """The keys and columns of which this one is made."""

    @abc.abstractmethod
    def transform(self, features: Features) -> Any:
        """Returns what the column makes of the features, before its variables are used."""

    def for_files(self) -> "FeatureColumn":
        """Returns the same column without names of files, in any depth: a model that is saved with it needs nothing else.

        Raises the errors of `file_errors` for a file that is gone.
        """
        fields = {each.name: getattr(self, each.name) for each in dataclasses.fields(self)}  # type: ignore[arg-type]
        changed = {name: _for_files(value) for name, value in fields.items()}
        return dataclasses.replace(self, **changed)  # type: ignore[type-var]

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments by name, as plain values."""
        fields = dataclasses.fields(self)  # type: ignore[arg-type]
        return {field.name: _described(getattr(self, field.name)) for field in fields}

    @classmethod
    def from_config(
        cls,
        config: Mapping[str, Any],
        custom_objects: Mapping[str, Any] | None = None,
        columns_by_name: dict[str, "FeatureColumn"] | None = None,
    ) -> Self:
        """Returns the column that `get_config` describes.

        custom_objects: functions and initializers by name. columns_by_name: columns that have been made already. Raises
        ValueError for other arguments.
        """
        names = [field.name for field in dataclasses.fields(cls)]  # type: ignore[arg-type]
        if set(config) != set(names):
            raise ValueError(f"Invalid config: {config}, expected keys: {names}")
        made = {} if columns_by_name is None else columns_by_name
        return cls(**{name: _restored(name, config[name], custom_objects or {}, made) for name in names})


class DenseColumn(FeatureColumn):
    """A column of which a dense tensor is made."""

    @property
    @abc.abstractmethod
    def variable_shape(self) -> TensorShape:
        """The shape of what is made of one row."""

    @abc.abstractmethod
    def dense(self, features: Features, tables: "Tables") -> Tensor:
        """Returns the dense tensor, (batch, ...). Raises ValueError for a column of sequences."""


class SequenceDenseColumn(FeatureColumn):
    """A column of which a dense tensor with a dimension of steps is made."""

    @property
    @abc.abstractmethod
    def variable_shape(self) -> TensorShape:
        """The shape of what is made of one step."""

    @abc.abstractmethod
    def steps(self, features: Features, tables: "Tables") -> tuple[Tensor, Tensor]:
        """Returns the dense tensor, (batch, steps, ...), and the number of steps of each row, int64.

        Raises ValueError for a column without sequences.
        """


class CategoricalColumn(FeatureColumn):
    """A column of which ids from 0 to `num_buckets` - 1 are made."""

    @property
    @abc.abstractmethod
    def num_buckets(self) -> int:
        """The number of ids."""

    @abc.abstractmethod
    def entries(self, features: Features) -> Entries:
        """Returns the ids of each row, and weights if the column has them."""


class Tables(Protocol):
    """The variables of columns."""

    def of(self, column: FeatureColumn) -> Any:
        """Returns the table of embeddings of a column."""


def sorted_columns(feature_columns: FeatureColumn | Iterable[FeatureColumn]) -> list[FeatureColumn]:
    """Returns columns in the order of their names. Raises ValueError for none, for what is no column, and for equal names."""
    if isinstance(feature_columns, dict):
        raise ValueError("Expected feature_columns to be iterable, found dict.")
    columns = [feature_columns] if isinstance(feature_columns, FeatureColumn) else list(feature_columns)
    by_name: dict[str, FeatureColumn] = {}
    for column in columns:
        if not isinstance(column, FeatureColumn):
            raise ValueError(
                f"Items of feature_columns must be a FeatureColumn. Given (type {type(column)}): {column}."
            )
        if column.name in by_name:
            raise ValueError(
                f"Duplicate feature column name found for columns: {column} and {by_name[column.name]}. Leave one out, or "
                "give the feature in the features dict another name."
            )
        by_name[column.name] = column
    if not columns:
        raise ValueError("feature_columns must not be empty.")
    return sorted(columns, key=lambda column: column.name)


@exported("feature_column.make_parse_example_spec")
def make_parse_example_spec(feature_columns: Iterable[FeatureColumn]) -> dict[str, Any]:
    """Returns the features of `tf.io.parse_example` that columns need: FixedLenFeature or VarLenFeature by key.

    Raises ValueError for what is no column, and where two columns need a key in different forms.
    """
    found: dict[str, Any] = {}
    for column in feature_columns:
        if not isinstance(column, FeatureColumn):
            raise ValueError(f"All feature_columns must be FeatureColumn instances. Given: {column}")
        for key, spec in column.parse_example_spec.items():
            if found.setdefault(key, spec) != spec:
                raise ValueError(
                    f"feature_columns contain different parse_spec for key {key}. Given {spec} and {found[key]}"
                )
    return found


def serialized(column: FeatureColumn | str) -> Any:
    """Returns the description of a column; keys describe themselves."""
    if isinstance(column, str):
        return column
    return {"class_name": type(column).__name__, "config": column.get_config()}


def deserialized(
    config: Any, custom_objects: Mapping[str, Any] | None, columns_by_name: dict[str, FeatureColumn]
) -> Any:
    """Returns the column that a description describes. Raises ValueError for what is none."""
    if isinstance(config, str):
        return config
    if not isinstance(config, Mapping) or "class_name" not in config or "config" not in config:
        raise ValueError(f"Improper config format: {config}")
    kind = (custom_objects or {}).get(config["class_name"], FeatureColumn.kinds.get(config["class_name"]))
    if kind is None:
        raise ValueError(f"Unknown feature_column_v2: {config['class_name']}")
    made = kind.from_config(config["config"], custom_objects, columns_by_name)
    known = columns_by_name.setdefault(f"{type(made).__name__}:{made.name}", made)
    return known if known == made else made  # two columns of one feature have one name


def plain(value: Any) -> Any:
    """Returns a description with tuples again, which Keras' files describe in a way of their own."""
    if isinstance(value, Mapping):
        if value.get("class_name") == "__tuple__":
            return tuple(plain(v) for v in value["config"]["value"])
        return {key: plain(v) for key, v in value.items()}
    return [plain(v) for v in value] if isinstance(value, list) else value


def _for_files(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(_for_files(each) for each in value)
    return value.for_files() if isinstance(value, FeatureColumn) else value


def _described(value: Any) -> Any:
    if isinstance(value, FeatureColumn):
        return serialized(value)
    if isinstance(value, tuple):
        return tuple(_described(v) for v in value)
    if isinstance(value, DType):
        return value.name
    if hasattr(value, "get_config"):
        return {"class_name": type(value).__name__, "config": value.get_config()}
    return keras.saving.get_registered_name(value) if callable(value) else value


def _restored(name: str, value: Any, custom_objects: Mapping[str, Any], made: dict[str, FeatureColumn]) -> Any:
    if name == "dtype":
        return as_dtype(value)
    if name in ("categorical_column", "source_column"):
        return deserialized(value, custom_objects, made)
    if name == "keys":
        return tuple(deserialized(key, custom_objects, made) for key in value)
    if name in ("initializer", "normalizer_fn"):
        return _object(value, custom_objects)
    return tuple(value) if isinstance(value, list) else value


def _object(value: Any, custom_objects: Mapping[str, Any]) -> Any:
    """An initializer or a function of its description.

    Raises ValueError for unknown ones, and for anything else that a description would call with its arguments.
    """
    if value is None or callable(value):
        return value
    if not isinstance(value, str) and not (isinstance(value, Mapping) and {"class_name", "config"} <= value.keys()):
        raise ValueError(f"Improper config format: {value!r:.200}")
    name = value if isinstance(value, str) else value["class_name"]
    found = keras.saving.get_registered_object(name, dict(custom_objects))
    if found is None:
        found = getattr(keras.initializers, name, None)
        found = found if _is_initializer(found) else None
    if found is None:
        raise ValueError(f"Unknown object: {name}. Give it in `custom_objects`.")
    if isinstance(value, str):
        return found() if _is_initializer(found) else found
    if not (_is_initializer(found) or (isinstance(found, type) and custom_objects.get(name) is found)):
        raise ValueError(f"{name} is described as an initializer with arguments, and is not one.")
    config = dict(value["config"])
    if found.__module__.startswith("keras."):
        config.pop("dtype", None)  # of TensorFlow's initializers
    return found.from_config(config)


def _is_initializer(found: Any) -> bool:
    return isinstance(found, type) and issubclass(found, keras.initializers.Initializer)


def leaf_keys(keys: Iterable[Any], nested: type[FeatureColumn]) -> Iterator[Any]:
    """Yields keys and columns, in place of columns of the type `nested` their `keys`."""
    for key in keys:
        if isinstance(key, nested):
            yield from leaf_keys(key.keys, nested)  # type: ignore[attr-defined]
        else:
            yield key
