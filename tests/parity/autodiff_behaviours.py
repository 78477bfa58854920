"""Small programs about custom gradients, recomputation and forward-mode differentiation, which TensorFlow and we run alike.

As in `tape_behaviours`, a program makes its variables and returns the function to call.
"""

from collections.abc import Callable
from typing import Any

Program = Callable[[Any], Callable[[], Any]]

BEHAVIOURS: dict[str, Program] = {}


def behaviour(program: Program) -> Program:
    """Add `program` to the table under its own name."""
    BEHAVIOURS[program.__name__] = program
    return program


def gradients_of(make: Callable[[Any], Callable[[Any], Any]], at: Any) -> Program:
    """The program that returns first and second derivatives of `make(tf)` with respect to a watched constant."""

    def program(tf: Any) -> Callable[[], Any]:
        target = make(tf)

        def step() -> Any:
            x = tf.constant(at)
            with tf.GradientTape() as outer:
                outer.watch(x)
                with tf.GradientTape() as inner:
                    inner.watch(x)
                    y = target(x)
                first = inner.gradient(y, x)
            return y, first, None if first is None else outer.gradient(first, x)

        return step

    return program


# --- custom_gradient ----------------------------------------------------------------------------------------------------


def _cube(tf: Any) -> Callable[[Any], Any]:
    @tf.custom_gradient
    def cube(x: Any) -> Any:
        square = x * x
        return square * x, lambda upstream: upstream * square * 30.0

    return cube


def _identity_that_doubles(tf: Any) -> Callable[[Any], Any]:
    return tf.custom_gradient(lambda x: (x, lambda upstream: upstream * 2.0))  # type: ignore[no-any-return]


def _nested(tf: Any) -> Callable[[Any], Any]:
    @tf.custom_gradient
    def outer(x: Any) -> Any:
        @tf.custom_gradient
        def slope(upstream: Any) -> Any:
            return upstream * x * 2.0, lambda again: again * 100.0

        return x * x, slope

    return outer


def _closure_is_not_an_argument(tf: Any) -> Callable[[Any], Any]:
    @tf.custom_gradient
    def scaled(x: Any) -> Any:
        return x * 2.0, lambda upstream: upstream * 7.0

    return lambda x: scaled(scaled(x) * x)


def _nan_in_the_body(tf: Any) -> Callable[[Any], Any]:
    @tf.custom_gradient
    def root(x: Any) -> Any:
        return tf.sqrt(x), lambda upstream: upstream * 5.0

    return root


def _not_linear(tf: Any) -> Callable[[Any], Any]:
    clipped = tf.custom_gradient(lambda x: (x + 0.0, lambda upstream: tf.clip_by_value(upstream, -1.0, 1.0)))
    return lambda x: clipped(x) * clipped(x) * 5.0


def _in_a_branch(tf: Any) -> Callable[[Any], Any]:
    cube = _cube(tf)
    return lambda x: tf.cond(tf.reduce_sum(x) > 0.0, lambda: cube(x), lambda: x)


def _no_gradient(tf: Any) -> Callable[[Any], Any]:
    return tf.custom_gradient(lambda x: (x * 2.0, lambda upstream: None))  # type: ignore[no-any-return]


def _pass_through(tf: Any) -> Callable[[Any], Any]:
    rounded = tf.grad_pass_through(tf.round)
    return lambda x: rounded(x) * x


BEHAVIOURS |= {
    "custom_gradient_reads_forward_values": gradients_of(_cube, [1.0, 2.0]),
    "custom_gradient_of_its_argument": gradients_of(_identity_that_doubles, [1.0, 2.0]),
    "custom_gradient_of_a_gradient_function": gradients_of(_nested, [3.0]),
    "custom_gradients_in_a_chain": gradients_of(_closure_is_not_an_argument, [3.0]),
    "custom_gradient_replaces_an_infinite_one": gradients_of(_nan_in_the_body, [0.0, 4.0]),
    "custom_gradient_that_clips": gradients_of(_not_linear, [0.0625, 2.0]),
    "custom_gradient_in_a_branch": gradients_of(_in_a_branch, [1.0, 2.0]),
    "custom_gradient_none": gradients_of(_no_gradient, [1.0]),
    "grad_pass_through": gradients_of(_pass_through, [1.25, 2.5]),
}


@behaviour
def custom_gradient_of_several(tf: Any) -> Callable[[], Any]:
    """Several arguments in a structure, several results, an integer, a keyword that is no tensor."""

    @tf.custom_gradient
    def f(pair: Any, count: Any, bias: Any) -> Any:
        def grad(first: Any, second: Any) -> Any:
            return first * 2.0, second * 3.0, None, first + second

        return {"a": pair[0] * pair[1], "b": pair[1] + bias}, grad

    def step() -> Any:
        x, y, b = tf.constant([1.0, 2.0]), tf.constant([3.0, 4.0]), tf.constant([5.0, 6.0])
        with tf.GradientTape() as tape:
            tape.watch([x, y, b])
            made = f((x, y), tf.constant(3), b)
            loss = tf.reduce_sum(made["a"] * made["b"])
        return made, tape.gradient(loss, [x, y, b])

    return step


@behaviour
def custom_gradient_of_one_result_of_two(tf: Any) -> Callable[[], Any]:
    """The other result's gradient is zeros."""

    @tf.custom_gradient
    def f(x: Any) -> Any:
        return (x * 2.0, x * 3.0), lambda first, second: first * 10.0 + (second + 1.0)

    def step() -> Any:
        x = tf.constant([1.0, 2.0])
        with tf.GradientTape() as tape:
            tape.watch(x)
            first, _ = f(x)
        return tape.gradient(first, x)

    return step


@behaviour
def custom_gradient_with_variables(tf: Any) -> Callable[[], Any]:
    w, frozen = tf.Variable([3.0, 4.0]), tf.Variable(2.0, trainable=False)

    @tf.custom_gradient
    def f(x: Any) -> Any:
        def grad(upstream: Any, variables: Any = None) -> Any:
            return upstream * w, [upstream * x * 100.0 for _ in variables]

        return x * w * frozen, grad

    def step() -> Any:
        x = tf.constant([1.0, 2.0])
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = f(x) ** 2
            gradients = tape.gradient(y, [x, w, frozen])
        return y, gradients, outer.gradient(gradients[0], [x, w])

    return step


@behaviour
def custom_gradient_of_a_variable_argument(tf: Any) -> Callable[[], Any]:
    w = tf.Variable([3.0, 4.0])
    f = tf.custom_gradient(lambda v: (v * 2.0, lambda upstream: upstream * 10.0))

    def step() -> Any:
        with tf.GradientTape() as tape:
            y = f(w)
        return y, tape.gradient(y, w)

    return step


@behaviour
def custom_gradient_does_not_see_what_is_closed_over(tf: Any) -> Callable[[], Any]:
    def step() -> Any:
        x, c = tf.constant(3.0), tf.constant(5.0)
        f = tf.custom_gradient(lambda x: (x * c, lambda upstream: upstream * c))
        with tf.GradientTape() as tape:
            tape.watch([x, c])
            y = f(x)
        return y, tape.gradient(y, [x, c])

    return step


@behaviour
def custom_gradient_of_a_method(tf: Any) -> Callable[[], Any]:
    class Scale:
        factor = 4.0

        @tf.custom_gradient
        def __call__(self, x: Any) -> Any:
            return x * self.factor, lambda upstream: upstream * 40.0

        @tf.custom_gradient
        def add(self, x: Any) -> Any:
            return x + self.factor, lambda upstream: upstream * 5.0

    scale = Scale()

    def step() -> Any:
        x = tf.constant(3.0)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = scale.add(x) * scale.add(x)
        return y, tape.gradient(y, x)

    return step


@behaviour
def custom_gradient_needs_the_argument_variables(tf: Any) -> Callable[[], Any]:
    w = tf.Variable(3.0)
    f = tf.custom_gradient(lambda x: (x * w, lambda upstream: upstream))

    def step() -> Any:
        return f(tf.constant(2.0))

    return step


@behaviour
def custom_gradient_with_too_few_variable_gradients(tf: Any) -> Callable[[], Any]:
    w = tf.Variable(3.0)

    @tf.custom_gradient
    def f(x: Any) -> Any:
        return x * w, lambda upstream, variables=None: (upstream, [])

    def step() -> Any:
        x = tf.constant(2.0)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        return tape.gradient(y, x)

    return step


@behaviour
def custom_gradient_with_too_many_gradients(tf: Any) -> Callable[[], Any]:
    f = tf.custom_gradient(lambda x: (x * 2.0, lambda upstream: [upstream, upstream]))

    def step() -> Any:
        x = tf.constant(2.0)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        return tape.gradient(y, x)

    return step


# --- recompute_grad -----------------------------------------------------------------------------------------------------


@behaviour
def recompute_grad_with_variables(tf: Any) -> Callable[[], Any]:
    w, unused = tf.Variable([3.0, 4.0]), tf.Variable(1.0)
    f = tf.recompute_grad(lambda x, y: w * x * x * y)

    def step() -> Any:
        x, y = tf.constant([1.0, 2.0]), tf.constant([2.0, 3.0])
        with tf.GradientTape() as tape:
            tape.watch([x, y])
            z = f(f(x, y), y)
        return z, tape.gradient(z, [x, y, w, unused])

    return step


@behaviour
def recompute_grad_of_several(tf: Any) -> Callable[[], Any]:
    f = tf.recompute_grad(lambda x, y: (x * y, x + y))

    def step() -> Any:
        x, y = tf.constant([1.0, 2.0]), tf.constant([2.0, 3.0])
        with tf.GradientTape() as tape:
            tape.watch([x, y])
            product, total = f(x, y)
            z = product * product + total
        return z, tape.gradient(z, [x, y])

    return step


# --- ForwardAccumulator -------------------------------------------------------------------------------------------------


def tangents_of(target: Callable[[Any, Any], Any], at: Any, tangent: Any, **options: Any) -> Program:
    """The program that pushes a tangent of a constant through `target(tf, x)`."""

    def program(tf: Any) -> Callable[[], Any]:
        def step() -> Any:
            x = tf.constant(at)
            with tf.autodiff.ForwardAccumulator(x, tf.constant(tangent)) as acc:
                y = target(tf, x)
            return y, acc.jvp(y, **options)

        return step

    return program


FORWARD: dict[str, Program] = {
    "forward_of_products": tangents_of(lambda tf, x: x * x * x, [1.0, 2.0], [3.0, 5.0]),
    "forward_of_a_structure": tangents_of(lambda tf, x: {"a": x * 2.0, "b": [x, tf.constant(1.0)]}, [1.0], [3.0]),
    "forward_of_nothing": tangents_of(lambda tf, x: tf.constant([1.0, 2.0]), [1.0], [3.0]),
    "forward_of_nothing_zero": tangents_of(
        lambda tf, x: tf.constant([1.0, 2.0]), [1.0], [3.0], unconnected_gradients="zero"
    ),
    "forward_of_a_matrix_product": tangents_of(
        lambda tf, x: tf.matmul(x, [[1.0, 2.0], [3.0, 4.0]]), [[1.0, 2.0]], [[3.0, 5.0]]
    ),
    "forward_of_stop_gradient": tangents_of(lambda tf, x: tf.stop_gradient(x) * x, [3.0], [2.0]),
    "forward_of_integers": tangents_of(lambda tf, x: tf.cast(x, tf.int32), [3.0], [2.0]),
    "forward_through_a_branch": tangents_of(lambda tf, x: tf.cond(x > 1.0, lambda: x * x, lambda: x), 3.0, 2.0),
    "forward_through_a_custom_gradient": tangents_of(
        lambda tf, x: tf.custom_gradient(lambda x: (x * x, lambda upstream: upstream * 10.0))(x) * x, [3.0], [2.0]
    ),
}


def forward(program: Program) -> Program:
    """Add `program` to the table of forward-mode differentiation under its own name."""
    FORWARD[program.__name__] = program
    return program


@forward
def forward_of_a_variable(tf: Any) -> Callable[[], Any]:
    w = tf.Variable([3.0, 4.0])

    def step() -> Any:
        with tf.autodiff.ForwardAccumulator(w, tf.constant([1.0, 10.0])) as acc:
            y = tf.reduce_sum(w * w)
        return y, acc.jvp(y)

    return step


@forward
def forward_of_several(tf: Any) -> Callable[[], Any]:
    w = tf.Variable(3.0)

    def step() -> Any:
        x = tf.constant(2.0)
        with tf.autodiff.ForwardAccumulator([x, w], [tf.constant(1.0), tf.constant(10.0)]) as acc:
            y = x * w
        return acc.jvp([y, x])

    return step


@forward
def forward_over_reverse(tf: Any) -> Callable[[], Any]:
    w = tf.Variable([3.0, 4.0])

    def step() -> Any:
        with tf.autodiff.ForwardAccumulator(w, tf.constant([1.0, 10.0])) as acc:
            with tf.GradientTape() as tape:
                y = tf.reduce_sum(w * w * w)
            gradient = tape.gradient(y, w)
        return gradient, acc.jvp(gradient)

    return step


@forward
def reverse_over_forward(tf: Any) -> Callable[[], Any]:
    def step() -> Any:
        x = tf.constant([3.0, 4.0])
        with tf.GradientTape() as tape:
            tape.watch(x)
            with tf.autodiff.ForwardAccumulator(x, tf.constant([1.0, 10.0])) as acc:
                y = x * x * x
            tangent = acc.jvp(y)
        return tangent, tape.gradient(tangent, x)

    return step


@forward
def forward_over_forward(tf: Any) -> Callable[[], Any]:
    def step() -> Any:
        x = tf.constant(3.0)
        with tf.autodiff.ForwardAccumulator(x, tf.constant(2.0)) as outer:
            with tf.autodiff.ForwardAccumulator(x, tf.constant(5.0)) as inner:
                y = x * x * x
            tangent = inner.jvp(y)
        return tangent, outer.jvp(tangent), outer.jvp(y)

    return step


@forward
def two_accumulators_share_a_forward_pass(tf: Any) -> Callable[[], Any]:
    def step() -> Any:
        x, y = tf.constant(3.0), tf.constant(4.0)
        one = tf.autodiff.ForwardAccumulator(x, tf.constant(1.0))
        with one, tf.autodiff.ForwardAccumulator(y, tf.constant(1.0)) as two:
            z = x * y * y
        return one.jvp(z), two.jvp(z)

    return step


@forward
def what_follows_the_block_is_not_pushed_forward(tf: Any) -> Callable[[], Any]:
    def step() -> Any:
        x = tf.constant(3.0)
        with tf.autodiff.ForwardAccumulator(x, tf.constant(2.0)) as acc:
            y = x * x
        z = y * 2.0
        return acc.jvp(y), acc.jvp(z)

    return step


@forward
def forward_of_an_integer(tf: Any) -> Callable[[], Any]:
    def step() -> Any:
        x = tf.constant(3)
        with tf.autodiff.ForwardAccumulator(x, tf.constant(2)) as acc:
            y = x * x
        return acc.jvp(y)

    return step


@forward
def forward_through_a_function(tf: Any) -> Callable[[], Any]:
    w = tf.Variable(4.0)
    f = tf.function(lambda x: w * x * x)

    def step() -> Any:
        x = tf.constant(3.0)
        with tf.autodiff.ForwardAccumulator([x, w], [tf.constant(2.0), tf.constant(1.0)]) as acc:
            y = f(x)
        return acc.jvp(y)

    return step
