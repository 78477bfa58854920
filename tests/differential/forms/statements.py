"""The statements of a step that trains: tapes, updates, optimizers, metrics, and Python's control flow around them."""

from collections.abc import Callable

from tests.core.eager.compositions.generate import Composer, Scope
from tests.core.eager.compositions.operations import SHAPES, Value
from tests.differential.drawing import Draw
from tests.differential.optimizers import optimizer

# How a metric is shown two tensors of one shape. Those that count would count every replica's share.
_METRICS = {
    "Mean()": "{0}",
    'Mean("named", dtype=main)': "tf.sin({0}), sample_weight=0.5",
    "MeanSquaredError()": "{0}, {1}",
    "RootMeanSquaredError(dtype=main)": "{0}, {1}",
    "MeanAbsoluteError()": "[{0}], [{1}]",
    "BinaryAccuracy()": "tf.cast({0} > 0.125, main), tf.sigmoid({1})",
    "AUC(num_thresholds=5)": "tf.cast({0} > 0.125, main), tf.sigmoid({1})",
    "Precision(thresholds=0.4)": "tf.cast({0} > 0.125, main), tf.sigmoid({1})",
}
_RATES = ("0.0625", "0.75")


class StepComposer(Composer):
    """Writes a program of a step, its calls, and what happens between them."""

    def __init__(self, draw: Draw) -> None:
        super().__init__(draw)
        self.optimizer = ""
        self.scheduled = False
        self.metrics: list[tuple[str, str]] = []
        self.results: list[str] = []  # what the step returns
        self.named = False  # whether it returns a dictionary
        self.flag = self.scale = ""  # parameters of the step that are Python's

    @property
    def trained(self) -> list[str]:
        """The variables of which optimizers know, as expressions of lists."""
        return [v.text for v in self.variables]

    # --- Objects ------------------------------------------------------------------------------------------------------

    def make_objects(self) -> None:
        """Lines that make variables, layers, an optimizer and metrics, where they belong to a strategy."""
        draw, writer = self.draw, self.writer
        with writer.block("with scope():"):
            for _ in range(draw.weighted({1: 0.4, 2: 0.4, 3: 0.2})):
                shape = draw.one(SHAPES)
                aggregation = f"aggregation=tf.VariableAggregation.{draw.one(('MEAN', 'ONLY_FIRST_REPLICA'))}"
                trainable = "" if draw.chance(0.9) else ", trainable=False"
                text = f"tf.Variable({self.numbers(shape)}, dtype=main, {aggregation}{trainable})"
                self.variables.append(self.name("v", text, shape))
            if draw.chance(0.15):
                self._layer()
            if draw.chance(0.6):
                _, _, self.scheduled, text = optimizer(draw)
                self.optimizer = self.name("o", text, ()).text
            for _ in range(draw.weighted({0: 0.5, 1: 0.35, 2: 0.15})):
                kind = draw.one(tuple(_METRICS))
                self.metrics.append((self.name("m", f"tf.keras.metrics.{kind}", ()).text, kind))

    def make_functions(self) -> None:
        """Lines that make compiled functions, which the step calls."""
        for _ in range(self.draw.weighted({0: 0.7, 1: 0.3})):
            self._function()

    # --- The step -----------------------------------------------------------------------------------------------------

    def write_step(self, inputs: list[Value]) -> None:
        """Lines that define the step."""
        draw, writer = self.draw, self.writer
        self.flag, self.scale = ("flag" * draw.chance(0.25), "scale" * draw.chance(0.25))
        parameters = [*(v.text for v in inputs), *filter(None, (self.flag, self.scale))]
        with writer.block(f"def step({', '.join(parameters)}):"):
            scope = Scope([*self.variables, *inputs])
            self.compute(scope, draw.number(1, 2))
            for _ in range(draw.number(1, 3)):
                self._statement(scope, inputs)
            if self.optimizer:
                self._train(scope, inputs)
            results = [scope.values[-1].text, *dict.fromkeys(self.results)]
            self.named = len(results) == 1 or draw.chance(0.5)
            named = ", ".join(f'"r{i}": {text}' for i, text in enumerate(results))
            writer.line(f"return {{{named}}}" if self.named else f"return {', '.join(results)}")

    def _statement(self, scope: Scope, inputs: list[Value]) -> None:
        kinds: dict[Callable[[Scope, list[Value]], None], float] = {
            self._gradient: 2.5,
            self._second_order: 1.3,
            self._by_hand: 1.2,
            self._assign: 1.2,
            self._measure: 2.0 * bool(self.metrics),
            self._loop: 1.0,
            self._choose: 1.0 * bool(self.flag),
            self._scaled: 1.0 * bool(self.scale),
            self._decision: 0.35,
        }
        self.draw.weighted(kinds)(scope, inputs)

    def _gradient(self, scope: Scope, inputs: list[Value]) -> None:
        draw, writer = self.draw, self.writer
        tape, persistent = writer.name("tape"), draw.chance(0.3)
        with writer.block(f"with {self.tape(persistent=persistent)} as {tape}:"):
            self.watch(tape, inputs)
            self.compute(scope, draw.number(1, 3))
            if draw.chance(0.15):
                self._assign(scope, inputs)
            if draw.chance(0.1):
                with writer.block(f"with {tape}.stop_recording():"):
                    self.compute(scope, 1)
                self.compute(scope, 1)
            first, second = self.target(scope), self.target(scope)
        for target, rest in (first, second) if persistent else (first,):
            name = writer.name("g")
            writer.line(f"{name} = {tape}.gradient({target}, {self.sources(scope, inputs)[0]}{rest})")
            self.results.append(name)
        if persistent and scope.values[-1].size <= 6 and draw.chance(0.3):
            name = writer.name("g")
            writer.line(f"{name} = {tape}.jacobian({scope.values[-1].text}, {draw.one(inputs).text})")
            self.results.append(name)

    def _second_order(self, scope: Scope, inputs: list[Value]) -> None:
        draw, writer = self.draw, self.writer
        outer, inner = writer.name("tape"), writer.name("tape")
        by = [v for v in [*inputs, *self.variables] if draw.chance(0.6)] or inputs[:1]
        names = [writer.name("g") for _ in by]
        with writer.block(f"with {self.tape()} as {outer}:"):
            self.watch(outer, inputs)
            with writer.block(f"with {self.tape()} as {inner}:"):
                self.watch(inner, inputs)
                self.compute(scope, draw.number(1, 2))
                target = self.scalar(scope.values[-1])
            given = f"{target.text}, [{', '.join(v.text for v in by)}], unconnected_gradients='zero'"
            writer.line(f"{', '.join(names)}, = {inner}.gradient({given})")
            scope.values += [Value(name, v.shape, True) for name, v in zip(names, by, strict=True)]
            self.compute(scope, 1)
            final, rest = self.target(scope)
        name = writer.name("g")
        writer.line(f"{name} = {outer}.gradient({final}, {self.sources(scope, inputs)[0]}{rest})")
        self.results += [name, *names[:1]]

    def _by_hand(self, scope: Scope, inputs: list[Value]) -> None:
        """Several rounds of gradient descent."""
        draw, writer = self.draw, self.writer
        variables = f"[{', '.join(self.trained)}]"
        tape, loss, gradients = writer.name("tape"), writer.name("loss"), writer.name("g")
        with writer.block(f"for _ in range({draw.number(1, 3)}):"):
            with writer.block(f"with {self.tape()} as {tape}:"):
                inside = Scope([*self.variables, *inputs])
                self.compute(inside, draw.number(1, 2))
                writer.line(f"{loss} = {self._loss(inside)}")
            writer.line(f"{gradients} = {tape}.gradient({loss}, {variables})")
            each = writer.block(f"for variable, gradient in zip({variables}, {gradients}):")
            with each, writer.block("if gradient is not None:"):
                writer.line("variable.assign_sub(0.125 * gradient)")
        self.results += [loss, gradients]

    def _loss(self, scope: Scope) -> str:
        """The latest value as a number, and mostly something of every variable."""
        squared = [v for v in self.variables if self.draw.chance(0.8)] or self.variables[:1]
        parts = [f"tf.reduce_sum(tf.square({v.text}))" for v in squared]
        return " + ".join([f"tf.reduce_mean({scope.values[-1].text})", *parts])

    def _train(self, scope: Scope, inputs: list[Value]) -> None:
        """An update by the optimizer, whose gradients are added up over the replicas."""
        draw, writer = self.draw, self.writer
        variables = f"[{', '.join(self.trained)}]"
        if self.layers:
            variables += f" + {self.layers[0]}.trainable_variables"
        tape, loss, gradients = writer.name("tape"), writer.name("loss"), writer.name("g")
        with writer.block(f"with {self.tape()} as {tape}:"):
            self.compute(scope, draw.number(1, 2))
            writer.line(f"{loss} = ({self._loss(scope)}) / replicas")
        writer.line(f"{gradients} = {tape}.gradient({loss}, {variables})")
        writer.line(f"{self.optimizer}.apply_gradients(zip({gradients}, {variables}))")
        self.results.append(f"{loss} * replicas")

    def _assign(self, scope: Scope, _: list[Value]) -> None:
        draw = self.draw
        variable = draw.one(self.variables)
        fit = [v for v in scope.values if v.shape == variable.shape and v is not variable]
        text = f"tf.sin({fit[-1].text})" if fit and draw.chance(0.7) else self.constant(variable.shape)
        way = draw.one(("assign", "assign_add", "assign_sub"))
        self.writer.line(f"{variable.text}.{way}({text})")

    def _measure(self, scope: Scope, _: list[Value]) -> None:
        draw = self.draw
        name, kind = draw.one(self.metrics)
        x = scope.values[-1]
        others = [v for v in scope.values if v.shape == x.shape]
        self.writer.line(f"{name}.update_state({_METRICS[kind].format(x.text, draw.one(others).text)})")

    def _loop(self, scope: Scope, inputs: list[Value]) -> None:
        """A loop of Python's: unrolled in a program."""
        draw, writer = self.draw, self.writer
        value = self.scalar(draw.one(scope.values))
        carried = self.name("c", value.text, ())
        with writer.block(f"for i in range({draw.number(1, 3)}):"):
            inside = Scope([*scope.values, carried])
            if draw.chance(0.4):
                with writer.block("if i % 2 == 1:"):
                    writer.line(f"{carried.text} = tf.cos({carried.text}) - i")
                    self._effect(inside, inputs)
            elif draw.chance(0.6):
                self._effect(inside, inputs)
            writer.line(f"{carried.text} = {carried.text} * 0.5 + tf.reduce_mean({draw.one(inside.values).text})")
        scope.values.append(Value(carried.text, (), True))
        self.results.append(carried.text)

    def _effect(self, scope: Scope, inputs: list[Value]) -> None:
        (self._measure if self.metrics and self.draw.chance(0.5) else self._assign)(scope, inputs)

    def _choose(self, scope: Scope, inputs: list[Value]) -> None:
        """A branch of Python's, on an argument."""
        draw, writer = self.draw, self.writer
        chosen = self.name("c", self.scalar(draw.one(scope.values)).text, ())
        with writer.block(f"if {self.flag}:"):
            writer.line(f"{chosen.text} = tf.tanh({chosen.text}) * 2.0")
            self._effect(Scope(list(scope.values)), inputs)
        with writer.block("else:"):
            writer.line(f"{chosen.text} = {chosen.text} - tf.reduce_sum({draw.one(scope.values).text})")
        scope.values.append(Value(chosen.text, (), True))
        self.results.append(chosen.text)

    def _scaled(self, scope: Scope, _: list[Value]) -> None:
        """An operation on a tensor and an argument that is a number of Python's."""
        x = self.draw.one(scope.values)
        way = self.draw.one(("{0} * {1}", "{1} - {0}", "tf.maximum({0}, {1})", "tf.add({0}, {1})"))
        scope.values.append(self.name("t", way.format(x.text, self.scale), x.shape, True))
        self.results.append(scope.values[-1].text)

    def _decision(self, scope: Scope, _: list[Value]) -> None:
        """A branch or loop of Python's on a tensor, under a tape."""
        draw, writer = self.draw, self.writer
        tape, gradient, x = writer.name("tape"), writer.name("g"), draw.one(scope.values)
        with writer.block(f"with {self.tape()} as {tape}:"):
            writer.line(f"{tape}.watch({x.text})")
            t = self.name("t", f"tf.reduce_sum(tf.sin({x.text}))", (), True)
            match draw.one(("if", "while", "for")):
                case "if":
                    with writer.block(f"if {t.text} > 0.125:"):
                        writer.line(f"{t.text} = tf.sin({t.text}) * {t.text}")
                    with writer.block("else:"):
                        writer.line(f"{t.text} = {t.text} * 0.5 - 1.0")
                case "while":
                    with writer.block(f"while tf.abs({t.text}) > 0.5:"):
                        writer.line(f"{t.text} = {t.text} * 0.5")
                case _:
                    with writer.block(f"for _ in tf.range(tf.cast(tf.abs({t.text}), tf.int32) + 1):"):
                        writer.line(f"{t.text} = {t.text} * 0.5 + tf.cos({t.text})")
        writer.line(f"{gradient} = {tape}.gradient({t.text}, {x.text})")
        scope.values.append(t)
        self.results += [t.text, gradient]
        self.decides = True

    # --- Around the step ----------------------------------------------------------------------------------------------

    def call(self, inputs: list[Value], *, around: bool) -> None:
        """Lines that call the step and show what it returns; around: under a tape that differentiates it."""
        draw, writer = self.draw, self.writer
        given = [v.text for v in inputs]
        given += [draw.one(("True", "False"))] * bool(self.flag) + [draw.one(("0.5", "2.0", "-1.5"))] * bool(self.scale)
        call = f"run(step, {', '.join(given)})"
        if not around:
            return writer.line(f"show({call})")
        first = 'result["r0"]' if self.named else "result[0]"
        sources = ", ".join([*given[: len(inputs)], *self.trained])
        with writer.block("with tf.GradientTape() as tape:"):
            writer.line(f"tape.watch([{', '.join(given[: len(inputs)])}])")
            writer.line(f"result = {call}")
            writer.line(f"loss = tf.reduce_sum(tf.square({first})) + tf.reduce_sum({self.trained[0]})")
        return writer.line(f"show([result, loss, tape.gradient(loss, [{sources}])])")

    def between(self) -> None:
        """A line between two calls, or none."""
        draw, writer = self.draw, self.writer
        variable = draw.one(self.variables)
        metric = draw.one(self.metrics)[0] if self.metrics else ""
        rate = draw.one(_RATES)
        match draw.weighted(
            {
                "": 3.0,
                "assign": 1.0,
                "add": 1.0,
                "read": 1.0,
                "rate": 1.5 * bool(self.optimizer and not self.scheduled),
                "metric": 1.0 * bool(metric),
                "reset": 0.5 * bool(metric),
            }
        ):
            case "assign":
                writer.line(f"{variable.text}.assign({self.constant(variable.shape)})")
            case "add":
                writer.line(f"{variable.text}.assign_add(tf.cos({variable.text}))")
            case "read":
                writer.line(f"show({variable.text} * 2.0)")
            case "rate":
                change = draw.one((".assign({})", " = {}")).format(rate)
                writer.line(f"{self.optimizer}.learning_rate{change}")
            case "metric":
                writer.line(f"show({metric}.result())")
            case "reset":
                writer.line(f"{metric}.reset_state()")

    def look(self) -> None:
        """Lines that show what has become of everything."""
        for variable in self.variables:
            self.writer.line(f"show({variable.text}.read_value())")
        for name, _ in self.metrics:
            self.writer.line(f"show({name}.result())")
        if self.optimizer:
            self.writer.line(f"show({self.optimizer}.iterations)")
        for layer in self.layers:
            self.writer.line(f"show([tf.identity(v) for v in {layer}.trainable_variables])")
