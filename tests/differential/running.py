"""Runs generated programs with either library as `tf`, and writes down what they showed."""

import linecache
from collections.abc import Iterator
from typing import Any

import numpy as np

from tests.differential.program import STRATEGIES, Program

Answer = dict[
    str, Any
]  # "shown": what was shown, leaf by leaf; "error": the names of the class and its bases, if it ended so


def make_strategy(tf: Any, name: str) -> Any:
    """The strategy of this name."""
    return eval(STRATEGIES[name][0], {"tf": tf})


def answer(tf: Any, strategy: Any, program: Program) -> Answer:
    """What the program shows, and the error that ended it, if one did."""
    shown: list[list[str]] = []
    file = f"program_{program.seed}_{program.index}.py"
    linecache.cache[file] = (
        len(program.text),
        None,
        program.text.splitlines(keepends=True),
        file,
    )  # AutoGraph reads it
    names = {"tf": tf, "strategy": strategy, "show": lambda value: shown.append(list(leaves(value)))}
    try:
        exec(compile(program.text, file, "exec"), names)
    except Exception as error:  # any: which error it is, is part of the answer
        kinds = [kind.__name__ for kind in type(error).__mro__ if kind not in (object, BaseException, Exception)]
        return {"shown": shown, "error": kinds, "message": str(error)}
    finally:
        del linecache.cache[file]
    return {"shown": shown}


def leaves(value: Any, path: str = "") -> Iterator[str]:
    """Every number of a nested structure with its path, dtype and shape; whole numbers and floats exactly."""
    if isinstance(value, dict):
        for key in sorted(value):
            yield from leaves(value[key], f"{path}/{key}")
    elif isinstance(value, list | tuple):
        for place, item in enumerate(value):
            yield from leaves(item, f"{path}/{place}")
    elif value is None or isinstance(value, str):
        yield f"{path} {value!r}"
    else:
        array = np.asarray(value.numpy() if hasattr(value, "numpy") else value)
        shape = "x".join(map(str, array.shape))
        numbers = [repr(number) for number in _exact(array).ravel().tolist()]
        yield " ".join((path, f"{array.dtype.name}[{shape}]", *numbers))


def _exact(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The same numbers in a dtype that Python has."""
    return array.astype(np.float64) if array.dtype.name in ("bfloat16", "float16", "float32") else array
