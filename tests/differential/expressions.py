"""Expressions: constants, names, variables read in every way, arithmetic, casts, branches and loops that give a value."""

from tests.differential.scene import FLOATS, SIGNED, UNSIGNED, Place, Scene, Value, Variable

ORDERED = (*FLOATS, *SIGNED, *UNSIGNED)
_NUMBERS = {
    **dict.fromkeys(FLOATS, ("0.5", "1.0", "1.5", "2.0", "-1.0", "3.0", "0.25", "-2.5", "4.0")),
    **dict.fromkeys(SIGNED, ("1", "2", "3", "-1", "5", "-2", "0", "4")),
    **dict.fromkeys(UNSIGNED, ("1", "2", "3", "5", "0", "4", "7")),
    "bool": ("True", "False"),
    "complex64": ("1 + 2j", "0.5 - 1j", "2j", "-1.5 + 0j"),
}
_BINARY = {
    **dict.fromkeys(FLOATS, ("{} + {}", "{} - {}", "{} * {}", "tf.maximum({}, {})", "tf.add({}, {})")),
    **dict.fromkeys(SIGNED, ("{} + {}", "{} - {}", "{} * {}", "tf.add({}, {})")),
    **dict.fromkeys(UNSIGNED, ("{} + {}", "{} - {}", "tf.add({}, {})")),
    "bool": (
        "{} & {}",
        "{} | {}",
        "{} ^ {}",
        "tf.logical_and({}, {})",
        "tf.logical_or({}, {})",
        "{} == {}",
        "{} != {}",
    ),
    "complex64": ("{} + {}", "{} - {}", "{} * {}"),
}
_UNARY = {
    **dict.fromkeys(FLOATS, ("-{}", "tf.square({})", "abs({})", "tf.nn.relu({})", "tf.negative({})")),
    **dict.fromkeys(SIGNED, ("-{}", "tf.square({})", "abs({})")),
    "bool": ("~{}", "tf.logical_not({})"),
    "complex64": ("-{}", "tf.math.conj({})"),
}
_READ = {"{}": 3.0, "{}.read_value()": 3.0, "tf.identity({})": 2.0, "tf.convert_to_tensor({})": 1.0, "{}.value()": 0.1}
_IN_NUMPY = "tf.constant({}.numpy(), tf.{})"  # by itself it would follow NumPy's rules, which depend on its version
_LESS = ("{} < {}", "{} > {}", "{} <= {}", "tf.greater({}, {})", "{} == {}", "{} != {}", "tf.equal({}, {})")


def literal(scene: Scene, dtype: str, shape: int | None) -> str:
    """Python numbers of this dtype and shape."""
    numbers = _NUMBERS[dtype]
    if shape is None:
        return scene.draw.one(numbers)
    return "[" + ", ".join(scene.draw.one(numbers) for _ in range(shape)) + "]"


def constant(scene: Scene, dtype: str, shape: int | None) -> str:
    """A constant tensor."""
    return f"tf.constant({literal(scene, dtype, shape)}, tf.{dtype})"


def known(scene: Scene, place: Place, dtype: str, shape: int | None, *, uniform: bool) -> list[str]:
    """What has a name at this place, has this dtype and shape, and is the same on all replicas if that is asked for."""
    named = [v for v in place.values if (v.dtype, v.shape) == (dtype, shape) and (v.uniform or not uniform)]
    return [value.text for value in named]


def readable(scene: Scene, place: Place, *, uniform: bool) -> list[Variable]:
    """Variables whose value may be used here."""
    inside = place.context == "replica"
    return [
        v
        for v in scene.variables
        if not (inside and uniform and v.synchronization == "ON_READ")
        and not (
            not inside and (v.synchronization, v.aggregation) == ("ON_READ", "NONE") and not scene.draw.chance(0.03)
        )
    ]


def read(scene: Scene, place: Place, variable: Variable) -> str:
    """One way to read a variable at this place."""
    numpy = place.context == "outside" and variable.dtype != "bool"
    way = scene.draw.weighted(_READ | {_IN_NUMPY: 1.0 * numpy})
    note(scene, place, variable, "read")
    return way.format(variable.name, variable.dtype)


def note(scene: Scene, place: Place, variable: Variable, operation: str) -> None:
    """Remember what happened to which kind of variable where."""
    inside = "loop or branch of " if place.control else ""
    kind = f"{variable.synchronization}/{variable.aggregation}"
    if kind == "ON_READ/NONE" and place.context != "replica":
        scene.writer.features.add("replicas' own values used for all")
    compiled = "compiled" if place.compiled else "eager"
    scene.writer.features.update(
        (kind, variable.dtype, f"{kind} {operation} in {inside}{place.context}", f"{place.context} {compiled}")
    )


def expression(
    scene: Scene, place: Place, dtype: str, shape: int | None, *, uniform: bool = False, depth: int = 2
) -> str:
    """Some expression of this dtype and shape."""
    draw = scene.draw
    variables = [v for v in readable(scene, place, uniform=uniform) if (v.dtype, v.shape) == (dtype, shape)]
    names = known(scene, place, dtype, shape, uniform=uniform)
    kinds = {"constant": 1.0, "name": 4.0 * bool(names), "variable": 4.0 * bool(variables)}
    if depth:
        kinds |= {"binary": 4.0, "unary": 1.0 * (dtype in _UNARY), "cast": 1.0, "fold": 0.7 * (shape is None)}
        kinds |= {"compare": 3.0 * (dtype == "bool"), "choose": 0.6, "repeat": 0.4, "spread": 0.6 * (shape is not None)}
    match draw.weighted(kinds):
        case "name":
            return draw.one(names)
        case "variable":
            return read(scene, place, draw.one(variables))
        case "constant":
            return constant(scene, dtype, shape)
        case kind:
            return _composed(scene, place, kind, Value("", dtype, shape, uniform), depth - 1)


def _composed(scene: Scene, place: Place, kind: str, wanted: Value, depth: int) -> str:
    """An expression of other expressions."""
    draw, dtype, shape = scene.draw, wanted.dtype, wanted.shape

    def part(dtype: str, shape: int | None) -> str:
        return expression(scene, place, dtype, shape, uniform=wanted.uniform, depth=depth)

    match kind:
        case "binary":
            other = constant(scene, dtype, shape) if draw.chance(0.3) else part(dtype, shape)
            if dtype not in ("bool", "complex64") and draw.chance(0.3):
                other = literal(scene, dtype, None)
            return f"({draw.one(_BINARY[dtype]).format(part(dtype, shape), other)})"
        case "unary":
            return f"({draw.one(_UNARY[dtype]).format(part(dtype, shape))})"
        case "compare":
            kind = draw.one([v.dtype for v in scene.variables if v.dtype in ORDERED] or ["int32"])
            return f"({draw.one(_LESS).format(part(kind, shape), part(kind, shape))})"
        case "fold":
            return _folded(scene, dtype, part(dtype, 2))
        case "spread":
            return f"tf.stack([{', '.join(part(dtype, None) for _ in range(shape or 1))}])"
        case "cast":
            return _cast(scene, dtype, part, shape)
        case "choose":
            return _chosen(scene, part, dtype, shape)
        case _:
            return _repeated(scene, part, dtype, shape)


def _folded(scene: Scene, dtype: str, whole: str) -> str:
    if dtype == "bool":
        return f"tf.reduce_{scene.draw.one(('any', 'all'))}({whole})"
    ways = ("tf.reduce_sum({})", "{}[0]", "tf.add_n(tf.unstack({}))")
    return scene.draw.one(ways if dtype not in ("uint16", "uint32", "uint64") else ways[1:2]).format(whole)


def _cast(scene: Scene, dtype: str, part, shape: int | None) -> str:  # type: ignore[no-untyped-def]
    sources = [v.dtype for v in scene.variables if v.dtype != "complex64"] or ["int32"]
    source = scene.draw.one(sources)
    unsigned = dtype in UNSIGNED and source not in UNSIGNED  # what a negative number becomes is not defined
    return constant(scene, dtype, shape) if unsigned else f"tf.cast({part(source, shape)}, tf.{dtype})"


def _chosen(scene: Scene, part, dtype: str, shape: int | None) -> str:  # type: ignore[no-untyped-def]
    condition, one, other = f"tf.identity({part('bool', None)})", part(dtype, shape), part(dtype, shape)
    scene.writer.features.add("choice")
    match scene.draw.number(0, 3):
        case 0:
            return f"tf.where({condition}, {one}, {other})"
        case 1:
            return (
                f"tf.switch_case(tf.cast({condition}, tf.int32), [lambda: {one} + 0, lambda: {other} + 0])"
                if (dtype not in ("bool", "complex64"))
                else f"tf.where({condition}, {one}, {other})"
            )
        case 2:
            return f"tf.case([({condition}, lambda: tf.identity({one}))], default=lambda: tf.identity({other}))"
        case _:
            return f"tf.cond({condition}, lambda: tf.identity({one}), lambda: tf.identity({other}))"


def _repeated(scene: Scene, part, dtype: str, shape: int | None) -> str:  # type: ignore[no-untyped-def]
    scene.writer.features.add("while_loop")
    if dtype in ("bool", "complex64"):
        return part(dtype, shape)
    start, more = part(dtype, shape), part(dtype, shape)
    body = f"lambda i, t: (i + 1, t + {more})"
    return f"tf.while_loop(lambda i, t: i < {scene.draw.number(0, 3)}, {body}, (0, tf.identity({start})))[1]"
