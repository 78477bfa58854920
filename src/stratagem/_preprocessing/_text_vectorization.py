"""`TextVectorization`: texts as numbers of words, or as vectors."""

import string
from typing import Any, Self, final

import keras
import numpy as np

from stratagem._base.exports import exported
from stratagem._base.paths import local_path
from stratagem._base.types import ShapeLike, UserFunction
from stratagem._core.step import host_function_if_needed
from stratagem._core.values import TensorShape
from stratagem._ops import StringTensor, on_device
from stratagem._ops.ragged import RaggedTensor
from stratagem._preprocessing._adapting import AdaptedLayer
from stratagem._preprocessing._composites import Encoded
from stratagem._preprocessing._inputs import as_input
from stratagem._preprocessing._lookups import StringLookup
from stratagem._preprocessing._token_rows import TokenRows, Tokens, rows_of, split_rows
from stratagem._preprocessing._token_spans import split_at_whitespace

_STANDARDS = ("lower_and_strip_punctuation", "lower", "strip_punctuation")
_SPLITS = ("whitespace", "character")
_MODES = ("int", "count", "multi_hot", "tf_idf")
_PUNCTUATION = string.punctuation.encode()
_AS_THEY_ARE = bytes(range(256))
_WIDEST = 1 << 10  # words of an n-gram
_LOWER = _AS_THEY_ARE.lower()


@exported("keras.layers.TextVectorization", "keras.layers.experimental.preprocessing.TextVectorization")
@final
@keras.saving.register_keras_serializable("stratagem")
class TextVectorization(AdaptedLayer):
    """`tf.keras.layers.TextVectorization`: texts are put into lower case, split into words, joined to n-grams and numbered.

    max_tokens: how many numbers there are at most; 0 is the padding, 1 unknown words. standardize, split: the name of a way, a
    function of a string tensor, or None. ngrams: a width, up to which there are n-grams, or a tuple of widths.
    output_mode: int, multi_hot, count, tf_idf; None returns the words. output_sequence_length: to which rows of numbers are cut
    and filled up; by default that of the longest. See StringLookup for the others. Raises ValueError for arguments that do
    not fit together.
    """

    def __init__(
        self,
        max_tokens: int | None = None,
        standardize: str | UserFunction | None = "lower_and_strip_punctuation",
        split: str | UserFunction | None = "whitespace",
        ngrams: int | tuple[int, ...] | None = None,
        output_mode: str | None = "int",
        output_sequence_length: int | None = None,
        pad_to_max_tokens: bool = False,
        vocabulary: Any = None,
        idf_weights: Any = None,
        sparse: bool = False,
        ragged: bool = False,
        encoding: str = "utf-8",
        **kwargs: Any,
    ) -> None:
        mode = {"binary": "multi_hot", "tf-idf": "tf_idf"}.get(str(output_mode), output_mode)
        _check_arguments(standardize, split, ngrams, mode)
        _check_lengths(mode, output_sequence_length, ragged)
        dtype = kwargs.pop("dtype", "string")
        if getattr(dtype, "name", dtype) != "string":
            raise ValueError(f"TextVectorization may only have a dtype of string, got {dtype!r}.")
        given = kwargs.pop("has_input_vocabulary", vocabulary is not None)
        size = kwargs.pop("vocabulary_size", None)
        of_file = kwargs.pop("vocabulary_of_file", False)
        super().__init__(dtype="string", **kwargs)
        self._standardize, self._split, self._ngrams_arg = standardize, split, ngrams
        self._ngrams = tuple(range(1, ngrams + 1)) if isinstance(ngrams, int) else ngrams
        self._output_mode, self._output_sequence_length, self._ragged = mode, output_sequence_length, ragged
        self._lookup_layer = StringLookup(
            max_tokens=max_tokens,
            mask_token="",
            vocabulary=vocabulary,
            idf_weights=idf_weights,
            encoding=encoding,
            output_mode="int" if mode is None else mode,
            sparse=sparse,
            pad_to_max_tokens=pad_to_max_tokens,
            has_input_vocabulary=given,
            vocabulary_size=size,
            vocabulary_of_file=of_file,
        )

    # --- The vocabulary -----------------------------------------------------------------------------------------------

    def set_vocabulary(self, vocabulary: Any, idf_weights: Any = None) -> None:
        """Sets the words; see StringLookup."""
        self._lookup_layer.set_vocabulary(vocabulary, idf_weights)

    def get_vocabulary(self, include_special_tokens: bool = True) -> list[str]:
        """Returns the words by their numbers."""
        return self._lookup_layer.get_vocabulary(include_special_tokens)

    def vocabulary_size(self) -> int:
        """Returns the number of words, the padding and unknown words included."""
        return self._lookup_layer.vocabulary_size()

    def update_state(self, data: Any) -> None:
        """Counts the words of a batch of texts."""
        tokens = self._tokens_of(data)
        if isinstance(tokens, TokenRows):
            self._lookup_layer.count_words(tokens.rows)
        else:
            self._lookup_layer.update_state(tokens)

    def reset_state(self) -> None:
        """Forgets the counts; the vocabulary stays."""
        self._lookup_layer.reset_state()
        self._is_adapted = False

    def finalize_state(self) -> None:
        """Makes the vocabulary of the words that were counted."""
        self._lookup_layer.finalize_state()

    def learned(self) -> Any:
        """Returns what this worker has counted."""
        return self._lookup_layer.learned()

    def merge(self, states: list[Any]) -> None:
        """Replaces what has been counted by what all workers have."""
        self._lookup_layer.merge(states)

    def kept(self) -> Any:
        """Returns nothing: a part of the layer has the vocabulary."""
        return {}

    def take_up(self, state: Any) -> None:
        """Does nothing."""

    def build(self, input_shape: ShapeLike) -> None:
        """Does nothing: the layer has no variables."""

    # --- Calls --------------------------------------------------------------------------------------------------------

    def call(self, inputs: Any) -> Encoded:
        """Returns numbers, int64, (*texts, length), or for the other modes vectors, (texts, tokens).

        With `ragged` rows of numbers are a RaggedTensor, as are words, (texts, (words)). inputs: strings, (), (n,) or (n, 1);
        without `split` of any shape, or ragged. Raises ValueError for other shapes.
        """
        return host_function_if_needed(self._prepared)(inputs)

    def _prepared(self, inputs: Any) -> Encoded:
        most = self._output_sequence_length if self._output_mode == "int" and not self._ragged else None
        tokens = self._spans_of(inputs, most) or self._tokens_of(inputs, most)
        if isinstance(tokens, Tokens):
            return self._encoded_rows(tokens.cut(most))
        if self._output_mode is None:
            return on_device(tokens)
        found = self._lookup_layer.call(tokens)
        if self._output_mode == "int" and self._output_sequence_length is not None:
            return on_device(_cut_or_filled(np.asarray(found), self._output_sequence_length))
        return found

    def _encoded_rows(self, tokens: Tokens) -> Encoded:
        if isinstance(tokens, TokenRows) and self._output_mode is None:
            return tokens.ragged(tokens.flat())
        numbers = tokens.numbers_in(self._lookup_layer)
        if self._output_mode != "int":
            return self._lookup_layer.vectors_of(numbers, tokens.row_numbers(), len(tokens.lengths()))
        if self._ragged:
            return tokens.ragged(numbers)
        return on_device(tokens.padded(numbers, self._output_sequence_length))

    def _spans_of(self, inputs: Any, most: int | None) -> Tokens | None:
        """The words of texts as spans; None if there are to be words, or if something else than whitespace tells them apart."""
        if self._split != "whitespace" or callable(self._standardize) or self._output_mode is None:
            return None
        texts = self._in_rows(as_input(inputs, "string"))
        if not texts.ndim:
            return None
        spans = split_at_whitespace(texts, *self._translation(), single=self._ngrams is not None)
        return spans if spans is None or self._ngrams is None else spans.with_ngrams(self._ngrams, most)

    def _tokens_of(self, inputs: Any, most: int | None = None) -> np.ndarray | TokenRows:
        """The words of texts, at least the first `most`: an array if all rows have one length by their kind, as of one text."""
        if isinstance(inputs, RaggedTensor) and self._split is None:
            words = inputs.with_flat_values(self._standardized(as_input(inputs.flat_values, "string")))
            return self._with_ngrams(TokenRows(words.to_list(), tuple(words.shape[:1])), most)
        if self._split is None:
            return rows_of(self._standardized(as_input(inputs, "string")), self._ngrams)
        texts = self._in_rows(self._standardized(as_input(inputs, "string")))
        rows = self._with_ngrams(self._split_texts(texts), most)
        return rows if texts.ndim else rows.flat()

    def _in_rows(self, texts: np.ndarray) -> np.ndarray:
        """The texts to split, without a last dimension of 1. Raises ValueError for one of another size."""
        if texts.ndim > 1 and texts.shape[-1] != 1:
            raise ValueError(
                f"{self.name} splits texts of rank 1, or whose last dimension is 1, got shape {list(texts.shape)}."
            )
        return texts[..., 0] if texts.ndim > 1 else texts

    def _with_ngrams(self, rows: TokenRows, most: int | None) -> TokenRows:
        return rows if self._ngrams is None else rows.with_ngrams(self._ngrams, most)

    def _standardized(self, texts: np.ndarray) -> np.ndarray:
        if self._standardize is None:
            return texts
        if callable(self._standardize):
            return np.asarray(self._standardize(texts.view(StringTensor)))
        table, dropped = self._translation()
        found = np.empty(texts.size, object)
        found[:] = [text.translate(table, dropped) for text in texts.ravel().tolist()]
        return found.reshape(texts.shape)

    def _translation(self) -> tuple[bytes, bytes]:
        """The bytes that stand for all bytes in standardized texts, and those that are dropped."""
        lower, strip = "lower" in str(self._standardize), "strip" in str(self._standardize)
        return _LOWER if lower else _AS_THEY_ARE, _PUNCTUATION if strip else b""

    def _split_texts(self, texts: np.ndarray) -> TokenRows:
        if self._split == "whitespace":
            return split_rows(texts, bytes.split)
        if self._split == "character":
            return split_rows(texts, _characters)
        parts = self._split(texts.view(StringTensor))  # type: ignore[operator, misc]
        if isinstance(parts, RaggedTensor):
            return TokenRows(parts.to_list(), texts.shape)
        parts = np.asarray(parts)
        return TokenRows(parts.reshape(-1, parts.shape[-1]).tolist(), parts.shape[:-1])

    def compute_output_shape(self, input_shape: ShapeLike) -> tuple[int | None, ...]:
        """Returns the shape of the output."""
        shape = tuple(TensorShape(input_shape))
        if self._output_mode == "int":
            return (*shape[:1], self._output_sequence_length)
        if self._output_mode is None:
            return (*shape[:1], None)
        whole = self._split is None and len(shape) > 1
        return self._lookup_layer.compute_output_shape(shape if whole else (*shape[:1], None))

    def compute_output_spec(self, inputs: Any) -> Any:
        """Returns the symbolic output for a symbolic input."""
        kinds = {"int": "int64", None: "string"}
        dtype = kinds.get(self._output_mode, keras.config.floatx())
        rows = (
            {"ragged": True, "ragged_rank": 1}
            if self._split is not None and (self._ragged or not self._output_mode)
            else {}
        )
        return keras.KerasTensor(self.compute_output_shape(inputs.shape), dtype=dtype, **rows)

    # --- Saving -------------------------------------------------------------------------------------------------------

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments; functions as Keras writes them. A vocabulary that was learned is no argument."""
        inner, config = self._lookup_layer.get_config(), super().get_config()
        same = ("max_tokens", "pad_to_max_tokens", "sparse", "idf_weights", "encoding")
        return {
            **config,
            **{name: inner[name] for name in inner if name in same or name.startswith("vocabulary")},
            "dtype": "string",
            "standardize": self._standardize,
            "split": self._split,
            "ngrams": self._ngrams_arg,
            "output_mode": self._output_mode,
            "output_sequence_length": self._output_sequence_length,
            "ragged": self._ragged,
        }

    def load_own_variables(self, store: dict[str, Any]) -> None:
        """Reads nothing: a part of the layer has the weights of the words, which TensorFlow writes here, too."""

    def save_assets(self, dir_path: str) -> None:
        """Writes the vocabulary, unless it is an argument."""
        folder = local_path(dir_path)
        self._lookup_layer.save_assets(folder)

    def load_assets(self, dir_path: str) -> None:
        """Reads the vocabulary."""
        self._lookup_layer.load_assets(dir_path)

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Self:
        """Returns the layer that has this config."""
        found = dict(config)
        for name in ("standardize", "split"):
            if isinstance(found.get(name), dict):
                found[name] = keras.saving.deserialize_keras_object(found[name])
        if isinstance(found.get("ngrams"), list):
            found["ngrams"] = tuple(found["ngrams"])
        return cls(**found)


def _characters(text: bytes) -> list[bytes]:
    """The characters of UTF-8; bytes that are none are the character for what cannot be shown."""
    return [character.encode() for character in text.decode("utf-8", "replace")]


def _cut_or_filled(numbers: np.ndarray, length: int) -> np.ndarray:
    """Returns rows of this length, filled up with 0; empty ones stay empty, as in TensorFlow."""
    cut = numbers[..., :length]
    return cut if not cut.shape[-1] else np.pad(cut, [(0, 0)] * (cut.ndim - 1) + [(0, length - cut.shape[-1])])


def _check_arguments(standardize: Any, split: Any, ngrams: Any, mode: Any) -> None:
    """Raises ValueError for ways that do not exist."""
    for what, value, known in (("standardize", standardize, _STANDARDS), ("split", split, _SPLITS)):
        if not (value is None or callable(value) or value in known):
            raise ValueError(
                f"TextVectorization: `{what}` is one of {', '.join(known)}, a function or None, got {value!r}."
            )
    if mode is not None and mode not in _MODES:
        raise ValueError(f"TextVectorization: `output_mode` is one of {', '.join(_MODES)} or None, got {mode!r}.")
    if isinstance(ngrams, int) and ngrams > _WIDEST:
        raise ValueError(f"TextVectorization: `ngrams` is at most {_WIDEST}, got {ngrams}.")
    several = isinstance(ngrams, tuple) and all(isinstance(width, int) for width in ngrams)
    if not (ngrams is None or isinstance(ngrams, int) or several):
        raise ValueError(f"TextVectorization: `ngrams` is None, an integer or a tuple of integers, got {ngrams!r}.")


def _check_lengths(mode: Any, length: Any, ragged: bool) -> None:
    """Raises ValueError for a length or ragged rows where there are none."""
    if mode != "int" and length is not None:
        raise ValueError(f"TextVectorization: `output_sequence_length` is for output_mode='int', not {mode!r}.")
    if not (length is None or isinstance(length, int)):
        raise ValueError(f"TextVectorization: `output_sequence_length` is None or an integer, got {length!r}.")
    if ragged and (mode != "int" or length is not None):
        raise ValueError(
            f"TextVectorization: ragged=True is for output_mode='int' without output_sequence_length, got {mode!r}, {length!r}."
        )
