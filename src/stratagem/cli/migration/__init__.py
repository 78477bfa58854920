"""The migration checker: what a program of TensorFlow's uses, found in its text, and whether it works here.

In: paths of Python files, notebooks and folders.
Out: a `CheckReport`; texts, JSON and a page made of it; edits of import statements.
Never: imports or runs anything of the program, nor loads JAX, Keras or NumPy.
"""

from stratagem.cli.migration._edits import Edited as Edited
from stratagem.cli.migration._edits import edited as edited
from stratagem.cli.migration._edits import write as write
from stratagem.cli.migration._findings import CheckReport as CheckReport
from stratagem.cli.migration._page import page as page
from stratagem.cli.migration._repository import examine as examine
from stratagem.cli.migration._texts import facts as facts
from stratagem.cli.migration._texts import lines as lines
from stratagem.cli.migration._texts import plain as plain
