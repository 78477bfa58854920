"""`RandomCrop`: Keras' layer, which also crops inside of compiled steps, and outside of training as TensorFlow's does."""

from typing import Any, final

import keras

from stratagem._base.exports import exported


@exported("keras.layers.RandomCrop", "keras.layers.experimental.preprocessing.RandomCrop")
@final
@keras.saving.register_keras_serializable("stratagem")
class RandomCrop(keras.layers.RandomCrop):  # type: ignore[misc]
    """`tf.keras.layers.RandomCrop`: windows of images, at a place that is drawn for each batch in training.

    height, width: of the windows. seed: of the numbers that are drawn. data_format: channels_last or channels_first. Smaller
    images, and all outside of training, are cropped at their centre to the windows' proportions, and resized.
    """

    def __init__(
        self, height: int, width: int, seed: int | None = None, data_format: str | None = None, **kwargs: Any
    ) -> None:
        super().__init__(height, width, seed=seed, data_format=data_format, **kwargs)

    def get_random_transformation(self, data: Any, training: bool = True, seed: Any = None) -> tuple[Any, Any]:
        """Returns the row and the column at which the windows begin: 0 and 0 for images that are resized."""
        spare = self._spare(data["images"] if isinstance(data, dict) else data)
        if not training or min(spare) < 0:
            return 0, 0
        source = self._get_seed_generator(self.backend._backend) if seed is None else seed
        row, column = (keras.random.randint((), 0, most + 1, seed=source) for most in spare)
        return row, column

    def transform_images(self, images: Any, transformation: Any, training: bool = True) -> Any:
        """Returns the windows, of the layer's dtype. transformation: the row and the column at which they begin."""
        array = keras.ops.cast(images, self.compute_dtype)
        size = self.height, self.width
        if not training or min(self._spare(images)) < 0:
            resized = keras.preprocessing.image.smart_resize(array, size, data_format=self.data_format)
            return keras.ops.cast(resized, self.compute_dtype)
        places: list[Any] = [0] * len(array.shape)
        sizes = list(array.shape)
        places[self.height_axis], places[self.width_axis] = transformation
        sizes[self.height_axis], sizes[self.width_axis] = size
        return keras.ops.slice(array, places, sizes)  # Keras would slice from a drawn place, which JAX refuses in steps

    def _spare(self, images: Any) -> tuple[int, int]:
        """By how many rows and columns images are larger than the windows."""
        return images.shape[self.height_axis] - self.height, images.shape[self.width_axis] - self.width
