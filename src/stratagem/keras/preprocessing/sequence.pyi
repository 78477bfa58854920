# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.
# mypy: disable-error-code="misc, override"

from typing import Any

from stratagem.keras.utils import PyDataset as _utils_PyDataset
from stratagem.keras.utils import pad_sequences as pad_sequences

__all__ = [
    "TimeseriesGenerator", "make_sampling_table", "pad_sequences", "skipgrams"
]  # fmt: skip

class TimeseriesGenerator(_utils_PyDataset):
    batch_size: Any
    data: Any
    end_index: Any
    length: Any
    reverse: Any
    sampling_rate: Any
    shuffle: Any
    start_index: Any
    stride: Any
    targets: Any
    def __init__(
        self,
        data: Any,
        targets: Any,
        length: Any,
        sampling_rate: Any = 1,
        stride: Any = 1,
        start_index: Any = 0,
        end_index: Any = None,
        shuffle: Any = False,
        reverse: Any = False,
        batch_size: Any = 128,
        **kwargs: Any,
    ) -> None: ...
    def __len__(self) -> Any: ...
    def __getitem__(self, index: Any) -> Any: ...
    def get_config(self) -> Any: ...
    def to_json(self, **kwargs: Any) -> Any: ...

def make_sampling_table(size: Any, sampling_factor: Any = 1e-05) -> Any: ...
def skipgrams(
    sequence: Any,
    vocabulary_size: Any,
    window_size: Any = 4,
    negative_samples: Any = 1.0,
    shuffle: Any = True,
    categorical: Any = False,
    sampling_table: Any = None,
    seed: Any = None,
) -> Any: ...
