"""Statements about Keras metrics: made, updated, read and reset."""

from tests.differential.expressions import expression
from tests.differential.scene import Place, Scene, Value

PREDICTIONS = ("0.1", "0.3", "0.45", "0.6", "0.8", "0.95")  # none of them is a threshold
# Arguments, its share, and what it takes: `values`, or labels with `pairs` of numbers or `classes`, these perhaps `unweighted`.
METRICS = {
    "Mean": ((), "values", 0.3),
    "Sum": ((), "values", 0.1),
    "MeanSquaredError": ((), "pairs", 0.08),
    "MeanAbsoluteError": ((), "pairs", 0.05),
    "RootMeanSquaredError": ((), "pairs", 0.06),
    "Accuracy": ((), "pairs", 0.06),
    "BinaryAccuracy": (("", "threshold=0.4"), "classes", 0.08),
    "Precision": (("", "thresholds=[0.2, 0.7]"), "classes", 0.06),
    "Recall": (("", "thresholds=0.7"), "classes", 0.06),
    "AUC": (("num_thresholds=5", 'num_thresholds=5, curve="PR"', "num_thresholds=3"), "classes", 0.1),
    "TruePositives": ((), "classes", 0.04),
    "FalseNegatives": ((), "classes", 0.03),
    "BinaryCrossentropy": ((), "unweighted", 0.03),
    "MeanMetricWrapper": (("lambda y, p: tf.abs(y - p)",), "pairs", 0.05),
}


def make_metric(scene: Scene) -> None:
    """A line that makes a metric."""
    kind = scene.draw.weighted({name: share for name, (_, _, share) in METRICS.items()})
    arguments, takes, _ = METRICS[kind]
    name = scene.writer.name("m")
    given = scene.draw.one(arguments) if arguments else ""
    scene.writer.line(f"{name} = tf.keras.metrics.{kind}({given})", "metric", kind)
    scene.metrics.append((name, takes))


def make_labels(scene: Scene) -> None:
    """Labels and predictions, others for every replica."""
    draw, replicas = scene.draw, scene.replicas
    rows = draw.number(1, 4)
    for prefix, numbers in (("y", ("0.0", "1.0")), ("p", PREDICTIONS)):
        values = [f"[{', '.join(draw.one(numbers) for _ in range(rows))}]" for _ in range(replicas)]
        name = scene.writer.name(prefix)
        made = f"lambda context: tf.constant([{', '.join(values)}][context.replica_id_in_sync_group])"
        scene.writer.line(f"{name} = strategy.experimental_distribute_values_from_function({made})")
        scene.inputs.append(Value(name, "float32", -rows, uniform=False))


def update(scene: Scene, place: Place) -> None:
    """A line of a replica that shows a metric something."""
    draw = scene.draw
    name, takes = draw.one(scene.metrics)
    own = {v.text: v.shape for v in place.values if v.shape is not None and v.shape < 0}
    if takes == "values":
        others = [expression(scene, place, "float32", draw.one((None, 2)), depth=1)]
        values = draw.one([*own, *own, *others])
        given = values
        if draw.chance(0.08):
            given = f"{values}, sample_weight={draw.one(('0.5', '2.0'))}"
            scene.writer.features.add("one weight for several values")
    else:
        labels, predicted = list(own)[:2]
        given = (
            f"{labels}, {predicted}"
            if takes in ("classes", "unweighted") or draw.chance(0.5)
            else f"{labels}, {labels}"
        )
        if draw.chance(0.2) and takes == "classes":
            given += f", sample_weight=tf.constant({[draw.one((0.5, 1.0, 2.0)) for _ in range(-own[labels])]})"
    inside = "loop or branch of " if place.control else ""
    scene.writer.line(f"{name}.update_state({given})", f"metric updated in {inside}{place.context}")


def result(scene: Scene, place: Place) -> Value | None:
    """A line that asks for a metric's result, or reads one of its variables."""
    draw = scene.draw
    name, _ = draw.one(scene.metrics)
    if place.context == "replica" and place.control:
        return None  # TensorFlow aggregates nothing there
    value = scene.writer.name("t")
    inside = "loop or branch of " if place.control else ""
    of_variable = draw.chance(0.2) and place.context != "replica"
    asked = f"tf.reduce_sum({name}.variables[0])" if of_variable else f"tf.reduce_sum({name}.result())"
    scene.writer.line(f"{value} = {asked}", f"metric read in {inside}{place.context}")
    return Value(value, "float32", None)


def reset(scene: Scene, place: Place) -> None:
    """A line that begins a metric anew."""
    name, _ = scene.draw.one(scene.metrics)
    scene.writer.line(f"{name}.reset_state()", f"metric reset in {place.context}")
