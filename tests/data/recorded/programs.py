"""All programs, by name."""

from .answers import Program
from .applying import APPLIED, FLAT, GROUPS
from .batching import BATCHES, PADDED, WINDOWS
from .experimental import DEVICES, ELEMENTS, FILLED, OPTIONS, REDUCED, RESAMPLED
from .ordering import ORDER, SHUFFLED
from .records import EXAMPLES, SQL
from .saving import SAVED, SNAPSHOTS
from .sources import FACTS, SEVERAL, SOURCES

_TABLES = {
    "": {**SOURCES, **SEVERAL, **FACTS, **ORDER, **BATCHES, **APPLIED, **FLAT},
    "shuffle: ": SHUFFLED,
    "padded_batch: ": PADDED,
    "window: ": WINDOWS,
    "group: ": GROUPS,
    "save: ": SAVED,
    "snapshot: ": SNAPSHOTS,
    "reduce by key: ": REDUCED,
    "at: ": ELEMENTS,
    "pad: ": FILLED,
    "resample: ": RESAMPLED,
    "options: ": OPTIONS,
    "devices and specs: ": DEVICES,
    "sql: ": SQL,
    "examples: ": EXAMPLES,
}

PROGRAMS: dict[str, Program] = {
    prefix + name: program for prefix, table in _TABLES.items() for name, program in table.items()
}
