"""Where Stratagem answers otherwise than TensorFlow on purpose: each row is one rule of docs/decisions.md."""

from dataclasses import dataclass
from typing import final

from tests.differential.program import Program
from tests.differential.running import Answer

MOST = 15  # rows


@final
@dataclass(frozen=True)
class Deliberate:
    """A deliberate difference.

    rule: the words in bold with which the rule begins. features: what a program must have, all of it. ends: the class of
    the error that Stratagem ends such a program with, or TensorFlow does, or None where both give values. example: a
    strategy, and the index of a recorded program that shows the difference.
    """

    rule: str
    features: frozenset[str]
    stratagem_raises: str | None
    tensorflow_raises: str | None
    example: tuple[str, int]

    def explains(self, program: Program, found: Answer, wanted: Answer) -> bool:
        """Whether this is why the answers to a program differ."""
        raised = tuple(answer.get("error", [None])[0] for answer in (found, wanted))
        return self.features <= program.features and raised == (self.stratagem_raises, self.tensorflow_raises)


ROWS: tuple[Deliberate, ...] = (
    Deliberate(
        "Mirrored variables in replica functions",
        frozenset({"a copy assigned what may differ"}),
        "DivergenceError",
        None,
        ("mirrored_2", 663),
    ),
    Deliberate(
        "An integer that is assigned to a SUM is preserved exactly",
        frozenset({"a whole number divided"}),
        None,
        None,
        ("mirrored_2", 895),
    ),
    Deliberate(
        "Cross-replica code assigns one value",
        frozenset({"a variable assigned copy by copy"}),
        None,
        None,
        ("mirrored_2", 233),
    ),
    Deliberate(
        "In a compiled function, local results are those of all replicas of the job",
        frozenset({"two_processes", "local results used in a function"}),
        None,
        None,
        ("two_processes", 201),
    ),
    Deliberate(
        "ONLY_FIRST_REPLICA is the first replica of the job",
        frozenset({"two_processes", "mirrored ONLY_FIRST_REPLICA assigned in replica"}),
        None,
        None,
        ("two_processes", 113),
    ),
    Deliberate(
        "ONLY_FIRST_REPLICA is the first replica of the job",
        frozenset({"two_processes", "ON_READ/ONLY_FIRST_REPLICA"}),
        None,
        None,
        ("two_processes", 1169),
    ),
    Deliberate(
        "Without aggregation, nothing is refused",
        frozenset({"replicas' own values used for all"}),
        None,
        "ValueError",
        ("two_processes", 5890),
    ),
    Deliberate(
        "Without aggregation, nothing is refused",
        frozenset({"mirrored_1", "added to a sum of all replicas"}),
        None,
        "ValueError",
        ("mirrored_1", 1282),
    ),
    Deliberate(
        "`all_reduce` accepts any tensor",
        frozenset({"mirrored_1", "tf.function", "all_reduce"}),
        None,
        "ValueError",
        ("mirrored_1", 2199),
    ),
    Deliberate(
        "A MEAN of complex numbers is allowed",
        frozenset({"MEAN of complex64"}),
        None,
        "ValueError",
        ("mirrored_4", 8107),
    ),
    Deliberate(
        "Nadam's product of momenta advances once per step",
        frozenset({"Nadam"}),
        None,
        None,
        ("mirrored_2", 15),
    ),
    Deliberate(
        "Uneven batches",
        frozenset({"dataset"}),
        "UnimplementedError",
        None,
        ("mirrored_2", 1296),
    ),
)


def explained(program: Program, found: Answer, wanted: Answer) -> Deliberate | None:
    """The row that explains why these answers differ."""
    return next((row for row in ROWS if row.explains(program, found, wanted)), None)
