"""Statements about optimizers: made, applied, and their numbers read and changed."""

from tests.differential.drawing import Draw
from tests.differential.scene import Place, Scene, Value, Variable

_OPTIMIZERS = {
    "SGD": (0.25, ("", "momentum=0.5", "momentum=0.5, nesterov=True")),
    "Adam": (0.2, ("", "amsgrad=True", "beta_1=0.5, epsilon=0.125")),
    "RMSprop": (0.1, ("", "momentum=0.5", "centered=True", "rho=0.5")),
    "Adagrad": (0.08, ("", "initial_accumulator_value=0.5")),
    "Adadelta": (0.05, ("",)),
    "Adamax": (0.07, ("",)),
    "Nadam": (0.07, ("",)),
    "Ftrl": (0.06, ("", "l2_regularization_strength=0.125")),
    "AdamW": (0.06, ("weight_decay=0.125",)),
    "Adafactor": (0.03, ("",)),
    "Lion": (0.03, ("",)),
}
_COMMON = {
    "": 0.6,
    "clipnorm=0.5": 0.08,
    "clipvalue=0.25": 0.08,
    "global_clipnorm=0.5": 0.08,
    "weight_decay=0.0625": 0.08,
    "use_ema=True, ema_momentum=0.5": 0.05,
    "use_ema=True, ema_momentum=0.5, ema_overwrite_frequency=2": 0.03,
}
_RATES = ("0.5", "0.25", "0.125")
_SCHEDULES = (
    "tf.keras.optimizers.schedules.ExponentialDecay(0.5, 1, 0.5)",
    "tf.keras.optimizers.schedules.PiecewiseConstantDecay([1], [0.5, 0.25])",
    "tf.keras.optimizers.schedules.PolynomialDecay(0.5, 4)",
)


def make_trained(scene: Scene) -> None:
    """Lines that make one or two variables and their optimizer."""
    draw, writer = scene.draw, scene.writer
    for _ in range(draw.number(1, 2)):
        name, shape = writer.name("w"), draw.one((None, 2))
        value = draw.one(("1.0", "-0.5", "2.0")) if shape is None else f"[{draw.one(('1.0', '0.5'))}, -2.0]"
        writer.line(f"{name} = tf.Variable({value})")
        scene.trained.append(Variable(name, "AUTO", "NONE", "float32", shape))
    kind, common, scheduled, text = optimizer(draw)
    name = writer.name("o")
    writer.line(f"{name} = {text}", "optimizer", kind, common)
    scene.optimizers.append((name, scheduled))


def optimizer(draw: Draw) -> tuple[str, str, bool, str]:
    """An optimizer: its class, what it does to all gradients or weights, whether its rate is a schedule, and how it is made."""
    kind = draw.weighted({name: share for name, (share, _) in _OPTIMIZERS.items()})
    scheduled = draw.chance(0.2)
    rate = draw.one(_SCHEDULES if scheduled else _RATES)
    common = draw.weighted(_COMMON)
    own = draw.one(_OPTIMIZERS[kind][1])
    common = "" if "weight_decay" in own and "weight_decay" in common else common
    arguments = [f"learning_rate={rate}", *filter(None, (own, common))]
    return kind, common, scheduled, f"tf.keras.optimizers.{kind}({', '.join(arguments)})"


def apply(scene: Scene, place: Place) -> Value:
    """Lines of a replica that train: the loss is a polynomial of the variables and of what the replica has."""
    draw, writer = scene.draw, scene.writer
    own = [v.text for v in place.values if v.dtype == "float32" and not v.uniform and v.shape in (None, 2)]
    optimizer, _ = draw.one(scene.optimizers)
    variables = scene.trained if draw.chance(0.8) else scene.trained[:1]
    loss, gradients = writer.name("t"), writer.name("g")
    terms = [f"tf.reduce_sum({_term(scene, v)} * {draw.one(own or ['1.0'])})" for v in variables]
    with writer.block("with tf.GradientTape() as tape:", "GradientTape"):
        writer.line(f"{loss} = {' + '.join(terms)}")
    names = ", ".join(v.name for v in variables)
    writer.line(f"{gradients} = tape.gradient({loss}, [{names}])")
    way = "{o}.apply_gradients(zip({g}, [{n}]))" if draw.chance(0.9) else "{o}.apply_gradients([*zip({g}, [{n}])])"
    writer.line(way.format(o=optimizer, g=gradients, n=names), f"apply_gradients in {place.context}")
    return Value(loss, "float32", None, uniform=False)


def _term(scene: Scene, variable: Variable) -> str:
    return scene.draw.one(("{0}", "tf.square({0})", "({0} - 0.5) * {0}", "tf.square({0} - 1.0)")).format(variable.name)


def read(scene: Scene, place: Place) -> Value:
    """A line that reads something of an optimizer."""
    optimizer, scheduled = scene.draw.one(scene.optimizers)
    name = scene.writer.name("t")
    ways = ["tf.cast({o}.iterations, tf.float32)"]
    ways += [] if scheduled else ["tf.identity({o}.learning_rate)", "{o}.learning_rate * 2.0"]
    scene.writer.line(f"{name} = {scene.draw.one(ways).format(o=optimizer)}", f"optimizer read in {place.context}")
    return Value(name, "float32", None)


def change(scene: Scene, place: Place) -> None:
    """A line that changes the learning rate."""
    optimizer, scheduled = scene.draw.one(scene.optimizers)
    if scheduled:
        return
    rate = scene.draw.one(("0.0625", "0.75"))
    way = (
        "{o}.learning_rate.assign({r})"
        if place.context != "outside" or scene.draw.chance(0.5)
        else "{o}.learning_rate = {r}"
    )
    scene.writer.line(way.format(o=optimizer, r=rate), f"learning rate changed in {place.context}")


def look(scene: Scene) -> None:
    """Lines that show what has become of the variables and the optimizer's numbers."""
    for variable in scene.trained:
        scene.writer.line(f"show({variable.name}.read_value())")
    for name, scheduled in scene.optimizers:
        scene.writer.line(f"show({name}.iterations.numpy())")
        if not scheduled:
            scene.writer.line(f"show({name}.learning_rate.numpy())")
