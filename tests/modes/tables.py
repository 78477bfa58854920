"""All things by name, and where TensorFlow's results are."""

from pathlib import Path

from tests.modes import flow, layers, losses, operations
from tests.modes.thing import Thing

TABLES = (operations, flow, layers, losses)
THINGS: dict[str, Thing] = {thing.name: thing for table in TABLES for thing in table.things()}
RECORDED = Path(__file__).parent / "recorded" / "tensorflow.json.gz"
