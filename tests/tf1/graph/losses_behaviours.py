"""Losses and metrics, each as a model function."""

from typing import Any, Final

from tests.tf1.graph.made import Made, Model, wave

# --- Losses -----------------------------------------------------------------------------------------------------------

LOSSES: Final[dict[str, dict[str, Any]]] = {
    "absolute_difference": {},
    "cosine_distance": {"axis": 1},
    "hinge_loss": {},
    "huber_loss": {"delta": 0.4},
    "log_loss": {},
    "mean_squared_error": {},
    "mean_pairwise_squared_error": {},
    "sigmoid_cross_entropy": {},
    "sigmoid_cross_entropy_smooth": {"label_smoothing": 0.2},
    "softmax_cross_entropy": {},
    "softmax_cross_entropy_smooth": {"label_smoothing": 0.2},
    "sparse_softmax_cross_entropy": {},
}
WEIGHTS: Final[dict[str, Any]] = {
    "one": None,
    "number": 0.7,
    "zero": 0.0,
    "rows": [[1.0], [0.0], [2.0], [0.5], [0.0], [1.0]],
}
REDUCTIONS: Final = ("NONE", "SUM", "SUM_OVER_BATCH_SIZE", "MEAN", "SUM_BY_NONZERO_WEIGHTS")


def loss(name: str, weights: str, reduction: str | None) -> Model:
    """A loss of fixed predictions, its gradient, and what is in the collection."""

    def model(tf1: Any, x: Any, y: Any) -> Made:
        start = 0.5 + 0.4 * wave((6, 3)) if name == "log_loss" else wave((6, 3))
        guess = tf1.get_variable("guess", initializer=tf1.constant(start, tf1.float32))
        plain = name.removesuffix("_smooth")
        given = dict(LOSSES[name])
        weight = WEIGHTS[weights]
        if plain.startswith("s"):  # cross entropies
            weight = [w[0] for w in weight] if isinstance(weight, list) and "softmax" in plain else weight
            truth = y if plain.startswith("sparse") else tf1.one_hot(y, 3)
            arguments = [truth, guess]
        else:
            arguments = [tf1.one_hot(y, 3), guess]
        if weight is not None:
            given["weights"] = weight
        if reduction is not None:
            given["reduction"] = getattr(tf1.losses.Reduction, reduction)
        value = getattr(tf1.losses, plain)(*arguments, **given)
        (gradient,) = tf1.gradients(value, [guess])
        total = tf1.losses.get_total_loss() if reduction != "NONE" else value
        return Made(tensors={"loss": value, "gradient": tf1.convert_to_tensor(gradient), "total": total})

    return model


# --- Metrics ----------------------------------------------------------------------------------------------------------

METRICS: Final[dict[str, tuple[str, dict[str, Any]]]] = {
    "accuracy": ("classes", {}),
    "mean": ("values", {}),
    "mean_tensor": ("values", {}),
    "mean_squared_error": ("numbers", {}),
    "root_mean_squared_error": ("numbers", {}),
    "mean_absolute_error": ("numbers", {}),
    "mean_relative_error": ("numbers", {"normalizer": [1.0, 2.0, 0.0, 3.0, 1.0, 1.0]}),
    "mean_cosine_distance": ("rows", {"dim": 1}),
    "percentage_below": ("values", {"threshold": 0.2}),
    "mean_per_class_accuracy": ("classes", {"num_classes": 4}),
    "mean_iou": ("classes", {"num_classes": 4}),
    "precision": ("yes", {}),
    "recall": ("yes", {}),
    "true_positives": ("yes", {}),
    "true_negatives": ("yes", {}),
    "false_positives": ("yes", {}),
    "false_negatives": ("yes", {}),
    "precision_at_thresholds": ("scores", {"thresholds": [0.2, 0.5, 0.8]}),
    "recall_at_thresholds": ("scores", {"thresholds": [0.2, 0.5, 0.8]}),
    "recall_at_k": ("ranked", {"k": 2}),
    "recall_at_k_class": ("ranked", {"k": 2, "class_id": 1}),
    "recall_at_top_k": ("ranks", {}),
    "precision_at_k": ("ranked", {"k": 3}),
    "precision_at_k_class": ("ranked", {"k": 3, "class_id": 2}),
    "precision_at_top_k": ("ranks", {}),
    "average_precision_at_k": ("ranked", {"k": 3}),
    "true_positives_at_thresholds": ("scores", {"thresholds": [0.2, 0.5]}),
    "true_negatives_at_thresholds": ("scores", {"thresholds": [0.2, 0.5]}),
    "false_positives_at_thresholds": ("scores", {"thresholds": [0.2, 0.5]}),
    "false_negatives_at_thresholds": ("scores", {"thresholds": [0.2, 0.5]}),
    "sensitivity_at_specificity": ("scores", {"specificity": 0.7}),
    "specificity_at_sensitivity": ("scores", {"sensitivity": 0.6, "num_thresholds": 30}),
    "auc": ("scores", {}),
    "auc_pr": ("scores", {"curve": "PR", "summation_method": "careful_interpolation"}),
    "auc_majoring": ("scores", {"num_thresholds": 20, "summation_method": "majoring"}),
}
METRIC_WEIGHTS: Final = {"one": None, "rows": [1.0, 0.0, 2.0, 0.5, 0.0, 1.0]}


def metric(name: str, weights: str) -> Model:
    """A metric over several batches: its value and what its update gives."""

    def model(tf1: Any, x: Any, y: Any) -> Made:
        kind, arguments = METRICS[name]
        wavy, guess = x[:, 0], tf1.argmax(x[:, :3], 1)
        scores = 0.5 + 0.5 * x[:, 1]
        inputs = {
            "classes": [y, guess],
            "values": [wavy],
            "numbers": [wavy, x[:, 1]],
            "rows": [x, x * x],
            "yes": [y > 0, guess > 0],
            "scores": [y > 0, scores],
            "ranked": [tf1.stack([y, guess, y], 1), x],  # a label twice
            "ranks": [y, tf1.stack([guess, y], 1)],
        }[kind]
        weight = METRIC_WEIGHTS[weights]
        given = dict(arguments)
        if weight is not None:
            given["weights"] = tf1.constant([[w] for w in weight] if kind == "rows" else weight)
        if "normalizer" in given:
            given["normalizer"] = tf1.constant(given["normalizer"])
        for ending in ("_pr", "_majoring", "_class"):
            plain = name.removesuffix(ending)
            if plain != name:
                break
        value, update = getattr(tf1.metrics, plain)(*inputs, **given)
        return Made(operation=update, after={"value": value})

    return model
