"""Settings and attributes of layers, losses and schedules."""

from typing import Any

from tests.core.step.readings.table import Case, program


@program
def rate_of_a_layer_in_a_model(tf: Any) -> Case:
    inputs = tf.keras.Input((1,))
    relu = tf.keras.layers.LeakyReLU(0.5)
    slope = "negative_slope" if hasattr(relu, "negative_slope") else "alpha"
    model = tf.keras.Model(inputs, relu(inputs))

    def change(v: float) -> None:
        setattr(relu, slope, v / 10)

    return lambda x: model(tf.reshape(-x, [1, 1])), change


@program
def attribute_of_a_layer_in_a_model(tf: Any) -> Case:
    class Scale(tf.keras.layers.Layer):  # type: ignore[misc]
        temperature = 1.0

        def call(self, x: Any) -> Any:
            return x * self.temperature

    inputs = tf.keras.Input((1,))
    layer = Scale()
    model = tf.keras.Sequential([inputs, layer])
    return lambda x: model(tf.reshape(x, [1, 1])), lambda v: setattr(layer, "temperature", v)


@program
def attribute_of_a_loss(tf: Any) -> Case:
    class Weighted(tf.keras.losses.Loss):  # type: ignore[misc]
        weight = 1.0

        def call(self, y_true: Any, y_pred: Any) -> Any:
            return (y_true - y_pred) ** 2 * self.weight

    loss = Weighted(reduction="none")
    return lambda x: loss(tf.reshape(x, [1, 1]), tf.zeros([1, 1])), lambda v: setattr(loss, "weight", v)


@program
def attribute_of_a_schedule(tf: Any) -> Case:
    class Line(tf.keras.optimizers.schedules.LearningRateSchedule):  # type: ignore[misc]
        slope = 1.0

        def __call__(self, step: Any) -> Any:
            return tf.cast(step, tf.float32) * self.slope

        def get_config(self) -> Any:
            return {}

    line = Line()
    return lambda x: line(x), lambda v: setattr(line, "slope", v)


@program
def setting_of_a_schedule(tf: Any) -> Case:
    schedule = tf.keras.optimizers.schedules.ExponentialDecay(1.0, 10, 0.5)
    return lambda x: schedule(x), lambda v: setattr(schedule, "initial_learning_rate", v)
