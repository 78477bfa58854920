# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.
# mypy: disable-error-code="misc, override"

from typing import Any

__all__ = [
    "SKLearnClassifier", "SKLearnRegressor", "SKLearnTransformer"
]  # fmt: skip

class SKLearnClassifier:
    classes_: Any
    fit_kwargs: Any
    history_: Any
    model: Any
    model_: Any
    model_kwargs: Any
    warm_start: Any
    def decision_function(self, X: Any) -> Any: ...
    def __init__(
        self, model: Any, warm_start: Any = False, model_kwargs: Any = None, fit_kwargs: Any = None
    ) -> None: ...
    @property
    def epoch_(self) -> Any: ...
    def set_fit_request(self, **kwargs: Any) -> Any: ...
    def fit(self, X: Any, y: Any, **kwargs: Any) -> Any: ...
    def predict(self, X: Any) -> Any: ...

class SKLearnRegressor:
    fit_kwargs: Any
    history_: Any
    model: Any
    model_: Any
    model_kwargs: Any
    warm_start: Any
    def __init__(
        self, model: Any, warm_start: Any = False, model_kwargs: Any = None, fit_kwargs: Any = None
    ) -> None: ...
    @property
    def epoch_(self) -> Any: ...
    def set_fit_request(self, **kwargs: Any) -> Any: ...
    def fit(self, X: Any, y: Any, **kwargs: Any) -> Any: ...
    def predict(self, X: Any) -> Any: ...

class SKLearnTransformer:
    fit_kwargs: Any
    history_: Any
    model: Any
    model_: Any
    model_kwargs: Any
    warm_start: Any
    def transform(self, X: Any) -> Any: ...
    def __init__(
        self, model: Any, warm_start: Any = False, model_kwargs: Any = None, fit_kwargs: Any = None
    ) -> None: ...
    @property
    def epoch_(self) -> Any: ...
    def set_fit_request(self, **kwargs: Any) -> Any: ...
    def fit(self, X: Any, y: Any, **kwargs: Any) -> Any: ...
    def predict(self, X: Any) -> Any: ...
