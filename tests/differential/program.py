"""A generated program: its text, what occurs in it, and the text that a person can paste and run."""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import final

# How each strategy is made, with how many replicas in a process, and how large its share of the programs is.
STRATEGIES = {
    "default": ("tf.distribute.get_strategy()", 1, 0.08),
    "one_device": ('tf.distribute.OneDeviceStrategy("CPU:0")', 1, 0.08),
    "mirrored_1": ('tf.distribute.MirroredStrategy(["CPU:0"])', 1, 0.08),
    "mirrored_2": ('tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])', 2, 0.51),
    "mirrored_4": ('tf.distribute.MirroredStrategy(["CPU:0", "CPU:1", "CPU:2", "CPU:3"])', 4, 0.15),
    "two_processes": ("tf.distribute.MultiWorkerMirroredStrategy()", 1, 0.1),
}


@final
@dataclass(frozen=True)
class Program:
    """`text` runs with the names `tf`, `strategy` and `show`; `features` says what occurs in it."""

    seed: int
    index: int
    strategy: str
    text: str
    features: frozenset[str]

    @property
    def digest(self) -> str:
        """Eight letters that another text does not share."""
        return hashlib.sha256(self.text.encode()).hexdigest()[:8]

    def standing_alone(self, library: str) -> str:
        """The program as a file of its own; `library`: `stratagem` or `tensorflow`."""
        lines = [f"# program {self.index} of seed {self.seed}", f"import {library} as tf"]
        make, devices, _ = STRATEGIES[self.strategy]
        if devices > 1:
            made = f"[tf.config.LogicalDeviceConfiguration()] * {devices}"
            lines += [f'tf.config.set_logical_device_configuration(tf.config.list_physical_devices("CPU")[0], {made})']
        lines += ["", f"strategy = {make}", "show = print"]
        return "\n".join(lines) + "\n\n" + self.text


@final
class Writer:
    """Collects the lines of a program, indented, and what occurs in them."""

    def __init__(self) -> None:
        self.features: set[str] = set()
        self._lines: list[str] = []
        self._depth = 0
        self._names: dict[str, int] = {}

    def line(self, text: str, *features: str) -> None:
        """One line at the present depth."""
        self._lines.append("    " * self._depth + text)
        self.features.update(features)

    @contextmanager
    def block(self, header: str, *features: str) -> Iterator[None]:
        """What is written in the body of `with` is indented under this header."""
        self.line(header, *features)
        self._depth += 1
        yield
        self._depth -= 1

    def name(self, prefix: str) -> str:
        """A name that nothing has yet."""
        self._names[prefix] = self._names.get(prefix, 0) + 1
        return f"{prefix}{self._names[prefix]}"

    @property
    def text(self) -> str:
        """All lines."""
        return "\n".join(self._lines) + "\n"
