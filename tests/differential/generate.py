"""Programs from a grammar: the program of a seed and an index is always the same."""

from tests.differential import blocks, metrics, optimizers, randomness, steps, variables
from tests.differential.drawing import Draw
from tests.differential.expressions import expression
from tests.differential.program import STRATEGIES, Program
from tests.differential.scene import Place, Scene


def generate(seed: int, index: int) -> Program:
    """Program `index` of this seed."""
    draw = Draw(f"{seed}/{index}")
    strategy = draw.weighted({name: share for name, (_, _, share) in STRATEGIES.items()})
    scene = Scene(draw, strategy)
    scene.writer.features.add(strategy)
    kinds = {"variables": 0.56, "metrics": 0.22, "optimizers": 0.14, "generators": 0.08}
    match draw.weighted(kinds):
        case "generators":
            randomness.of_generators(scene)
        case kind:
            _of_objects(scene, kind)
    return Program(seed, index, strategy, scene.writer.text, frozenset(scene.writer.features))


def _of_objects(scene: Scene, kind: str) -> None:
    """Variables of every kind, read and assigned at every place; metrics or optimizers among them."""
    draw, writer = scene.draw, scene.writer
    with writer.block("with strategy.scope():"):
        if kind == "metrics":
            for _ in range(draw.weighted({1: 0.7, 2: 0.3})):
                metrics.make_metric(scene)
        if kind == "optimizers":
            optimizers.make_trained(scene)
        several = {1: 0.5, 2: 0.4, 3: 0.1} if kind == "variables" else {0: 0.6, 1: 0.4}
        for _ in range(draw.weighted(several)):
            first = scene.variables[0].dtype if scene.variables else None
            variables.make_variable(scene, first if draw.chance(0.6) else None)
    first_shape = scene.variables[0].shape if scene.variables else None
    if kind == "metrics":
        metrics.make_labels(scene)
    if kind != "metrics" or draw.chance(0.2):
        of_first = scene.variables[0].dtype if scene.variables and kind == "variables" else "float32"
        batches = kind != "metrics" and of_first in variables.ADDED and draw.chance(0.15)
        many = batches and scene.strategy != "two_processes"  # how rows are dealt out to workers is TensorFlow's own
        (variables.make_batches if many else variables.make_input)(scene, of_first, first_shape)
    if scene.variables and scene.variables[0].dtype != "bool" and draw.chance(0.1):
        variables.make_settings(scene, scene.variables[0].dtype)
    compiled = draw.chance(0.75)
    function = steps.replica_function(scene, compiled=compiled)
    name = steps.step_function(scene, function, compiled=compiled)
    outside(scene, name, function)


def outside(scene: Scene, step: str, function: steps.Function) -> None:
    """What a program does outside of functions: it calls the step, and looks at what has become of its variables."""
    draw, writer, place = scene.draw, scene.writer, Place("outside", compiled=False)
    arguments = ", ".join(v.text for v in scene.inputs)
    if scene.batches:
        _over_batches(scene, step)
        return _look(scene, place)
    for _ in range(draw.weighted({1: 0.5, 2: 0.4, 3: 0.1})):
        objects = 1.5 * bool(scene.metrics or scene.optimizers)
        kinds: dict[str, float] = {"setting": 1.5 * bool(scene.settings)}
        kinds |= {
            "objects": objects,
            "step": 3.0,
            "run": 0.4,
            "assign": 0.8,
            "local": 0.7,
            "update": 0.08,
            "reduce": 0.2,
        }
        match draw.weighted(kinds):
            case "run":
                results = steps.run(scene, place, function)
                writer.line(f"show(strategy.experimental_local_results({draw.one(results).text}))")
            case "assign":
                place = blocks.assigned(scene, place)
            case "local":
                place = blocks.local(scene, place)
            case "update":
                variables.update(scene, place)
            case "objects" if (found := blocks.of_objects(scene, place)) is not None:
                place = found
            case "setting":
                name = scene.settings[0].text.removeprefix("tf.constant(").partition(",")[0]
                writer.line(f"{name} = {variables.literal(scene, scene.settings[0].dtype, None)}", "setting changed")
            case "reduce" if (value := variables.reduce_variable(scene, place)) is not None:
                writer.line(f"show({value.text})")
            case _:
                _call(scene, f"{step}({arguments})")
    _call(scene, f"{step}({arguments})")
    return _look(scene, place)


def _call(scene: Scene, call: str) -> None:
    """A line that shows what the step returns."""
    scene.writer.line(f"show(strategy.experimental_local_results({call}))" if scene.handed_out else f"show({call})")


def _over_batches(scene: Scene, step: str) -> None:
    """Lines that call the step with every batch."""
    draw, writer = scene.draw, scene.writer
    rest = "".join(f", {v.text}" for v in scene.inputs[1:])
    for _ in range(draw.number(1, 2)):
        if draw.chance(0.25):
            writer.line(f"iterator = iter({scene.batches})", "next")
            _call(scene, f"{step}(next(iterator){rest})")
            continue
        with writer.block(f"for batch in {scene.batches}:", "for batch in dataset"):
            _call(scene, f"{step}(batch{rest})")


def _look(scene: Scene, place: Place) -> None:
    """Lines that show what has become of everything."""
    draw, writer = scene.draw, scene.writer
    for variable in scene.variables:
        own = (variable.synchronization, variable.aggregation) == ("ON_READ", "NONE")
        if not own or draw.chance(0.05):
            writer.features.update(("replicas' own values used for all",) if own else ())
            writer.line(f"show({variable.name}.read_value())")
            if draw.chance(0.2):
                writer.line(f"show({variable.name}.numpy())")
        writer.line(f"show(strategy.experimental_local_results({variable.name}))")
    for name, _ in scene.metrics:
        writer.line(f"show({name}.result())")
    optimizers.look(scene)
    writer.line(f"show({expression(scene, place, draw.one(scene.dtypes), draw.one(scene.shapes))})")
