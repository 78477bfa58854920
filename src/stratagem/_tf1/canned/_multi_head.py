"""MultiHead: several heads of one model, whose losses are added up."""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, final

from stratagem._base.exports import exported
from stratagem._ops import tensor
from stratagem._tf1.canned._head import REGULARIZATION, Head, total
from stratagem._tf1.canned._measurements import Measurement, MeasurementKind, Observed, keras_metric, update
from stratagem._tf1.estimator.export import ExportOutput, PredictOutput


@exported("estimator.MultiHead")
@final
class MultiHead(Head):
    """`tf.estimator.MultiHead`: labels and logits are dicts by the names of heads; logits may be one tensor with all of them.

    heads: each with a name; the first is what an exported model serves. head_weights: of the losses, by default 1.

    Raises ValueError for no heads, a head without a name, two of one name, and another number of weights.
    """

    def __init__(self, heads: Sequence[Head], head_weights: Sequence[float] | None = None) -> None:
        if not heads:
            raise ValueError(f"Must specify heads. Given: {heads}")
        if head_weights and len(head_weights) != len(heads):
            raise ValueError(
                f"heads and head_weights must have the same size. Given len(heads): {len(heads)}. Given len(head_weights): "
                f"{len(head_weights)}."
            )
        names = [head.name for head in heads]
        if None in names or len(set(names)) != len(names):
            raise ValueError(f"All given heads must have a name specified, each another. Given: {names}")
        self._heads = tuple(heads)
        self._weights = tuple(head_weights or ())

    @property
    def name(self) -> str:
        """The names of the heads."""
        return "_".join(str(head.name) for head in self._heads)

    @property
    def logits_dimension(self) -> int:
        """The number of logits of all heads."""
        return sum(head.logits_dimension for head in self._heads)

    @property
    def loss_reduction(self) -> str:
        """The reduction of all heads. Raises ValueError if they differ."""
        found = [head.loss_reduction for head in self._heads]
        if len(set(found)) > 1:
            raise ValueError(f"The loss_reduction must be the same for different heads. Given: {found}")
        return found[0]

    @property
    def training_scope(self) -> str:
        """`training_2` for two heads, each of which has a scope of its own in TensorFlow."""
        return f"training_{len(self._heads)}"

    def _split(self, logits: Any) -> dict[Any, Any]:
        """Returns the logits of each head."""
        if isinstance(logits, Mapping):
            missing = [head.name for head in self._heads if head.name not in logits]
            if missing:
                raise ValueError(f"logits has missing values for head(s): {missing}")
            return dict(logits)
        scores = tensor(logits)
        if scores.shape[-1] != self.logits_dimension:
            raise ValueError(
                f"The heads have {self.logits_dimension} logits, and logits has {scores.shape[-1]} in its last dimension."
            )
        found, begin = {}, 0
        for head in self._heads:
            found[head.name] = scores[..., begin : begin + head.logits_dimension]
            begin += head.logits_dimension
        return found

    def _labels(self, labels: Any) -> Mapping[Any, Any]:
        if not isinstance(labels, Mapping):
            raise ValueError(f"labels must be a dict. Given: {labels!r:.200}")
        missing = [head.name for head in self._heads if head.name not in labels]
        if missing:
            raise ValueError(f"labels has missing values for head(s): {missing}")
        return labels

    def loss(
        self,
        labels: Any,
        logits: Any,
        features: Mapping[str, Any] | None = None,
        mode: str | None = None,
        regularization_losses: Sequence[Any] | None = None,
    ) -> Any:
        """Returns the weighted sum of the losses of the heads, with the regularization losses."""
        truth, scores = self._labels(labels), self._split(logits)
        losses = [head.loss(truth[head.name], scores[head.name], features, mode) for head in self._heads]
        weights = self._weights or [1.0] * len(losses)
        merged: Any = total([loss * weight for loss, weight in zip(losses, weights, strict=True)])
        return merged if regularization_losses is None else merged + total(regularization_losses)

    def predictions(self, logits: Any, keys: Sequence[str] | None = None) -> dict[Hashable, Any]:
        """Returns the predictions of all heads, by pairs of the head's name and the key."""
        scores = self._split(logits)
        return {(h.name, key): v for h in self._heads for key, v in h.predictions(scores[h.name], keys).items()}

    def metrics(self, regularization_losses: Sequence[Any] | None = None) -> dict[str, Any]:
        """Returns new metrics of Keras: the loss of each head, and the heads' own."""
        names = [REGULARIZATION] if regularization_losses is not None else []
        found = {self.key(name): keras_metric(Measurement(MeasurementKind.MEAN, name)) for name in names}
        for head in self._heads:
            found[f"loss/{head.name}"] = keras_metric(Measurement(MeasurementKind.MEAN, f"loss/{head.name}"))
            found |= head.metrics()
        return found

    def update_metrics(
        self,
        eval_metrics: dict[str, Any],
        features: Mapping[str, Any],
        logits: Any,
        labels: Any,
        mode: str | None = None,
        regularization_losses: Sequence[Any] | None = None,
    ) -> dict[str, Any]:
        """Adds a batch to the metrics that `metrics` returned. Returns them."""
        truth, scores = self._labels(labels), self._split(logits)
        if regularization_losses is not None:
            update(eval_metrics[self.key(REGULARIZATION)], Observed(total(regularization_losses)))
        for head in self._heads:
            own, own_labels = scores[head.name], truth[head.name]
            update(eval_metrics[f"loss/{head.name}"], Observed(head.loss(own_labels, own, features)))
            mine = {name: eval_metrics[name] for name in head.metrics()}
            head.update_metrics(mine, features, own, own_labels)
        return eval_metrics

    def export_outputs(self, predictions: dict[Hashable, Any]) -> dict[str, ExportOutput]:
        """Returns what each head serves, below its name; the first head's is the default; and all predictions."""
        found: dict[str, ExportOutput] = {}
        of_heads: dict[Any, Any] = {**predictions}
        for head in self._heads:
            own: dict[Hashable, Any] = {key: value for (name, key), value in of_heads.items() if name == head.name}
            for key, output in head.export_outputs(own).items():
                found[str(head.name) if key == "serving_default" else f"{head.name}/{key}"] = output
        default = found.get(str(self._heads[0].name))
        merged = {f"{name}/{key}": value for (name, key), value in of_heads.items()}
        return {**({} if default is None else {"serving_default": default}), **found, "predict": PredictOutput(merged)}
