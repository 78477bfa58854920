"""Programs whose step has the same numbers in every form: the program of an index is always the same."""

import hashlib
from dataclasses import dataclass

from tests.core.eager.compositions.operations import SHAPES, Value
from tests.differential.drawing import Draw
from tests.differential.forms.statements import StepComposer

SEED = 23
FORMS = ("eager", "function", "replica_1", "replica_2", "host")


@dataclass(frozen=True)
class Program:
    """`text` runs with the names `tf`, `main` and `other` (dtypes), `scope`, `run`, `replicas` and `show`.

    decides: Python decides on tensors, which a replica function cannot. around: a tape is open around calls of the step.
    """

    index: int
    main: str
    text: str
    decides: bool
    around: bool

    @property
    def digest(self) -> str:
        """Eight letters that another program does not share."""
        return hashlib.sha256(f"{self.main}\n{self.text}".encode()).hexdigest()[:8]

    @property
    def mixed(self) -> bool:
        """Whether some of it is computed in another dtype than `main`."""
        return any(word in self.text for word in ("other", "keras.losses", "keras.metrics"))

    @property
    def rounded(self) -> bool:
        """Whether TensorFlow rounds an optimizer's numbers to float32, and so the weights."""
        return self.main == "float64" and "keras.optimizers" in self.text and "optimizers.SGD" not in self.text

    @property
    def forms(self) -> tuple[str, ...]:
        """How it can run."""
        if self.decides:
            return tuple(form for form in FORMS if "replica" not in form)
        return tuple(form for form in FORMS if not (self.around and form == "replica_2"))


def generate(index: int) -> Program:
    """Program `index`."""
    draw = Draw(f"forms/{SEED}/{index}")
    composer = StepComposer(draw)
    composer.make_objects()
    composer.make_functions()
    inputs = [Value(f"x{i}", draw.one(SHAPES)) for i in range(draw.number(1, 2))]
    composer.write_step(inputs)
    for value in inputs:
        composer.writer.line(f"{value.text} = {composer.constant(value.shape)}")
    around = draw.chance(0.2)
    for _ in range(draw.weighted({2: 0.6, 3: 0.4})):
        composer.between()
        composer.call(inputs, around=around)
    composer.look()
    return Program(index, draw.one(("float32", "float64")), composer.writer.text, composer.decides, around)
