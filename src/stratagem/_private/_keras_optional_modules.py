"""Keras' optional modules, which it imports when it first needs them."""

from keras.src.utils import module_utils

# No module can have this name, so an attempt to import it ends with Keras' own message that TensorFlow is required.
_ABSENT = "tensorflow (itself)"


def hide_tensorflow_from_keras() -> None:
    """Keeps Keras from taking a module that is found as `tensorflow` for TensorFlow itself, of which it uses private names."""
    for module in (module_utils.tensorflow, module_utils.gfile):
        module.name, module.module, module._available = _ABSENT, None, False
