"""All programs, by name."""

from .answers import Program
from .applying import APPLIED, FLAT, GROUPS
from .batching import BATCHES, PADDED, WINDOWS
from .ordering import ORDER, SHUFFLED
from .sources import FACTS, SEVERAL, SOURCES

_TABLES = {
    "": {**SOURCES, **SEVERAL, **FACTS, **ORDER, **BATCHES, **APPLIED, **FLAT},
    "shuffle: ": SHUFFLED,
    "padded_batch: ": PADDED,
    "window: ": WINDOWS,
    "group: ": GROUPS,
}

PROGRAMS: dict[str, Program] = {
    prefix + name: program for prefix, table in _TABLES.items() for name, program in table.items()
}
