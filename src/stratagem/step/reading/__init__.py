"""What an undecorated function can read beside tensors: nothing else in `step` looks into objects of the user's."""

from stratagem.step.reading._places import filled as filled
from stratagem.step.reading._plans import MOST_VARIANTS as MOST_VARIANTS
from stratagem.step.reading._plans import Plan as Plan
from stratagem.step.reading._plans import Reading as Reading
from stratagem.step.reading._plans import Reads as Reads
from stratagem.step.reading._plans import Variant as Variant
from stratagem.step.reading._plans import described_path as described_path
from stratagem.step.reading._walk import Path as Path
