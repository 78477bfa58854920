# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.
# mypy: disable-error-code="misc, override"

from typing import Any

from stratagem._preprocessing import tokenizer_from_json as tokenizer_from_json

__all__ = [
    "Tokenizer", "hashing_trick", "one_hot", "text_to_word_sequence", "tokenizer_from_json"
]  # fmt: skip

class Tokenizer:
    analyzer: Any
    char_level: Any
    document_count: Any
    filters: Any
    index_docs: Any
    index_word: Any
    lower: Any
    num_words: Any
    oov_token: Any
    split: Any
    word_counts: Any
    word_docs: Any
    word_index: Any
    def __init__(
        self,
        num_words: Any = None,
        filters: Any = '!"#$%&()*+,-./:;<=>?@[\\]^_`{|}~\t\n',
        lower: Any = True,
        split: Any = " ",
        char_level: Any = False,
        oov_token: Any = None,
        analyzer: Any = None,
        **kwargs: Any,
    ) -> None: ...
    def fit_on_texts(self, texts: Any) -> Any: ...
    def fit_on_sequences(self, sequences: Any) -> Any: ...
    def texts_to_sequences(self, texts: Any) -> Any: ...
    def texts_to_sequences_generator(self, texts: Any) -> Any: ...
    def sequences_to_texts(self, sequences: Any) -> Any: ...
    def sequences_to_texts_generator(self, sequences: Any) -> Any: ...
    def texts_to_matrix(self, texts: Any, mode: Any = "binary") -> Any: ...
    def sequences_to_matrix(self, sequences: Any, mode: Any = "binary") -> Any: ...
    def get_config(self) -> Any: ...
    def to_json(self, **kwargs: Any) -> Any: ...

def hashing_trick(
    text: Any,
    n: Any,
    hash_function: Any = None,
    filters: Any = '!"#$%&()*+,-./:;<=>?@[\\]^_`{|}~\t\n',
    lower: Any = True,
    split: Any = " ",
    analyzer: Any = None,
) -> Any: ...
def one_hot(
    input_text: Any,
    n: Any,
    filters: Any = '!"#$%&()*+,-./:;<=>?@[\\]^_`{|}~\t\n',
    lower: Any = True,
    split: Any = " ",
    analyzer: Any = None,
) -> Any: ...
def text_to_word_sequence(
    input_text: Any, filters: Any = '!"#$%&()*+,-./:;<=>?@[\\]^_`{|}~\t\n', lower: Any = True, split: Any = " "
) -> Any: ...
