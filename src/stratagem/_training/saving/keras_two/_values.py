"""Values in configurations of Keras 2 that JSON has not."""

from typing import Any


def plain_value(value: dict[str, Any]) -> Any:
    """Returns a value that JSON has not, as Keras 3 writes it; None for other dictionaries."""
    match value:
        case {"class_name": "__ellipsis__"}:
            return {"class_name": "__ellipsis__", "config": {}}
        case {"class_name": "__tuple__" | "TensorShape", "items": list(items)}:
            return items
    return None
