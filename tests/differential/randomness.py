"""Random generators: shapes, dtypes and what equals what; the numbers are others than TensorFlow's."""

from tests.differential.scene import Place, Scene

_DRAWS = (
    "normal([{n}])",
    "uniform([{n}])",
    "uniform([{n}], 1, 1000000, tf.int32)",
    "truncated_normal([{n}])",
    "normal([{n}], dtype=tf.float64)",
)


def make_generator(scene: Scene) -> None:
    """A line that makes a generator."""
    name = scene.writer.name("g")
    seed = scene.draw.number(1, 99) + 100 * len(scene.generators)
    scene.writer.line(f"{name} = tf.random.Generator.from_seed({seed})", "Generator")
    scene.generators.append(name)


def draw_numbers(scene: Scene, place: Place) -> tuple[str, str]:
    """A line that draws; the name of the numbers, and a word that those share which can be compared."""
    draw, name = scene.draw, scene.writer.name("n")
    way = draw.one(_DRAWS)
    kind = draw.weighted({"generator": 4.0, "stateless": 2.0 * ("int32" not in way), "global": 1.0})
    call = way.format(n=draw.number(2, 4))
    match kind:
        case "generator":
            text = f"{draw.one(scene.generators)}.{call}"
        case "stateless":
            text = f"tf.random.stateless_{call[:-1]}, seed=[{draw.number(1, 2)}, 7])"
        case _:
            text = f"tf.random.{call}"
    scene.writer.line(f"{name} = {text}", f"{kind} numbers in {place.context}")
    return name, text if kind == "stateless" else way


def relations(scene: Scene, drawn: list[tuple[str, str]]) -> list[str]:
    """Expressions over what was drawn that do not depend on the numbers."""
    found = [f"tf.zeros_like({name})" for name, _ in drawn]
    for one, of_one in drawn:
        for other, of_other in drawn:
            if one < other and of_one == of_other:
                found.append(f"tf.reduce_any(tf.equal({one}[:2], {other}[:2]))")
    return found


def of_generators(scene: Scene) -> None:
    """A whole program: numbers drawn in replicas, in cross-replica code and outside."""
    draw, writer = scene.draw, scene.writer
    with writer.block("with strategy.scope():"):
        for _ in range(draw.number(1, 2)):
            make_generator(scene)
    compiled = draw.chance(0.7)
    with writer.block("def replica():"):
        place = Place("replica", compiled)
        drawn = [draw_numbers(scene, place) for _ in range(draw.number(1, 3))]
        writer.line(f"return {', '.join([drawn[0][0], *relations(scene, drawn)])}")
    if compiled:
        writer.line("@tf.function", "tf.function")
    with writer.block("def step():"):
        place = Place("cross", compiled)
        outer = [draw_numbers(scene, place) for _ in range(draw.number(0, 2))]
        writer.line("r = strategy.run(replica)")
        outer += [draw_numbers(scene, place) for _ in range(draw.number(0, 1))]
        writer.line(f"return r, [{', '.join(relations(scene, outer))}]")
    _outside(scene)


def _outside(scene: Scene) -> None:
    draw, writer, place = scene.draw, scene.writer, Place("outside", compiled=False)
    steps = []
    for _ in range(draw.number(2, 3)):
        steps.append(writer.name("s"))
        writer.line(f"{steps[-1]} = strategy.experimental_local_results(step())")
        writer.line(f"show([(part[0][1:], part[1]) for part in {steps[-1]}])")
        match draw.number(0, 5):
            case 0:
                name, _ = draw_numbers(scene, place)
                writer.line(f"show(tf.zeros_like({name}))")
            case 1:
                writer.line(f"{draw.one(scene.generators)}.reset_from_seed({draw.number(1, 3)})", "reset_from_seed")
    first = steps[0]
    writer.line(f"show([bool(tf.reduce_all({first}[0][0][0] == part[0][0])) for part in {first}])")
    for step in steps[1:]:
        writer.line(f"show([bool(tf.reduce_all(a[0][0] == b[0][0])) for a, b in zip({first}, {step})])")
