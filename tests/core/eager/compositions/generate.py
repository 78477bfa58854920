"""Programs that differentiate random compositions: the program of an index is always the same."""

import hashlib
import re
from dataclasses import dataclass

from tests.core.eager.compositions.operations import SHAPES, Shape, Value, operation, row_operation
from tests.differential.drawing import Draw
from tests.differential.program import Writer

SEED = 23


@dataclass(frozen=True)
class Program:
    """`text` defines `program` and its `inputs`, with the names `tf`, `main` and `other` (dtypes).

    decides: Python decides on values, so that it runs only eagerly. mixed: it computes with both dtypes.
    """

    index: int
    main: str
    text: str
    decides: bool

    @property
    def digest(self) -> str:
        """Eight letters that another text does not share."""
        return hashlib.sha256(self.text.encode()).hexdigest()[:8]

    @property
    def mixed(self) -> bool:
        """Whether some of it is computed in another dtype."""
        return "other" in self.text


@dataclass
class Scope:
    """What a function under construction can use, the latest last."""

    values: list[Value]


class Composer:
    """Writes one program."""

    def __init__(self, draw: Draw) -> None:
        self.draw, self.writer = draw, Writer()
        self.variables: list[Value] = []
        self.functions: list[tuple[str, list[Shape], list[Shape]]] = []
        self.layers: list[str] = []
        self.decides = False

    # --- Values -------------------------------------------------------------------------------------------------------

    def numbers(self, shape: Shape) -> str:
        """Random numbers, no two of which are equal."""
        if not shape:
            return f"{self.draw.number(-1200, 1200) / 1000 + 0.00037:.5f}"
        return "[" + ", ".join(self.numbers(shape[1:]) for _ in range(shape[0])) + "]"

    def constant(self, shape: Shape) -> str:
        """A constant tensor of random numbers."""
        return f"tf.constant({self.numbers(shape)}, main)"

    def name(self, prefix: str, text: str, shape: Shape, tied: bool = False) -> Value:
        """Gives a name to an expression."""
        value = Value(self.writer.name(prefix), shape, tied)
        self.writer.line(f"{value.text} = {text}")
        return value

    def compute(self, scope: Scope, steps: int, *, rows: bool = False) -> None:
        """Computes several values from those of the scope, mostly from the latest."""

        def operand(condition) -> Value | None:  # type: ignore[no-untyped-def]
            fit = [v for v in scope.values if condition(v)]
            if not fit:
                return None
            if self.draw.chance(0.6):
                return fit[-1]
            return self.draw.one(fit)

        made = tries = 0
        while made < steps and tries < 40:
            tries += 1
            found = (row_operation if rows else operation)(self.draw, operand)
            if not rows and self.functions and self.draw.chance(0.35):
                found = self._call(operand) or found
            if not rows and self.layers and self.draw.chance(0.3):
                x = operand(lambda v: v.shape == (2, 3))
                found = Value(f"{self.draw.one(self.layers)}({x.text})", (2, 3), True) if x else found
            if found is not None:
                made += 1
                scope.values.append(self.name("t", found.text, found.shape, found.tied))

    def _call(self, operand) -> Value | None:  # type: ignore[no-untyped-def]
        name, shapes, made = self.draw.one(self.functions)
        operands = [operand(lambda v, shape=shape: v.shape == shape) for shape in shapes]
        if any(x is None for x in operands):
            return None
        call = f"{name}({', '.join(x.text for x in operands)})"
        if len(made) == 1:
            return Value(call, made[0], True)
        which = self.draw.number(0, 1)
        return Value(f"{call}[{which}]", made[which], True)

    # --- The parts of a program ---------------------------------------------------------------------------------------

    def prepare(self) -> list[Value]:
        """Makes variables, layers, functions and inputs; returns the inputs."""
        draw = self.draw
        for _ in range(draw.weighted({0: 0.2, 1: 0.4, 2: 0.4})):
            shape = draw.one(SHAPES)
            trainable = "" if draw.chance(0.85) else ", trainable=False"
            text = f"tf.Variable({self.numbers(shape)}, dtype=main{trainable})"
            self.variables.append(self.name("v", text, shape))
        if draw.chance(0.12):
            self._layer()
        for _ in range(draw.weighted({0: 0.6, 1: 0.3, 2: 0.1})):
            self._function()
        return [Value(f"x{i}", draw.one(SHAPES)) for i in range(draw.number(1, 3))]

    def _layer(self) -> None:
        draw, writer = self.draw, self.writer
        name, activation = writer.name("layer"), draw.one(("tanh", "sigmoid", "softplus", "swish", "softmax", "gelu"))
        match draw.one(("Dense", "LayerNormalization", "EinsumDense")):
            case "Dense":
                writer.line(f'{name} = tf.keras.layers.Dense(3, activation="{activation}", dtype=main.name)')
            case "LayerNormalization":
                writer.line(f"{name} = tf.keras.layers.LayerNormalization(epsilon=0.0009765625, dtype=main.name)")
            case _:
                made = f'"ab,bc->ac", output_shape=3, activation="{activation}", bias_axes="c", dtype=main.name'
                writer.line(f"{name} = tf.keras.layers.EinsumDense({made})")
        writer.line(f"{name}.build((2, 3))")
        with writer.block(f"for i, weight in enumerate({name}.trainable_variables):"):
            writer.line("filled = tf.range(tf.size(weight).numpy(), dtype=main) / 8.0 - 0.5 + 0.25 * i")
            writer.line("weight.assign(tf.reshape(filled, weight.shape))")
        self.layers.append(name)

    def _function(self) -> None:
        draw, writer = self.draw, self.writer
        shapes = [draw.one(SHAPES) for _ in range(draw.number(1, 2))]
        name = writer.name("f")
        arguments = [Value(writer.name("a"), shape) for shape in shapes]
        writer.line("@tf.function")
        with writer.block(f"def {name}({', '.join(a.text for a in arguments)}):"):
            scope = Scope([*self.variables, *arguments])
            self.compute(scope, draw.number(1, 4))
            last, other = scope.values[-1], draw.one(scope.values)
            several = draw.chance(0.3)
            writer.line(f"return {last.text}, {other.text}" if several else f"return {last.text}")
        self.functions.append((name, shapes, [last.shape, other.shape] if several else [last.shape]))

    def decide(self, scope: Scope) -> None:
        """Lets Python decide on a value."""
        x = self.draw.one(scope.values)
        t = self.name("t", f"tf.reduce_sum({x.text})", ())
        if self.draw.chance(0.5):
            with self.writer.block(f"if float({t.text}) > 0.125:"):
                self.writer.line(f"{t.text} = tf.sin({t.text}) * {t.text}")
        else:
            with self.writer.block(f"for i in range(int(abs({t.text}) * 2) % 3 + 1):"):
                self.writer.line(f"{t.text} = {t.text} * 0.5 + tf.cos({t.text})")
        scope.values.append(t)
        self.decides = True

    def scalar(self, value: Value) -> Value:
        """A number that every element of a value counts in."""
        if not value.shape:
            return value
        way = self.draw.one(("tf.reduce_sum({})", "tf.reduce_mean({})", "tf.reduce_sum(tf.square({}))"))
        return self.name("t", way.format(value.text), (), True)

    def watch(self, tape: str, watched: list[Value]) -> None:
        """Watches the inputs, and variables that are not watched by themselves."""
        names = ", ".join(v.text for v in watched)
        if self.draw.chance(0.5) and len(watched) > 1:
            self.writer.line(f"{tape}.watch([{names}])")
        else:
            for value in watched:
                self.writer.line(f"{tape}.watch({value.text})")

    def tape(self, *, persistent: bool = False) -> str:
        """The arguments of a tape."""
        parts = ["persistent=True"] * persistent
        return f"tf.GradientTape({', '.join(parts)})"

    def sources(self, scope: Scope, inputs: list[Value]) -> tuple[str, list[Value]]:
        """A structure of sources, and its leaves."""
        draw = self.draw
        smooth = [v for v in scope.values if not v.tied]  # what follows a cut has a gradient of its own in TensorFlow
        pool = [*inputs, *self.variables] + ([draw.one(smooth)] if draw.chance(0.3) else [])
        chosen = [v for v in pool if draw.chance(0.75)] or [pool[0]]
        texts = [v.text for v in chosen]
        if self.layers:
            texts.append(f"{self.layers[0]}.trainable_variables")
        elif len(chosen) == 1 and draw.chance(0.6):
            return texts[0], chosen
        match draw.number(0, 3):
            case 0:
                return "{" + ", ".join(f'"{chr(97 + i)}": {t}' for i, t in enumerate(texts)) + "}", chosen
            case 1:
                return f"({texts[0]}, [{', '.join(texts[1:])}])", chosen
            case _:
                return f"[{', '.join(texts)}]", chosen

    def target(self, scope: Scope) -> tuple[str, str]:
        """A target, and the rest of the arguments that go with it."""
        draw, latest = self.draw, scope.values[-1]
        unconnected = ', unconnected_gradients="zero"' if draw.chance(0.25) else ""
        if "zero" in unconnected and draw.chance(0.5):
            unconnected = ", unconnected_gradients=tf.UnconnectedGradients.ZERO"
        match draw.weighted({"scalar": 3.0, "tensor": 1.5, "factors": 2.0, "several": 1.5}):
            case "scalar":
                return self.scalar(latest).text, unconnected
            case "tensor":
                return latest.text, unconnected
            case "factors":
                return latest.text, f", output_gradients={self.constant(latest.shape)}{unconnected}"
            case _:
                other = draw.one(scope.values)
                factors = ""
                if draw.chance(0.5):
                    last = "None" if draw.chance(0.3) else self.constant(other.shape)
                    factors = f", output_gradients=[{self.constant(latest.shape)}, {last}]"
                return f"[{latest.text}, {other.text}]", factors + unconnected


def generate(index: int) -> Program:
    """Program `index`."""
    draw = Draw(f"{SEED}/{index}")
    composer = Composer(draw)
    inputs = composer.prepare()
    kinds = {
        _one_gradient: 3.0,
        _several_gradients: 1.5,
        _second_order: 3.0,
        _jacobian: 1.2,
        _batch_jacobian: 0.7,
        _paused: 0.8,
        _two_tapes: 1.0,
        _training: 1.2,
    }
    kind = draw.weighted(kinds)
    if kind is _batch_jacobian:
        inputs = [Value(v.text, draw.one(((2, 3), (2, 1, 3)))) for v in inputs]
    with composer.writer.block(f"def program({', '.join(v.text for v in inputs)}):"):
        kind(composer, Scope([*composer.variables, *inputs]), inputs)
    given = ", ".join(composer.constant(v.shape) for v in inputs)
    composer.writer.line(f"inputs = ({given},)")
    text = composer.writer.text
    # Keras 3's loss objects compute in float32, whatever they are given.
    main = "float32" if re.search(r"keras\.losses\.[A-Z]|tf\.image", text) else draw.one(("float32", "float64"))
    return Program(index, main, text, composer.decides)


def _watched(composer: Composer, inputs: list[Value]) -> list[Value]:
    return [v for v in inputs if composer.draw.chance(0.85)] or inputs[:1]


def _body(composer: Composer, scope: Scope, least: int, most: int) -> None:
    draw = composer.draw
    composer.compute(scope, draw.number(least, most))
    if draw.chance(0.12):
        composer.decide(scope)
        composer.compute(scope, draw.number(1, 2))


def _one_gradient(composer: Composer, scope: Scope, inputs: list[Value]) -> None:
    draw, writer = composer.draw, composer.writer
    alone = draw.chance(0.2)
    tape = "tf.GradientTape(watch_accessed_variables=False)" if alone else "tf.GradientTape()"
    watched = [*_watched(composer, inputs), *(v for v in composer.variables if alone and draw.chance(0.7))]
    with writer.block(f"with {tape} as tape:"):
        composer.watch("tape", watched)
        _body(composer, scope, 2, 6)
        if draw.chance(0.15):
            composer.watch("tape", [scope.values[-1]])
            composer.compute(scope, draw.number(1, 2))
        target, rest = composer.target(scope)
    text, _ = composer.sources(scope, inputs)
    writer.line(f"return tape.gradient({target}, {text}{rest})")


def _several_gradients(composer: Composer, scope: Scope, inputs: list[Value]) -> None:
    draw, writer = composer.draw, composer.writer
    with writer.block("with tf.GradientTape(persistent=True) as tape:"):
        composer.watch("tape", _watched(composer, inputs))
        _body(composer, scope, 2, 4)
        first = composer.target(scope)
        _body(composer, scope, 1, 3)
        second = composer.target(scope)
    results = []
    for target, rest in (first, second, draw.one((first, second))):
        results.append(f"tape.gradient({target}, {composer.sources(scope, inputs)[0]}{rest})")
    if scope.values[-1].size <= 6 and draw.chance(0.4):
        results.append(f"tape.jacobian({scope.values[-1].text}, {composer.sources(scope, inputs)[0]})")
    writer.line(f"return {', '.join(results)}")


def _second_order(composer: Composer, scope: Scope, inputs: list[Value]) -> None:
    draw, writer = composer.draw, composer.writer
    persistent = draw.chance(0.3)
    with writer.block(f"with {composer.tape(persistent=persistent)} as outer:"):
        composer.watch("outer", _watched(composer, inputs))
        if draw.chance(0.4):
            composer.compute(scope, 1)
        with writer.block(f"with {composer.tape(persistent=draw.chance(0.2))} as inner:"):
            composer.watch("inner", _watched(composer, inputs))
            _body(composer, scope, 1, 4)
            target = composer.scalar(scope.values[-1])
        by = [v for v in [*inputs, *composer.variables] if draw.chance(0.7)] or inputs[:1]
        names = [writer.name("g") for _ in by]
        sources = f"[{', '.join(v.text for v in by)}]"
        writer.line(f'{", ".join(names)}, = inner.gradient({target.text}, {sources}, unconnected_gradients="zero")')
        scope.values += [Value(name, v.shape, True) for name, v in zip(names, by, strict=True)]
        composer.compute(scope, draw.number(1, 3))
        final, rest = composer.target(scope)
    results = [f"outer.gradient({final}, {composer.sources(scope, inputs)[0]}{rest})"]
    if persistent:
        results.append(f"outer.gradient({names[0]}, {composer.sources(scope, inputs)[0]})")
        if by[0].size <= 6 and draw.chance(0.5):
            results.append(f"outer.jacobian({names[0]}, {by[0].text})")
    writer.line(f"return {', '.join([*results, *names])}")


def _jacobian(composer: Composer, scope: Scope, inputs: list[Value]) -> None:
    draw, writer = composer.draw, composer.writer
    loop = draw.chance(0.2)
    with writer.block(f"with {composer.tape(persistent=loop)} as tape:"):
        composer.watch("tape", _watched(composer, inputs))
        _body(composer, scope, 2, 4)
    target = scope.values[-1]
    unconnected = ', unconnected_gradients="zero"' if draw.chance(0.25) else ""
    unconnected += ", experimental_use_pfor=False" if loop else ""
    writer.line(f"return tape.jacobian({target.text}, {composer.sources(scope, inputs)[0]}{unconnected})")


def _batch_jacobian(composer: Composer, scope: Scope, inputs: list[Value]) -> None:
    draw, writer = composer.draw, composer.writer
    source = inputs[0]
    rows = Scope([source])
    with writer.block("with tf.GradientTape() as tape:"):
        writer.line(f"tape.watch({source.text})")
        composer.compute(rows, draw.number(1, 3), rows=True)
        factor = f" * {composer.constant(())}"
        text = f"tf.matmul({rows.values[-1].text}, {composer.constant((3, 3))}){factor}"
        rows.values.append(composer.name("t", text, source.shape))
        composer.compute(rows, draw.number(1, 2), rows=True)
    writer.line(f"return tape.batch_jacobian({rows.values[-1].text}, {source.text})")


def _paused(composer: Composer, scope: Scope, inputs: list[Value]) -> None:
    draw, writer = composer.draw, composer.writer
    inside = draw.chance(0.5)
    with writer.block(f"with {composer.tape(persistent=inside)} as tape:"):
        composer.watch("tape", _watched(composer, inputs))
        _body(composer, scope, 1, 3)
        with writer.block("with tape.stop_recording():"):
            if inside:
                early = composer.scalar(scope.values[-1])
                sources, _ = composer.sources(scope, inputs)
                writer.line(f"early = tape.gradient({early.text}, {sources})")
            composer.compute(scope, draw.number(1, 2))
        composer.compute(scope, draw.number(1, 3))
        if draw.chance(0.2):
            writer.line("tape.reset()")
            composer.watch("tape", _watched(composer, inputs))
            composer.compute(scope, draw.number(1, 3))
        target, rest = composer.target(scope)
    found = f"tape.gradient({target}, {composer.sources(scope, inputs)[0]}{rest})"
    writer.line(f"return {found}" + (", early" if inside else ""))


def _two_tapes(composer: Composer, scope: Scope, inputs: list[Value]) -> None:
    draw, writer = composer.draw, composer.writer
    with writer.block("with tf.GradientTape() as left, tf.GradientTape() as right:"):
        composer.watch("left", _watched(composer, inputs))
        composer.watch("right", _watched(composer, inputs))
        _body(composer, scope, 1, 3)
        shared = list(scope.values)
        composer.compute(scope, draw.number(1, 2))
        first = composer.target(scope)
        other = Scope(shared)
        composer.compute(other, draw.number(1, 2))
        second = composer.target(other)
    one, another = composer.sources(Scope(shared), inputs)[0], composer.sources(Scope(shared), inputs)[0]
    results = (f"left.gradient({first[0]}, {one}{first[1]})", f"right.gradient({second[0]}, {another}{second[1]})")
    writer.line(f"return {', '.join(results)}")


def _training(composer: Composer, scope: Scope, inputs: list[Value]) -> None:
    """Several steps that change the variables under a tape and by its gradients."""
    draw, writer = composer.draw, composer.writer
    if not composer.variables:
        return _one_gradient(composer, scope, inputs)
    names = f"[{', '.join(v.text for v in composer.variables)}]"
    writer.line("losses = []")
    with writer.block("for _ in range(2):"):
        with writer.block("with tf.GradientTape() as tape:"):
            composer.watch("tape", inputs[:1])
            composer.compute(scope, draw.number(2, 4))
            if draw.chance(0.4):
                changed = draw.one(composer.variables)
                made = composer.name("t", f"tf.sin({changed.text})", changed.shape)
                writer.line(f"{changed.text}.{draw.one(('assign', 'assign_add', 'assign_sub'))}({made.text})")
                scope.values.append(made)
                composer.compute(scope, draw.number(1, 3))
            loss = composer.scalar(scope.values[-1])
        writer.line(f"gradients = tape.gradient({loss.text}, {names})")
        each = writer.block(f"for variable, gradient in zip({names}, gradients):")
        with each, writer.block("if gradient is not None:"):
            writer.line("variable.assign_sub(0.125 * gradient)")
        writer.line(f"losses.append({loss.text})")
    writer.line(f"return losses, gradients, [tf.identity(v) for v in {names}]")
    return None
