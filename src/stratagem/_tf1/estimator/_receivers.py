"""Receivers: what a served model is given, and the features that are made of it."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, final

from stratagem._base.exports import exported
from stratagem._core.step import TracedStrings
from stratagem._core.values import CompositeTensor
from stratagem._data.files import parse_example
from stratagem._ops import is_tensor, string
from stratagem._tf1.graph import placeholder

_FEATURE = "feature"
_LABEL = "label"
_INPUT = "input"


class _Receiver(NamedTuple):
    """The fields of receivers."""

    features: Any
    receiver_tensors: dict[str, Any]
    receiver_tensors_alternatives: dict[str, dict[str, Any]] | None


@exported("estimator.export.ServingInputReceiver")
@final
class ServingInputReceiver(_Receiver):
    """The result of a serving_input_receiver_fn, as `tf.estimator.export.ServingInputReceiver`.

    features: a dict of tensors for the model_fn; a single one has the key "feature". receiver_tensors: the placeholders that
    a request gives, by name; a single one is "input". receiver_tensors_alternatives: other such dicts, by name.

    Raises ValueError for what is no tensor, TypeError for keys that are no texts.
    """

    def __new__(
        cls,
        features: Any,
        receiver_tensors: Any,
        receiver_tensors_alternatives: Mapping[str, Any] | None = None,
    ) -> "ServingInputReceiver":
        named = _named(features, _FEATURE, "feature")
        return super().__new__(cls, named, *_checked(receiver_tensors, receiver_tensors_alternatives))


@exported("estimator.export.TensorServingInputReceiver")
@final
class TensorServingInputReceiver(_Receiver):
    """The same for a model_fn whose features are one tensor, as `tf.estimator.export.TensorServingInputReceiver`.

    Raises ValueError for what is no tensor, TypeError for keys that are no texts.
    """

    def __new__(
        cls,
        features: Any,
        receiver_tensors: Any,
        receiver_tensors_alternatives: Mapping[str, Any] | None = None,
    ) -> "TensorServingInputReceiver":
        _check_tensor(features, "feature")
        return super().__new__(cls, features, *_checked(receiver_tensors, receiver_tensors_alternatives))


@final
class SupervisedInputReceiver(NamedTuple):
    """The inputs of a model that is exported for training or evaluation, as `tf.estimator.experimental`'s function makes them.

    features, labels: tensors, or dicts of them, for the model_fn. receiver_tensors: the placeholders, by name.
    """

    features: Any
    labels: Any
    receiver_tensors: dict[str, Any]
    receiver_tensors_alternatives: None = None


Receiver = ServingInputReceiver | TensorServingInputReceiver | SupervisedInputReceiver


def _checked(tensors: Any, alternatives: Any) -> tuple[Any, Any]:
    if alternatives is not None and not isinstance(alternatives, Mapping):
        raise ValueError(f"receiver_tensors_alternatives must be a dict: {alternatives!r}.")
    others = {name: _named(each, _INPUT, "receiver_tensor") for name, each in (alternatives or {}).items()}
    return _named(tensors, _INPUT, "receiver_tensor"), None if alternatives is None else others


def _named(given: Any, alone: str, what: str) -> dict[str, Any]:
    if given is None:
        raise ValueError(f"{what}s must be defined.")
    found = given if isinstance(given, Mapping) else {alone: given}
    for name, value in found.items():
        if not isinstance(name, str):
            raise TypeError(f"{what} keys must be strings: {name!r}.")
        _check_tensor(value, what if value is given else f"{what} {name}")
    return dict(found)


def _check_tensor(value: Any, what: str) -> None:
    if not (is_tensor(value) or isinstance(value, CompositeTensor | TracedStrings)):
        raise ValueError(f"{what} must be a Tensor, SparseTensor, or RaggedTensor, got {value!r:.100}.")


@exported("estimator.export.build_parsing_serving_input_receiver_fn")
def build_parsing_serving_input_receiver_fn(
    feature_spec: Mapping[str, Any], default_batch_size: int | None = None
) -> Callable[[], ServingInputReceiver]:
    """Returns a serving_input_receiver_fn that takes serialized Examples, "examples": strings, (batch,).

    feature_spec: as that of `tf.io.parse_example`. default_batch_size: the number of rows, by default any.
    """

    def serving_input_receiver_fn() -> ServingInputReceiver:
        examples = placeholder(string, [default_batch_size], "input_example_tensor")
        return ServingInputReceiver(parse_example(examples, feature_spec), {"examples": examples})

    return serving_input_receiver_fn


@exported("estimator.export.build_raw_serving_input_receiver_fn")
def build_raw_serving_input_receiver_fn(
    features: Mapping[str, Any], default_batch_size: int | None = None
) -> Callable[[], ServingInputReceiver]:
    """Returns a serving_input_receiver_fn that takes the features themselves.

    features: tensors or specs with the dtypes and shapes, the batch first. default_batch_size: the number of rows, by default
    any.
    """
    kinds = _kinds(features, _FEATURE)

    def serving_input_receiver_fn() -> ServingInputReceiver:
        made = _placeholders(kinds, default_batch_size)
        return ServingInputReceiver(made, made)

    return serving_input_receiver_fn


@exported("estimator.experimental.build_raw_supervised_input_receiver_fn")
def build_raw_supervised_input_receiver_fn(
    features: Any, labels: Any, default_batch_size: int | None = None
) -> Callable[[], SupervisedInputReceiver]:
    """Returns an input_receiver_fn for exports in the modes TRAIN and EVAL, which takes the features and labels themselves.

    features, labels: tensors or specs with the dtypes and shapes, the batch first, or dicts of them; a single one is called
    "feature", or "label". default_batch_size: the number of rows, by default any.

    Raises ValueError for a name that features and labels share.
    """
    names = [
        set(each) if isinstance(each, Mapping) else {alone} for each, alone in ((features, _FEATURE), (labels, _LABEL))
    ]
    if both := names[0] & names[1]:
        raise ValueError(f"Features and labels must have distinct keys. Found overlapping keys: {sorted(both)}")
    taken, wanted = _kinds(features, _FEATURE), _kinds(labels, _LABEL)

    def supervised_input_receiver_fn() -> SupervisedInputReceiver:
        given, truth = _placeholders(taken, default_batch_size), _placeholders(wanted, default_batch_size)
        return SupervisedInputReceiver(
            given if isinstance(features, Mapping) else given[_FEATURE],
            truth if isinstance(labels, Mapping) else truth[_LABEL],
            {**given, **truth},
        )

    return supervised_input_receiver_fn


def _kinds(given: Any, alone: str) -> dict[str, tuple[Any, tuple[Any, ...]]]:
    """Returns the dtype and shape of tensors or specs, by name."""
    named = given if isinstance(given, Mapping) else {alone: given}
    return {name: (each.dtype, tuple(each.shape)) for name, each in named.items()}


def _placeholders(kinds: dict[str, tuple[Any, tuple[Any, ...]]], batch: int | None) -> dict[str, Any]:
    return {name: placeholder(dtype, [batch, *shape[1:]], name) for name, (dtype, shape) in kinds.items()}
