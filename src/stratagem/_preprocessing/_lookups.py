"""`StringLookup` and `IntegerLookup`: the numbers of words, and of integers."""

import logging
from typing import Any, final

import keras
import numpy as np

from stratagem._base.exports import exported
from stratagem._base.types import DTypeLike
from stratagem._ops import as_dtype
from stratagem._preprocessing._index_lookup import IndexLookup

_log = logging.getLogger("stratagem")


@exported("keras.layers.StringLookup", "keras.layers.experimental.preprocessing.StringLookup")
@final
@keras.saving.register_keras_serializable("stratagem")
class StringLookup(IndexLookup):
    """`tf.keras.layers.StringLookup`: the numbers of words, int64, or vectors of them.

    max_tokens: how many numbers there are at most, with those of special tokens. num_oov_indices: how many numbers unknown
    words have, by their FarmHash; with 0 they are an error. mask_token: the word with number 0, which vectors leave out.
    oov_token: what `invert` returns for numbers of unknown words. vocabulary: the words, or a file with one in each line;
    without it, `adapt`. idf_weights: of the words, for tf_idf. invert: from numbers to words. output_mode: int, one_hot,
    multi_hot, count or tf_idf. pad_to_max_tokens: vectors have `max_tokens` entries. Raises ValueError for arguments that do
    not fit together.
    """

    def __init__(
        self,
        max_tokens: int | None = None,
        num_oov_indices: int = 1,
        mask_token: str | None = None,
        oov_token: str = "[UNK]",
        vocabulary: Any = None,
        idf_weights: Any = None,
        encoding: str = "utf-8",
        invert: bool = False,
        output_mode: str = "int",
        sparse: bool = False,
        pad_to_max_tokens: bool = False,
        **kwargs: Any,
    ) -> None:
        if kwargs.get("dtype") == "string":  # what early versions had here
            del kwargs["dtype"]
        self.__dict__["encoding"] = encoding  # the vocabulary is read before Keras' constructor lets attributes be set
        super().__init__(
            max_tokens,
            num_oov_indices,
            mask_token,
            oov_token,
            "string",
            vocabulary,
            idf_weights,
            invert,
            output_mode,
            sparse,
            pad_to_max_tokens,
            **kwargs,
        )

    def _encoding(self) -> str:
        return str(self.__dict__["encoding"])

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments."""
        config = {**super().get_config(), "encoding": self._encoding()}
        del config["vocabulary_dtype"]
        return config


@exported("keras.layers.IntegerLookup", "keras.layers.experimental.preprocessing.IntegerLookup")
@final
@keras.saving.register_keras_serializable("stratagem")
class IntegerLookup(IndexLookup):
    """`tf.keras.layers.IntegerLookup`: the places of integers in a vocabulary, int64, or vectors of them.

    See StringLookup for the arguments; unknown integers have a number by their remainder. vocabulary_dtype: the integers'
    type. It works inside of compiled steps. Raises ValueError for arguments that do not fit together.
    """

    def __init__(
        self,
        max_tokens: int | None = None,
        num_oov_indices: int = 1,
        mask_token: int | None = None,
        oov_token: int = -1,
        vocabulary: Any = None,
        vocabulary_dtype: DTypeLike = "int64",
        idf_weights: Any = None,
        invert: bool = False,
        output_mode: str = "int",
        sparse: bool = False,
        pad_to_max_tokens: bool = False,
        **kwargs: Any,
    ) -> None:
        if not as_dtype(vocabulary_dtype).is_integer:
            raise ValueError(f"IntegerLookup: `vocabulary_dtype` is a type of integers, got {vocabulary_dtype!r}.")
        if output_mode != "int" and kwargs.get("dtype") == "int64":  # what early versions had here
            del kwargs["dtype"]
        max_tokens = _renamed(kwargs, "max_values", "max_tokens", max_tokens)
        mask_token = _renamed(kwargs, "mask_value", "mask_token", mask_token)
        oov_token = _renamed(kwargs, "oov_value", "oov_token", oov_token)
        super().__init__(
            max_tokens,
            num_oov_indices,
            None if mask_token is None else int(np.int64(mask_token)),
            None if oov_token is None else int(np.int64(oov_token)),
            as_dtype(vocabulary_dtype).name,
            vocabulary,
            idf_weights,
            invert,
            output_mode,
            sparse,
            pad_to_max_tokens,
            **kwargs,
        )


def _renamed(kwargs: dict[str, Any], old: str, new: str, value: Any) -> Any:
    """Returns an argument that may be given under its old name."""
    if old not in kwargs:
        return value
    _log.warning("IntegerLookup: %s is deprecated, use %s instead.", old, new)
    return kwargs.pop(old)
