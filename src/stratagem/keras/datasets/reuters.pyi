# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.
# mypy: disable-error-code="misc, override"

from typing import Any

__all__ = [
    "get_label_names", "get_word_index", "load_data"
]  # fmt: skip

def get_label_names() -> Any: ...
def get_word_index(path: Any = "reuters_word_index.json") -> Any: ...
def load_data(
    path: Any = "reuters.npz",
    num_words: Any = None,
    skip_top: Any = 0,
    maxlen: Any = None,
    test_split: Any = 0.2,
    seed: Any = 113,
    start_char: Any = 1,
    oov_char: Any = 2,
    index_from: Any = 3,
) -> Any: ...
