"""The options of `tf.saved_model.save` and `load`."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, final

from stratagem._base.exports import exported


@exported("saved_model.SaveOptions")
@final
@dataclass(frozen=True)
class SaveOptions:
    """The options of `save`, as `tf.saved_model.SaveOptions`. None of them changes what is written here."""

    namespace_whitelist: Sequence[str] | None = None
    save_debug_info: bool = False
    function_aliases: Any = None
    experimental_debug_stripper: bool = False
    experimental_io_device: str | None = None
    experimental_variable_policy: Any = None
    experimental_custom_gradients: bool = True
    experimental_image_format: bool = False
    experimental_skip_saver: bool = False
    experimental_sharding_callback: Any = None


@exported("saved_model.LoadOptions", v1=())
@final
@dataclass(frozen=True)
class LoadOptions:
    """The options of `load`, as `tf.saved_model.LoadOptions`. None of them changes what is read here."""

    allow_partial_checkpoint: bool = False
    experimental_io_device: str | None = None
    experimental_skip_checkpoint: bool = False
    experimental_variable_policy: Any = None
    experimental_load_function_aliases: bool = False
