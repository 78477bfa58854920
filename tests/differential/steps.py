"""Functions of a replica, and the functions of cross-replica code that run them."""

from dataclasses import dataclass, replace
from typing import final

from tests.differential import blocks, metrics, optimizers, variables
from tests.differential.expressions import expression
from tests.differential.scene import ADDED, CARRIED, FLOATS, Place, Scene, Value


@final
@dataclass(frozen=True)
class Function:
    """A function of the program. returns: what one replica gives; its names mean nothing outside of the function."""

    name: str
    parameters: tuple[Value, ...]
    returns: tuple[Value, ...]


def replica_function(scene: Scene, *, compiled: bool) -> Function:
    """A function that `strategy.run` runs."""
    draw, writer = scene.draw, scene.writer
    name = writer.name("replica")
    parameters = tuple(Value(f"x{i}", v.dtype, v.shape, uniform=False) for i, v in enumerate(scene.inputs))
    with writer.block(f"def {name}({', '.join(p.text for p in parameters)}):"):
        if scene.batches:
            writer.line(f"{parameters[0].text} = tf.reduce_sum({parameters[0].text}, axis=0)", "batches of a dataset")
        place = Place("replica", compiled).knowing((*parameters, *scene.settings))
        for _ in range(draw.number(1, 3)):
            place = blocks.in_replica(scene, place)
        if scene.optimizers and "apply_gradients in replica" not in writer.features:
            place = place.knowing([optimizers.apply(scene, place)])
        if scene.metrics and not any(feature.startswith("metric updated") for feature in writer.features):
            metrics.update(scene, place)
        returns = tuple(_returned(scene, place) for _ in range(draw.number(1, 2)))
        writer.line(f"return {', '.join(value.text for value in returns)}")
    return Function(name, parameters, returns)


def _returned(scene: Scene, place: Place) -> Value:
    dtype, shape = scene.draw.one(scene.dtypes), scene.draw.one(scene.shapes)
    # `identity`: TensorFlow refuses to reduce what is one object for all replicas
    return Value(f"tf.identity({expression(scene, place, dtype, shape)})", dtype, shape, uniform=False)


def run(scene: Scene, place: Place, function: Function) -> tuple[Value, ...]:
    """A line that runs the function on all replicas; its results, each of them a value of every replica."""
    name = scene.writer.name("r")
    arguments = ", ".join(value.text for value in scene.inputs)
    arguments = f", args=({arguments},)" if arguments else ""
    scene.writer.line(f"{name} = strategy.run({function.name}{arguments})", f"run in {place.context}")
    if len(function.returns) == 1:
        return (Value(name, function.returns[0].dtype, function.returns[0].shape, uniform=False),)
    return tuple(Value(f"{name}[{i}]", v.dtype, v.shape, uniform=False) for i, v in enumerate(function.returns))


def combined(scene: Scene, place: Place, result: Value) -> Value:
    """A line that makes one value of those of the replicas."""
    draw, name = scene.draw, scene.writer.name("t")
    locals_ = f"strategy.experimental_local_results({result.text})"
    kinds = _ways(scene, place, result)
    operation = draw.one(("SUM", "MEAN")) if result.dtype in FLOATS else "SUM"
    reduce = f"strategy.reduce(tf.distribute.ReduceOp.{operation}, {result.text}"
    kind = draw.weighted(kinds)
    if kind not in ("reduce", "axis", "gather") and place.context == "cross":
        scene.writer.features.add("local results used in a function")
    text, dtype, shape = {
        "reduce": (f"{reduce}, axis=None)", result.dtype, result.shape),
        "axis": (f"{reduce}, axis=0)", result.dtype, None),
        "stack": (f"tf.stack({locals_})", result.dtype, -1),
        "first": (f"{locals_}[0]", result.dtype, result.shape),
        "concat": (f"tf.concat({locals_}, 0)", result.dtype, -1),
        "gather": (f"strategy.gather({result.text}, axis=0)", result.dtype, -1),
        "sum": (f"sum({locals_})", result.dtype, result.shape),
        "equal": (f"{locals_}[0] == {locals_}[-1]", "bool", result.shape),
    }[kind]
    scene.writer.line(f"{name} = {text}", f"{kind} in {place.context}", f"{kind} {result.dtype}")
    return Value(name, dtype, shape)


def _ways(scene: Scene, place: Place, result: Value) -> dict[str, float]:
    """How results of the replicas can be made one value, with the shares."""
    number, vector = result.dtype in ADDED, result.shape is not None
    # In a function of several processes those of this process are rarely asked for.
    local = 0.03 if scene.strategy == "two_processes" and place.context == "cross" else 1.0
    kinds = {
        "reduce": 4.0 * number,
        "axis": 1.0 * (number and vector),
        "gather": 0.5 * (vector and result.dtype in CARRIED),
    }
    kinds |= {"stack": 1.0, "first": 1.0, "concat": 1.0 * vector, "sum": 0.5 * number, "equal": 0.5}
    return {kind: share * (1.0 if kind in ("reduce", "axis", "gather") else local) for kind, share in kinds.items()}


def cross_statement(scene: Scene, place: Place, function: Function) -> Place:
    """One statement of cross-replica code."""
    kinds = {"run": 3.0, "assign": 2.0, "local": 2.0, "reduce": 0.5, "update": 0.15}
    kinds["objects"] = 4.0 * bool(scene.metrics or scene.optimizers)
    if place.depth < 1:
        kinds |= {"branch": 0.8, "loop": 1.0, "nested": 0.4}

    def inner(scene: Scene, place: Place) -> Place:
        return cross_statement(scene, place, function)

    match scene.draw.weighted(kinds):
        case "run":
            results = run(scene, place, function)
            return place.knowing([combined(scene, place, scene.draw.one(results))])
        case "nested":
            return _nested(scene, place, inner)
        case "branch":
            return blocks.branch(scene, place, inner)
        case "loop":
            return blocks.loop(scene, place, inner)
        case "assign":
            return blocks.assigned(scene, place)
        case "reduce" if (value := variables.reduce_variable(scene, place)) is not None:
            return place.knowing([value])
        case "update" if variables.update(scene, place):
            return place
        case "objects" if (found := blocks.of_objects(scene, place)) is not None:
            return found
        case _:
            return blocks.local(scene, place)


def _nested(scene: Scene, place: Place, inner: blocks.Statement) -> Place:
    """A `tf.function` within the function, called once or twice."""
    draw, writer, name = scene.draw, scene.writer, scene.writer.name("inner")
    writer.line("@tf.function")
    with writer.block(f"def {name}():", f"tf.function in {place.context}"):
        within = blocks.several(scene, replace(place, compiled=True, depth=1), inner)
        result = replace(_returned(scene, within), uniform=True)
        writer.line(f"return {result.text}")
    called = replace(result, text=writer.name("t"))
    for _ in range(draw.number(1, 2)):
        writer.line(f"{called.text} = {name}()")
    return place.knowing([called])


def step_function(scene: Scene, function: Function, *, compiled: bool) -> str:
    """A function of cross-replica code that runs the function of a replica; the name of the function."""
    draw, writer = scene.draw, scene.writer
    name = writer.name("step")
    if compiled:
        writer.line("@tf.function", "tf.function")
    with writer.block(f"def {name}({', '.join(v.text for v in scene.inputs)}):"):
        place = Place("cross", compiled)
        for _ in range(draw.number(0, 2)):
            place = cross_statement(scene, place, function)
        results = run(scene, place, function)
        place = place.knowing([combined(scene, place, draw.one(results))])
        for _ in range(draw.number(0, 2)):
            place = cross_statement(scene, place, function)
        shown = [v.text for v in place.values if draw.chance(0.7)]
        shown += [_returned(scene, place).text for _ in range(draw.number(1, 2))]
        if draw.chance(0.5):
            shown.append(draw.one(results).text)
            scene.handed_out = True
        writer.line(f"return {', '.join(shown)}" if draw.chance(0.7) else f"return {_mapping(shown)}")
    return name


def _mapping(shown: list[str]) -> str:
    return "{" + ", ".join(f'"{chr(97 + i)}": {text}' for i, text in enumerate(shown)) + "}"
