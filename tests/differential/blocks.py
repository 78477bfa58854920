"""Blocks of statements in a replica, in cross-replica code and outside, with branches and loops around them."""

from collections.abc import Callable
from dataclasses import replace

from tests.differential import metrics, optimizers, variables
from tests.differential.expressions import expression
from tests.differential.scene import Place, Scene, Value

Statement = Callable[[Scene, Place], Place]


def local(scene: Scene, place: Place) -> Place:
    """A name for an expression."""
    dtype, shape = scene.draw.one(scene.dtypes), scene.draw.one(scene.shapes)
    text = expression(scene, place, dtype, shape)
    name = scene.writer.name("t")
    scene.writer.line(f"{name} = {text}")
    return place.knowing([Value(name, dtype, shape, uniform=place.context != "replica")])


def assigned(scene: Scene, place: Place) -> Place:
    """An assignment, or a name where no variable can be assigned."""
    return place if variables.assign(scene, place) else local(scene, place)


def branch(scene: Scene, place: Place, inner: Statement) -> Place:
    """`if`, on a tensor or a number of Python's; in it, one or two statements."""
    tensor = not scene.draw.chance(0.1)
    if tensor and (place.context == "replica" or scene.draw.chance(0.5)):
        return _cond(scene, place, inner)
    condition = expression(scene, place, "bool", None) if tensor else "strategy.num_replicas_in_sync > 1"
    with scene.writer.block(f"if {condition}:", f"if in {place.context}"):
        several(scene, place.within(control=tensor), inner)
    if scene.draw.chance(0.5):
        with scene.writer.block("else:"):
            several(scene, place.within(control=tensor), inner)
    return place


def _cond(scene: Scene, place: Place, inner: Statement) -> Place:
    """`tf.cond` of two functions that do something and return a value."""
    condition = expression(scene, place, "bool", None)
    given = _kind(scene)
    names = scene.writer.name("branch"), scene.writer.name("branch")
    for name in names:
        with scene.writer.block(f"def {name}():", f"cond in {place.context}"):
            within = several(scene, place.within(control=True), inner, least=0)
            scene.writer.line(f"return tf.identity({expression(scene, within, given.dtype, given.shape)})")
    name = scene.writer.name("t")
    scene.writer.line(f"{name} = tf.cond(tf.identity({condition}), {names[0]}, {names[1]})")
    return place.knowing([replace(given, text=name, uniform=place.context != "replica")])


def loop(scene: Scene, place: Place, inner: Statement) -> Place:
    """A loop of a few rounds that carries a value along."""
    kinds = {"range": 0.35, "tf.range": 0.35, "while_loop": 0.3, "while": 0.1 * (place.context != "replica")}
    kind = scene.draw.weighted(kinds)
    if (
        kind == "tf.range"
        and place.context == "replica"
        and (scene.optimizers or "gradient in replica" in scene.writer.features)
    ):
        kind = "range"  # with `tf.range` a function may run in Python, where a tape does not record
    carried = _carried(scene, place)
    within = place.knowing([carried]).within(control=kind != "range")
    if kind == "while_loop":
        _while_loop(scene, place, within, inner)
    else:
        _python_loop(scene, kind, within, inner)
    return place.knowing([replace(carried, uniform=place.context != "replica")])


def _while_loop(scene: Scene, place: Place, within: Place, inner: Statement) -> None:
    writer, carried = scene.writer, within.values[-1]
    body = writer.name("body")
    with writer.block(f"def {body}(i, {carried.text}):", f"while_loop in {place.context}"):
        known = several(scene, within, inner)
        writer.line(f"return i + 1, tf.identity({expression(scene, known, carried.dtype, carried.shape)})")
    condition = f"lambda i, t: i < {scene.draw.number(0, 3)}"
    writer.line(f"_, {carried.text} = tf.while_loop({condition}, {body}, (0, {carried.text}))")


def _python_loop(scene: Scene, kind: str, within: Place, inner: Statement) -> None:
    writer, carried, rounds = scene.writer, within.values[-1], scene.draw.number(1, 3)
    counter = writer.name("n")
    if kind == "while":
        writer.line(f"{counter} = tf.constant(0)")
    header = f"while {counter} < {rounds}:" if kind == "while" else f"for {counter} in {kind}({rounds}):"
    with writer.block(header, f"{kind} in {within.context}"):
        known = several(scene, within, inner)
        if kind == "while":
            writer.line(f"{counter} += 1")
        writer.line(f"{carried.text} = tf.identity({expression(scene, known, carried.dtype, carried.shape)})")


def _kind(scene: Scene) -> Value:
    """Some dtype and shape of the program."""
    return Value("", scene.draw.one(scene.dtypes), scene.draw.one(scene.shapes), uniform=False)


def _carried(scene: Scene, place: Place) -> Value:
    given = replace(_kind(scene), text=scene.writer.name("t"))
    scene.writer.line(f"{given.text} = tf.identity({expression(scene, place, given.dtype, given.shape, depth=1)})")
    return given


def several(scene: Scene, place: Place, inner: Statement, least: int = 1) -> Place:
    """One or two statements."""
    for _ in range(scene.draw.number(least, 2)):
        place = inner(scene, place)
    return place


def in_replica(scene: Scene, place: Place) -> Place:
    """One statement of a replica."""
    kinds = {"local": 2.0, "assign": 5.0}
    kinds["gradient"] = 0.5 * bool(variables.differentiable(scene, place))
    kinds["gradient"] *= "tf.range in replica" not in scene.writer.features
    kinds |= {"update": 6.0 * bool(scene.metrics), "result": 1.0 * bool(scene.metrics)}
    if not place.control:
        kinds |= {"collective": 0.7, "merge": 0.3, "train": 6.0 * bool(scene.optimizers)}
    if place.depth < 1:
        kinds |= {"branch": 0.5, "loop": 0.6}
    match scene.draw.weighted(kinds):
        case "assign":
            return assigned(scene, place)
        case "update":
            metrics.update(scene, place)
            return place
        case "result" if (value := metrics.result(scene, place)) is not None:
            return place.knowing([value])
        case "train":
            return place.knowing([optimizers.apply(scene, place)])
        case "gradient":
            return place.knowing([variables.gradient(scene, place)])
        case "branch":
            return branch(scene, place, in_replica)
        case "loop":
            return loop(scene, place, in_replica)
        case "collective":
            return place.knowing([variables.collective(scene, place)])
        case "merge" if (value := variables.merge(scene, place)) is not None:
            return place.knowing([value])
        case _:
            return local(scene, place)


def of_objects(scene: Scene, place: Place) -> Place | None:
    """One statement of cross-replica code, or outside, about a metric or an optimizer; None: there is neither."""
    kinds = {"result": 3.0 * bool(scene.metrics), "reset": 0.6 * bool(scene.metrics)}
    kinds |= {"read": 1.0 * bool(scene.optimizers), "change": 1.0 * bool(scene.optimizers)}
    if not any(kinds.values()):
        return None
    match scene.draw.weighted(kinds):
        case "result":
            value = metrics.result(scene, place)
            return place if value is None else place.knowing([value])
        case "reset":
            metrics.reset(scene, place)
        case "read":
            return place.knowing([optimizers.read(scene, place)])
        case "change":
            optimizers.change(scene, place)
    return place
