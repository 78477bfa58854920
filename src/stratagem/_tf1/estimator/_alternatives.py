"""Alternative: other inputs that an exported model may be fed than those of its receiver."""

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, final

from stratagem._base.errors import UnimplementedError
from stratagem._core.values import CompositeTensor
from stratagem._tf1.graph import ReceiverInputs

_log = logging.getLogger("stratagem.estimator")


@final
@dataclass(frozen=True)
class Alternative:
    """One of the `receiver_tensors_alternatives` of a receiver.

    names: of its tensors. numbers: those of the placeholders that they are; None if they are the model's features, which then
    are made of them without the receiver. places: by the key of a feature, which of the tensors it is; the key of a single
    one is None.
    """

    names: tuple[str, ...]
    numbers: tuple[int, ...] | None
    places: dict[str | None, int]

    def features(self, tensors: Any) -> Any:
        """Returns the features of the model, of the tensors of a call."""
        found = {key: tensors[place] for key, place in self.places.items()}
        return found.get(None, found)


def alternatives_of(receiver: Any, inputs: ReceiverInputs, count: int) -> dict[str, Alternative]:
    """Returns the alternatives of a receiver that has made `count` placeholders.

    As in TensorFlow, one that lacks what the model needs is left out, with a line in the log.
    Raises UnimplementedError for one that gives tensors between the placeholders and the features.
    """
    found = {}
    for name, tensors in (receiver.receiver_tensors_alternatives or {}).items():
        alternative = _alternative(name, tensors, receiver.features, inputs, count)
        if alternative is not None:
            found[name] = alternative
    return found


def _alternative(
    name: str, tensors: Mapping[str, Any], features: Any, inputs: ReceiverInputs, count: int
) -> Alternative | None:
    given = list(tensors.values())
    named: Mapping[Any, Any] = features if isinstance(features, Mapping) else {None: features}
    numbers = [inputs.number(tensor) for tensor in given]
    places = {key: _place(value, given) for key, value in named.items()}
    if {*numbers} == {*range(count)}:
        return Alternative(tuple(tensors), tuple(n for n in numbers if n is not None), {})
    lacking = [key for key, place in places.items() if place is None]
    if not lacking and not any(isinstance(tensor, CompositeTensor) for tensor in given):
        return Alternative(tuple(tensors), None, {key: place for key, place in places.items() if place is not None})
    between = [
        key
        for (key, tensor), number in zip(tensors.items(), numbers, strict=True)
        if isinstance(tensor, CompositeTensor) or (number is None and _place(tensor, list(named.values())) is None)
    ]
    if between or (None in numbers and any(number is not None for number in numbers)):
        raise UnimplementedError(
            f"receiver_tensors_alternatives[{name!r}] gives {between or list(tensors)}: an alternative has to give all of the "
            "receiver's placeholders, or the dense tensors that are the features of the model, each of them. Export the model "
            "once more for it, with a serving_input_receiver_fn of its own."
        )
    _log.warning(
        "The export has no signatures %r: the alternative lacks what the model needs, %s.",
        f"{name}:...",
        ", ".join(map(str, lacking)),
    )
    return None


def _place(tensor: Any, among: list[Any]) -> int | None:
    return next((i for i, each in enumerate(among) if each is tensor), None)
