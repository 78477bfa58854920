"""The layer that numbers the words of a vocabulary: what StringLookup and IntegerLookup share."""

import os
from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp
import keras
import numpy as np

from stratagem._base.errors import FailedPreconditionError, InvalidArgumentError
from stratagem._base.paths import local_path
from stratagem._core.step import host_function, host_function_if_needed
from stratagem._ops import Assert, Tensor, allow_x64, as_dtype, int64, on_device, reduce_all
from stratagem._ops.files import exists
from stratagem._ops.lookup import (
    KeyValueTensorInitializer,
    NoEntries,
    StaticHashTable,
    StringSpans,
    TextFileIndex,
    TextFileInitializer,
)
from stratagem._ops.sparse import SparseTensor
from stratagem._ops.text import to_hash_bucket_fast
from stratagem._preprocessing._adapting import AdaptedLayer
from stratagem._preprocessing._composites import Encoded, documents_of, encoded_composite, is_composite
from stratagem._preprocessing._encoding import (
    OUTPUT_MODES,
    as_output,
    checked_mode,
    counted_entries,
    encoded,
    encoded_shape,
    output_dtype,
)
from stratagem._preprocessing._inputs import as_input, is_known
from stratagem._preprocessing._learned_weights import LearnedWeight
from stratagem._preprocessing._token_counts import TokenCounts, as_text, of_text
from stratagem._preprocessing._vocabulary import (
    as_tokens,
    check_arguments,
    lines_of_words,
    listed,
    load_vocabulary,
    padded_weights,
    save_vocabulary,
    without_special_tokens,
    words_of_lines,
)
from stratagem._private import refuse_in_safe_mode


class IndexLookup(AdaptedLayer):
    """Numbers the words of a vocabulary: in the mode int first 0 for the mask, then those of unknown words, then the words.

    See StringLookup for the arguments.
    """

    def __init__(
        self,
        max_tokens: int | None,
        num_oov_indices: int,
        mask_token: Any,
        oov_token: Any,
        vocabulary_dtype: str,
        vocabulary: Any = None,
        idf_weights: Any = None,
        invert: bool = False,
        output_mode: str = "int",
        sparse: bool = False,
        pad_to_max_tokens: bool = False,
        **kwargs: Any,
    ) -> None:
        label = type(self).__name__
        mode = checked_mode(label, output_mode, OUTPUT_MODES, sparse)
        check_arguments(label, mode, max_tokens, num_oov_indices, pad_to_max_tokens, invert, idf_weights)
        frozen = kwargs.pop("vocabulary_size", None)
        given = kwargs.pop("has_input_vocabulary", vocabulary is not None)
        kwargs.pop("has_static_table", None)  # an argument of early versions
        of_file = kwargs.pop("vocabulary_of_file", False)  # an argument of configurations
        kwargs["dtype"] = output_dtype(label, mode, kwargs.get("dtype"), keras.config.floatx())
        super().__init__(**kwargs)
        self.max_tokens, self.num_oov_indices, self.pad_to_max_tokens = max_tokens, num_oov_indices, pad_to_max_tokens
        self.mask_token, self.oov_token, self.invert = mask_token, oov_token, invert
        self.output_mode, self.sparse, self.vocabulary_dtype = mode, sparse, as_dtype(vocabulary_dtype).name
        self.input_vocabulary, self.input_idf_weights = vocabulary, idf_weights
        self._vocabulary_of_file = of_file or _is_path(vocabulary)
        self._frozen_vocab_size, self._has_input_vocabulary = frozen, given
        self._counts = TokenCounts(documents=mode == "tf_idf")
        self._idf = np.zeros(self._token_start())
        self._words = np.zeros(0, as_dtype(vocabulary_dtype).dtype)
        self._table = self._table_of(self._words)
        self._knows_words = False
        self._learned_weights = (
            LearnedWeight(self, "idf_weights", self._idf_numbers, self._set_idf, self._idf_shape),
            LearnedWeight(self, "words", lambda: self._words.copy(), self._set_learned_words, lambda: (None,)),
            LearnedWeight(self, "num_documents", self._counts.documents, self._counts.set_documents, tuple),
        )
        if of_file:
            self._set_words(words_of_lines(vocabulary, self.vocabulary_dtype))
        elif vocabulary is not None:
            self.set_vocabulary(vocabulary, idf_weights)

    # --- The vocabulary -----------------------------------------------------------------------------------------------

    def set_vocabulary(self, vocabulary: Any, idf_weights: Any = None) -> None:
        """Sets the words: a list, an array, or the path of a file with one in each line.

        idf_weights: with output_mode tf_idf, a weight for each of them; False keeps the present ones. Raises ValueError
        for repeated words and special tokens among them, for a path in the configuration of a file that is loaded in safe
        mode, and RuntimeError if the output would have another size.
        """
        if self.output_mode == "tf_idf" and idf_weights is None:
            raise ValueError(f"{self.name}: `idf_weights` must be given with output_mode='tf_idf'.")
        if self.output_mode != "tf_idf" and idf_weights is not None:
            raise ValueError(f"{self.name}: `idf_weights` is only for output_mode='tf_idf', not {self.output_mode!r}.")
        if _is_path(vocabulary):
            self._set_words(self._words_of_file(os.fspath(vocabulary)))
            self._note_given(vocabulary, None)
            return
        tokens = as_tokens(vocabulary, self.vocabulary_dtype, self._encoding())
        special = [self._raw(token) for token in self._special_tokens()]
        oov = self._raw(self.oov_token) if self.invert else None
        words, found = without_special_tokens(tokens, special, self._raw(self.mask_token), oov, self.max_tokens)
        weights = None
        if self.output_mode == "tf_idf" and idf_weights is not False:
            size = self.max_tokens if self.pad_to_max_tokens else None
            weights = padded_weights(idf_weights, len(tokens), found, self._token_start(), size)
        self._set_words(words)
        self._idf = self._idf if weights is None else weights
        self._note_given(vocabulary, idf_weights)

    def _note_given(self, vocabulary: Any, idf_weights: Any) -> None:
        """Makes these the arguments of a layer that had a vocabulary as an argument: a model is saved with those."""
        if self.input_vocabulary is not None:
            self.input_vocabulary, self._vocabulary_of_file = vocabulary, _is_path(vocabulary)
            self.input_idf_weights = self.input_idf_weights if idf_weights is False else idf_weights

    def get_vocabulary(self, include_special_tokens: bool = True) -> list[Any]:
        """Returns the words by their numbers, strings or integers, after the mask and the tokens of unknown words."""
        words: list[Any] = self._words.tolist()
        if self.vocabulary_dtype == "string":
            words = [self._decoded(word) for word in words]
        return [*self._special_tokens(), *words] if include_special_tokens else words

    def _decoded(self, word: bytes) -> str:
        try:
            return word.decode(self._encoding())
        except UnicodeDecodeError as error:
            raise InvalidArgumentError(f"{self.name}: the word {word!r:.100} is not {self._encoding()}.") from error

    def vocabulary_size(self) -> int:
        """Returns the number of words and special tokens."""
        return len(self._words) + self._token_start()

    vocab_size = vocabulary_size  # its name in early versions

    def _special_tokens(self) -> list[Any]:
        return [self.mask_token] * self._oov_start() + [self.oov_token] * self.num_oov_indices

    def _oov_start(self) -> int:
        return int(self.mask_token is not None and self.output_mode == "int")

    def _token_start(self) -> int:
        return self._oov_start() + self.num_oov_indices

    def _encoding(self) -> str:
        return "utf-8"

    def _raw(self, token: Any) -> Any:
        """Returns a token as tensors have it."""
        return token.encode(self._encoding()) if isinstance(token, str) else token

    def _words_of_file(self, path: str) -> np.ndarray:
        refuse_in_safe_mode(type(self).__name__, f"reads the vocabulary file {path!r}")
        if not exists(path):
            raise ValueError(f"Vocabulary file {path} does not exist.")
        if self.output_mode == "tf_idf":
            raise ValueError("output_mode 'tf_idf' does not support loading a vocabulary from a file.")
        places = (self.vocabulary_dtype, TextFileIndex.WHOLE_LINE, int64, TextFileIndex.LINE_NUMBER)
        return TextFileInitializer(path, *places).entries()[0]

    def _set_words(self, words: np.ndarray) -> None:
        table = self._table_of(words)
        self._check_size(self._token_start() + len(words))
        self._words, self._table, self._knows_words = words, table, True
        self._frozen_vocab_size = self.vocabulary_size()

    def _check_size(self, size: int) -> None:
        if self.output_mode == "int" or self.pad_to_max_tokens:
            return
        if self._frozen_vocab_size is not None and size != self._frozen_vocab_size:
            raise RuntimeError(
                f"{self.name}: with output_mode={self.output_mode!r} and pad_to_max_tokens=False the size of the vocabulary is "
                f"that of the output, which cannot change: it was {self._frozen_vocab_size}, got {size}."
            )

    def _table_of(self, words: np.ndarray) -> StaticHashTable:
        number_dtype = as_dtype(self.compute_dtype) if self.output_mode == "int" else int64
        numbers = np.arange(len(words)).astype(number_dtype.dtype) + number_dtype.dtype.type(self._token_start())
        default = self._oov_start() if self.num_oov_indices == 1 else -1
        if self.mask_token is not None:
            words, numbers = self._with_mask(words, numbers)
        keys, values, missing = (
            (numbers, words, self._raw(self.oov_token)) if self.invert else (words, numbers, default)
        )
        made = KeyValueTensorInitializer(keys, values) if len(words) else NoEntries(keys.dtype, values.dtype)
        return StaticHashTable(made, missing)

    def _with_mask(self, words: np.ndarray, numbers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Returns words and numbers after the mask's, which in vectors is more than any number, and so not encoded."""
        others = np.array([word != self._raw(self.mask_token) for word in words.tolist()], bool)  # of a file
        mask = np.empty(1, words.dtype)
        mask[0] = self._raw(self.mask_token)
        number = np.full(1, 0 if self.output_mode == "int" else np.iinfo(np.int64).max, numbers.dtype)
        return np.concatenate([mask, words[others]]), np.concatenate([number, numbers[others]])

    # --- Learning -----------------------------------------------------------------------------------------------------

    def update_state(self, data: Any) -> None:
        """Counts the words of a batch, whose rows are documents; a tensor of one dimension is one document.

        Raises ValueError for a layer whose vocabulary was given.
        """
        self._refuse_given()
        if is_composite(data):
            self._counts.add(documents_of(data, self.vocabulary_dtype))
        else:
            self._counts.add(_documents(as_input(data, self.vocabulary_dtype)))

    def count_words(self, documents: list[list[bytes]]) -> None:
        """Counts the words of documents, of which each is a list. Raises as `update_state`."""
        self._refuse_given()
        self._counts.add(documents)

    def reset_state(self) -> None:
        """Forgets the counts; the vocabulary stays."""
        self._counts.clear()
        self._is_adapted = False

    def finalize_state(self) -> None:
        """Makes the vocabulary of the words that were counted, the most frequent first, and forgets the counts.

        Raises RuntimeError if the output would have another size, ValueError for another number of weights than of words.
        """
        if self._has_input_vocabulary or not len(self._counts):
            self._check_size(self.vocabulary_size())
            self._check_idf()
            self._frozen_vocab_size = self.vocabulary_size()
            return
        special = [self._raw(token) for token in (self.mask_token, self.oov_token)]
        most = self.max_tokens - self._token_start() if self.max_tokens else None
        chosen = self._counts.chosen(special, most)
        words = np.empty(len(chosen), self._words.dtype)
        words[:] = chosen
        self._set_words(words)
        if self.output_mode == "tf_idf":
            learned = self._counts.inverse_document_frequencies(chosen).astype(as_dtype(self.compute_dtype).dtype)
            weights = np.concatenate([np.full(self._token_start(), learned.mean()), learned])
            unused = self.max_tokens - len(weights) if self.pad_to_max_tokens and self.max_tokens else 0
            self._idf = np.concatenate([weights, np.zeros(unused)])
        self._counts.clear()

    def _check_idf(self) -> None:
        size = self.max_tokens if self.pad_to_max_tokens else self.vocabulary_size()
        if self.output_mode == "tf_idf" and self._knows_words and len(self._idf) != size:
            raise ValueError(f"{self.name}: {size} tokens have as many `idf_weights`, got {len(self._idf)}.")

    def learned_weights(self) -> Sequence[LearnedWeight]:
        """Returns the words, unless they are an argument; and for tf_idf their weights and the count of documents."""
        idf, words, documents = self._learned_weights
        weighted, given = self.output_mode == "tf_idf", self._has_input_vocabulary
        return ((idf,) * weighted) + ((words,) * (not given)) + ((documents,) * (weighted and not given))

    def _idf_numbers(self) -> np.ndarray:
        return self._idf.astype(as_dtype(self.compute_dtype).dtype)

    def _idf_shape(self) -> tuple[int | None, ...]:
        return self._idf.shape if self._has_input_vocabulary else (None,)

    def _set_idf(self, weights: np.ndarray) -> None:
        self._idf = weights

    def _set_learned_words(self, words: np.ndarray) -> None:
        if len(words):
            self._set_words(words)

    def learned_beside_variables(self) -> bool:
        """Returns whether there are words that are no argument."""
        return self.input_vocabulary is None and self._knows_words

    def learned(self) -> Any:
        """Returns what this worker has counted."""
        return self._counts.state()

    def merge(self, states: list[Any]) -> None:
        """Replaces what has been counted by what all workers have."""
        self._counts.merge(states)

    def kept(self) -> Any:
        """Returns the vocabulary, unless it is an argument, and the weights of its words."""
        if self.input_vocabulary is not None:
            return {}
        return {"words": [as_text(word) for word in self._words.tolist()], "idf_weights": self._idf.tolist()}

    def take_up(self, state: Any) -> None:
        """Makes these the words. Raises RuntimeError if the output would have another size."""
        if state and state["words"] and self.input_vocabulary is None:
            words = np.empty(len(state["words"]), self._words.dtype)
            words[:] = [of_text(word) for word in state["words"]]
            self._set_words(words)
            self._idf = np.array(state["idf_weights"], np.float64)

    def words_and_weights(self) -> tuple[np.ndarray, np.ndarray]:
        """Returns the words without special tokens, and the weights of all tokens."""
        return self._words, self._idf

    def set_words_and_weights(self, words: np.ndarray, weights: np.ndarray) -> None:
        """Makes these the words and weights, as `words_and_weights` returned them."""
        self._set_words(words)
        self._idf = weights

    def _refuse_given(self) -> None:
        if self._has_input_vocabulary:
            raise ValueError(f"{self.name} cannot be adapted: its vocabulary was given when it was made.")

    # --- Calls --------------------------------------------------------------------------------------------------------

    def call(self, inputs: Any) -> Encoded:
        """Returns the numbers of words, or with `invert` the words of numbers; in other modes than int, vectors.

        inputs: of any shape, also ragged or sparse; (), (n,) or (rows, n) for vectors. Integers may be traced by a compiled
        step. Raises FailedPreconditionError for a layer that has no vocabulary yet, InvalidArgumentError for unknown words if
        `num_oov_indices` is 0, and RuntimeError for vectors of a size that is not known yet.
        """
        if self.invert and self.vocabulary_dtype == "string":
            return host_function(self._prepared)(inputs)
        return host_function_if_needed(self._prepared)(inputs)

    def _prepared(self, inputs: Any) -> Encoded:
        depth, dtype = self._depth(), self.compute_dtype if self.invert else self.vocabulary_dtype
        weights = self._idf if self.output_mode == "tf_idf" else None
        if is_composite(inputs):
            return encoded_composite(
                inputs,
                lambda keys: self.numbers_of(as_input(keys, dtype)),
                self.output_mode,
                depth,
                self.compute_dtype,
                factors=weights,
                sparse=self.sparse,
            )
        numbers = self.numbers_of(as_input(inputs, dtype))
        if self.output_mode == "int":
            return on_device(np.asarray(numbers)) if is_known(numbers) else numbers
        return encoded(numbers, self.output_mode, depth, self.compute_dtype, idf_weights=weights, sparse=self.sparse)

    def vectors_of(self, ids: np.ndarray, rows: np.ndarray, count: int) -> Tensor | SparseTensor:
        """Returns vectors, (count, tokens), of the number and the row of each word, (n,). Raises as `call`."""
        depth, kind, binary = self._depth(), as_dtype(self.compute_dtype).dtype, self.output_mode == "multi_hot"
        factors = self._idf.astype(kind) if self.output_mode == "tf_idf" else None
        return as_output(counted_entries(rows, ids, count, depth, kind, binary, factors=factors), self.sparse)

    def _depth(self) -> int:
        """The size of vectors. Raises RuntimeError if it is not known yet."""
        depth = self.max_tokens if self.pad_to_max_tokens else self._frozen_vocab_size
        if depth is None and self.output_mode != "int":
            raise RuntimeError(
                f"{self.name}: with output_mode={self.output_mode!r} and pad_to_max_tokens=False the vocabulary has to be "
                "known before the layer is called: pass `vocabulary`, or call `adapt` with data."
            )
        return depth or 0

    def numbers_of(self, keys: Any) -> Any:
        """Returns the numbers of words, or the words of numbers, on the host or in a step. Raises as `call`."""
        known = is_known(keys)
        choose = np.where if known else jnp.where
        with allow_x64(np.int64):
            found: Any = self._known().values_of(keys) if known else self._known().lookup(keys)
            if self.invert or self.num_oov_indices == 1:
                return found
            if self.num_oov_indices == 0:
                self._refuse_unknown(keys, found == -1)
                return found
            return choose(found == -1, self._oov_numbers(keys, found.dtype), found)

    def numbers_of_strings(self, words: Sequence[bytes]) -> np.ndarray:
        """Returns the numbers of words in a list, (n,). Raises as `call`."""
        if self.num_oov_indices == 1:
            return self._known().values_of_strings(words)
        array = np.empty(len(words), object)
        array[:] = words
        return np.asarray(self.numbers_of(array))

    def numbers_of_spans(self, words: StringSpans) -> np.ndarray:
        """Returns the numbers of words that are parts of a buffer, (n,). Raises as `call`."""
        return (
            self._known().values_of_spans(words)
            if self.num_oov_indices == 1
            else self.numbers_of_strings(words.strings())
        )

    def _known(self) -> StaticHashTable:
        """The table of the words. Raises FailedPreconditionError if there are none yet."""
        if not self._knows_words:
            raise FailedPreconditionError(
                f"{self.name} has no vocabulary, so every word would be unknown. Call `adapt` with data or `set_vocabulary` "
                "first, or load a file that has it: `.keras`, a SavedModel or a checkpoint, not `.h5` or `.weights.h5`."
            )
        return self._table

    def _oov_numbers(self, keys: Any, dtype: np.dtype) -> Any:
        """The number that each word has if it is unknown."""
        if self.vocabulary_dtype == "string":
            buckets = np.asarray(to_hash_bucket_fast(keys, self.num_oov_indices))
        else:
            buckets = keys % keys.dtype.type(self.num_oov_indices)
        return (buckets + buckets.dtype.type(self._oov_start())).astype(dtype)

    def _refuse_unknown(self, keys: Any, unknown: Any) -> None:
        text = f"{self.name}: with num_oov_indices=0 all inputs must be in the vocabulary; consider num_oov_indices=1."
        if not is_known(unknown):
            Assert(reduce_all(~unknown), [text])
        elif np.any(unknown):
            raise InvalidArgumentError(f"{text} It lacks {np.asarray(keys)[unknown].ravel().tolist()[:10]}.")

    def compute_output_shape(self, input_shape: Any) -> tuple[int | None, ...]:
        """Returns the shape of the output."""
        depth = self.max_tokens if self.pad_to_max_tokens else self._frozen_vocab_size
        return encoded_shape(input_shape, self.output_mode, depth)

    def compute_output_spec(self, inputs: Any) -> Any:
        """Returns the symbolic output for a symbolic input."""
        dtype = self.vocabulary_dtype if self.invert else self.compute_dtype
        return keras.KerasTensor(self.compute_output_shape(inputs.shape), dtype=dtype)

    # --- Saving -------------------------------------------------------------------------------------------------------

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments. A vocabulary that was learned is no argument: models are saved with it.

        A vocabulary that was read from a file is returned as its words, so that a saved model needs the file no more.
        """
        of_file = self._vocabulary_of_file
        return {
            **super().get_config(),
            "invert": self.invert,
            "max_tokens": self.max_tokens,
            "num_oov_indices": self.num_oov_indices,
            "oov_token": self.oov_token,
            "mask_token": self.mask_token,
            "output_mode": self.output_mode,
            "sparse": self.sparse,
            "pad_to_max_tokens": self.pad_to_max_tokens,
            "vocabulary_dtype": self.vocabulary_dtype,
            "idf_weights": listed(self.input_idf_weights),
            "vocabulary": lines_of_words(self._words) if of_file else listed(self.input_vocabulary),
            **({"vocabulary_of_file": True} if of_file else {}),
            "vocabulary_size": self._frozen_vocab_size,
        }

    def save_own_variables(self, store: dict[str, Any]) -> None:
        """Writes the weights of the words."""
        if self.output_mode == "tf_idf":
            store["idf_weights"] = self._idf

    def load_own_variables(self, store: dict[str, Any]) -> None:
        """Reads the weights of the words."""
        if self.output_mode == "tf_idf":
            self._idf = np.array(store["idf_weights"])

    def save_assets(self, dir_path: str) -> None:
        """Writes the vocabulary, unless it is an argument."""
        folder = local_path(dir_path)
        if self.input_vocabulary is None:
            save_vocabulary(folder, self.get_vocabulary())

    def load_assets(self, dir_path: str) -> None:
        """Reads the vocabulary."""
        if self.input_vocabulary is None:
            words = load_vocabulary(local_path(dir_path), self.vocabulary_dtype)
            if len(words) > self._token_start():  # the layer that was saved knew some
                self.set_vocabulary(words, False if self.output_mode == "tf_idf" else None)


def _is_path(vocabulary: Any) -> bool:
    return isinstance(vocabulary, str | os.PathLike)


def _documents(array: Any) -> list[list[Any]]:
    """The rows of an array as lists; one of at most one dimension is one document."""
    rows = array.reshape(1, -1) if array.ndim < 2 else array.reshape(array.shape[0], -1)
    found: list[list[Any]] = rows.tolist()
    return found
