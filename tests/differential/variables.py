"""Statements about variables: made, assigned, reduced and handed about."""

from tests.differential.expressions import constant, expression, known, literal, note, readable
from tests.differential.scene import ADDED, FLOATS, SIGNED, UNSIGNED, Place, Scene, Value, Variable

_SYNCHRONIZATIONS = {"ON_READ": 0.5, "AUTO": 0.35, "ON_WRITE": 0.15}
_AGGREGATIONS = {"SUM": 0.35, "MEAN": 0.3, "ONLY_FIRST_REPLICA": 0.2, "NONE": 0.15}


def make_variable(scene: Scene, dtype: str | None = None) -> Variable:
    """A line that makes a variable."""
    draw = scene.draw
    dtype = dtype or scene.dtype()
    aggregations = dict(_AGGREGATIONS)
    if dtype not in FLOATS:
        aggregations["MEAN"] = 0.01  # refused
    if scene.strategy == "two_processes":
        aggregations["ONLY_FIRST_REPLICA"] = 0.01  # every worker's first one, in TensorFlow
    synchronization = draw.weighted(_SYNCHRONIZATIONS)
    aggregation = draw.weighted(aggregations)
    if (synchronization, aggregation) == ("ON_READ", "NONE") and draw.chance(0.5):
        aggregation = "SUM"
    if dtype == "bool" and aggregation in ("SUM", "MEAN"):
        aggregation = "ONLY_FIRST_REPLICA"  # TensorFlow cannot add truth values up
    variable = Variable(
        scene.writer.name("v"), synchronization, aggregation, dtype, draw.weighted({None: 0.65, 2: 0.35})
    )
    if aggregation == "MEAN" and dtype not in FLOATS:
        scene.writer.features.add(f"MEAN of {dtype}")
    arguments = [literal(scene, dtype, variable.shape), f"dtype=tf.{dtype}"]
    if synchronization != "AUTO" or draw.chance(0.2):
        arguments.append(f"synchronization=tf.VariableSynchronization.{synchronization}")
    if aggregation != "NONE" or draw.chance(0.2):
        arguments.append(f"aggregation=tf.VariableAggregation.{aggregation}")
    if draw.chance(0.3):
        arguments.append("trainable=False")
    scene.writer.line(f"{variable.name} = tf.Variable({', '.join(arguments)})")
    scene.variables.append(variable)
    return variable


def make_input(scene: Scene, dtype: str, shape: int | None) -> Value:
    """A line that makes a value for every replica, each another one."""
    name = scene.writer.name("x")
    values = ", ".join(literal(scene, dtype, shape) for _ in range(max(scene.replicas, 1)))
    made = f"lambda context: tf.constant([{values}][context.replica_id_in_sync_group], tf.{dtype})"
    scene.writer.line(f"{name} = strategy.experimental_distribute_values_from_function({made})")
    value = Value(name, dtype, shape, uniform=False)
    scene.inputs.append(value)
    return value


def make_batches(scene: Scene, dtype: str, shape: int | None) -> None:
    """A line that makes a distributed dataset; its last batch may be short, also so that a replica has no rows."""
    draw, writer = scene.draw, scene.writer
    rows, batch = draw.number(scene.replicas, 3 * scene.replicas + 1), scene.replicas * draw.number(1, 2)
    values = ", ".join(literal(scene, dtype, shape) for _ in range(rows))
    made = f"tf.data.Dataset.from_tensor_slices(tf.constant([{values}], tf.{dtype})).batch({batch})"
    scene.batches = writer.name("data")
    writer.line(f"{scene.batches} = strategy.experimental_distribute_dataset({made})", "dataset")
    scene.inputs.append(Value(writer.name("x"), dtype, shape, uniform=False))


def make_settings(scene: Scene, dtype: str) -> None:
    """Lines that make an object or a dictionary of the user's, of which code in a step reads a number."""
    number = literal(scene, dtype, None)
    if scene.draw.chance(0.5):
        with scene.writer.block("class Settings:", "attribute"):
            scene.writer.line(f"k = {number}")
        scene.writer.line("settings = Settings()")
        text = "settings.k"
    else:
        scene.writer.line(f'settings = {{"k": {number}}}', "dictionary")
        text = 'settings["k"]'
    scene.settings.append(Value(f"tf.constant({text}, tf.{dtype})", dtype, None))


def differing(scene: Scene, place: Place, dtype: str, shape: int | None) -> str:
    """An expression that is another one on every replica."""
    names = known(scene, place, dtype, shape, uniform=False)
    uniform = set(known(scene, place, dtype, shape, uniform=True))
    own = [name for name in names if name not in uniform]
    if own:
        return scene.draw.one(own)
    identity = "tf.distribute.get_replica_context().replica_id_in_sync_group"
    if dtype == "bool":
        return f"tf.equal({identity}, {scene.draw.number(0, 1)})" if shape is None else f"tf.fill([2], {identity} < 1)"
    scalar = f"tf.cast({identity}, tf.{dtype})"
    return f"({scalar} + {constant(scene, dtype, shape)})"


def assign(scene: Scene, place: Place) -> bool:
    """A line that assigns a variable; False if none can be assigned here."""
    choices = [v for v in scene.variables if _assignable(scene, place, v)]
    if not choices:
        return False
    variable = scene.draw.one(choices)
    value = _new_value(scene, place, variable)
    operations = {"assign": 2.0, "assign_add": 3.0, "assign_sub": 1.0}
    summed = place.context != "replica" and (variable.synchronization, variable.aggregation) == ("ON_READ", "SUM")
    if variable.dtype == "bool" or (summed and not scene.draw.chance(0.05)):
        operations = {"assign": 1.0}
    operation = scene.draw.weighted(operations)
    note(scene, place, variable, operation)
    if summed and operation != "assign":
        scene.writer.features.add("added to a sum of all replicas")
    call = f"{variable.name}.{operation}({value})"
    if place.context != "outside" and scene.draw.chance(0.2):
        name = scene.writer.name("t")
        call = f"{name} = tf.identity({call})" if scene.draw.chance(0.5) else call
    scene.writer.line(call)
    return True


def _assignable(scene: Scene, place: Place, variable: Variable) -> bool:
    """Whether this makes sense here; TensorFlow aggregates nothing within a branch or a loop of a replica."""
    if place.context != "replica":
        return (variable.synchronization, variable.aggregation) != ("ON_READ", "NONE") or scene.draw.chance(0.03)
    return variable.synchronization == "ON_READ" or variable.aggregation == "NONE" or not place.control


def _new_value(scene: Scene, place: Place, variable: Variable) -> str:
    dtype, shape = variable.dtype, variable.shape
    if place.context != "replica":
        return _for_all(scene, place, variable)
    if variable.synchronization == "ON_READ":
        return expression(scene, place, dtype, shape)
    if variable.aggregation == "NONE":
        uniform = not scene.draw.chance(0.03)
        if place.control or not uniform:  # a branch may be one replica's alone
            scene.writer.features.add("a copy assigned what may differ")
        return expression(scene, place, dtype, shape, uniform=uniform)
    scene.writer.features.update((f"mirrored {variable.aggregation} assigned in replica",))
    own = differing(scene, place, dtype, shape)
    if dtype == "bool" or scene.draw.chance(0.5):
        return own
    return f"{own} + {expression(scene, place, dtype, shape, depth=1)}"


def _for_all(scene: Scene, place: Place, variable: Variable) -> str:
    """What cross-replica code assigns to a variable; a sum of whole numbers is mostly one that can be divided."""
    value = expression(scene, place, variable.dtype, variable.shape)
    if variable.synchronization != "ON_READ":
        if value in {v.name for v in scene.variables if v.synchronization == "ON_READ"}:
            scene.writer.features.add("a variable assigned copy by copy")
        return value
    if value.isidentifier():  # a variable that is read when it is synchronized: TensorFlow would take it copy by copy
        if scene.draw.chance(0.1):
            scene.writer.features.add("a variable assigned copy by copy")
        else:
            value = f"tf.identity({value})"
    whole = variable.dtype in (*SIGNED, *UNSIGNED) and variable.aggregation == "SUM" and scene.replicas > 1
    if whole and scene.draw.chance(0.95):
        return f"{value} * {scene.replicas}"
    scene.writer.features.update(("a whole number divided",) if whole else ())
    return value


def collective(scene: Scene, place: Place) -> Value:
    """A line of a replica that adds values of all replicas up."""
    draw = scene.draw
    dtype = draw.one([v.dtype for v in scene.variables if v.dtype in ADDED] or ["float32"])
    operation = draw.one(("SUM", "MEAN")) if dtype in FLOATS else "SUM"
    name, shape = scene.writer.name("t"), draw.one((None, 2))
    value = differing(scene, place, dtype, shape)  # a constant of all replicas lies on no device in TensorFlow
    value = f"{value} * {expression(scene, place, dtype, shape, depth=1)}" if draw.chance(0.5) else value
    context = "tf.distribute.get_replica_context()"
    tensor = (
        "tf.identity" if scene.strategy == "two_processes" else "tf.convert_to_tensor"
    )  # on a device, for TensorFlow
    scene.writer.line(
        f"{name} = {context}.all_reduce(tf.distribute.ReduceOp.{operation}, {tensor}({value}))",
        "all_reduce",
        f"all_reduce {dtype}",
    )
    return Value(name, dtype, shape)


def merge(scene: Scene, place: Place) -> Value | None:
    """A line of a replica that hands a value to cross-replica code."""
    choices = [v for v in scene.variables if v.dtype in ADDED]
    if not choices or scene.replicas == 1 or scene.strategy == "two_processes":
        return None
    variable = scene.draw.one(choices)
    name = scene.writer.name("t")
    value = differing(scene, place, variable.dtype, variable.shape)
    operation = "MEAN" if variable.dtype in FLOATS and scene.draw.chance(0.5) else "SUM"
    reduced = f"s.reduce(tf.distribute.ReduceOp.{operation}, y, axis=None)"
    scene.writer.line(
        f"{name} = tf.distribute.get_replica_context().merge_call(lambda s, y: {reduced}, args=({value},))",
        "merge_call",
    )
    return Value(name, variable.dtype, variable.shape)


def reduce_variable(scene: Scene, place: Place) -> Value | None:
    """A line of cross-replica code that reduces a variable as `PerReplica` values are reduced."""
    choices = [
        v
        for v in readable(scene, place, uniform=False)
        if v.dtype in ADDED and (v.synchronization == "ON_READ" or v.dtype in FLOATS)
    ]
    if not choices:
        return None
    variable = scene.draw.one(choices)
    operation = "MEAN" if variable.dtype in FLOATS and scene.draw.chance(0.5) else "SUM"
    if variable.synchronization != "ON_READ":
        operation = "MEAN"  # TensorFlow cannot add copies up
    note(scene, place, variable, "reduce")
    name = scene.writer.name("t")
    # `identity`: what TensorFlow gives for a mirrored variable is the variable, with the value of later
    reduced = f"strategy.reduce(tf.distribute.ReduceOp.{operation}, {variable.name}, axis=None)"
    scene.writer.line(f"{name} = tf.identity({reduced})")
    return Value(name, variable.dtype, variable.shape)


def update(scene: Scene, place: Place) -> bool:
    """A line of cross-replica code that updates every copy of a variable by a function."""
    choices = [v for v in scene.variables if v.synchronization != "ON_READ" and v.dtype != "bool"]
    if not choices:
        return False
    variable = scene.draw.one(choices)
    value = expression(scene, place, variable.dtype, variable.shape, depth=1)
    note(scene, place, variable, "update")
    method = scene.draw.one(("assign", "assign_add"))
    scene.writer.line(f"strategy.extended.update({variable.name}, lambda v, y: v.{method}(y), args=({value},))")
    return True


def differentiable(scene: Scene, place: Place) -> list[str]:
    """Scalars and vectors by which a polynomial can be differentiated here."""
    named = [v.text for v in place.values if v.dtype in ("float32", "float64") and v.shape in (None, 2)]
    return named + [v.name for v in scene.variables if v.dtype in ("float32", "float64")]


def gradient(scene: Scene, place: Place) -> Value:
    """Lines that differentiate a polynomial."""
    draw, writer = scene.draw, scene.writer
    source = draw.one(differentiable(scene, place))
    kinds = {v.text: (v.dtype, v.shape) for v in place.values} | {v.name: (v.dtype, v.shape) for v in scene.variables}
    dtype, shape = kinds[source]
    factor = known(scene, place, dtype, shape, uniform=False)
    factor.append(constant(scene, dtype, shape))
    name = writer.name("t")
    with writer.block(f"with tf.GradientTape(persistent={draw.chance(0.2)}) as tape:", f"gradient in {place.context}"):
        writer.line(f"tape.watch({source})")
        if draw.chance(0.5):
            writer.line(f"{name} = {source} * {draw.one(factor)} + tf.square({source})")
        else:
            writer.line(f"{name} = tf.reduce_sum({source} * {source} * {draw.one(factor)}) - {source}")
    writer.line(f"{name} = tf.identity(tape.gradient({name}, {source}))")
    return Value(name, dtype, shape, uniform=False)
