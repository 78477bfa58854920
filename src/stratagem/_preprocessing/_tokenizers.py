"""Tokenizers of `tf.keras.preprocessing.text` that are read from a text."""

from typing import Any

from keras._tf_keras.keras.preprocessing import text

from stratagem._base.exports import exported


@exported("keras.preprocessing.text.tokenizer_from_json")
def tokenizer_from_json(json_string: str) -> Any:
    """Returns the tokenizer that `tokenizer.to_json()` describes. Raises ValueError for a text that describes none."""
    try:
        return text.tokenizer_from_json(json_string)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise ValueError(f"The JSON describes no tokenizer: {type(error).__name__}: {str(error)[:200]}") from error
