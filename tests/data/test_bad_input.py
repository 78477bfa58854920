"""What pipelines of images and texts cannot use is an error of TensorFlow's class that names it, soon and without memory."""

import json
from pathlib import Path

import pytest

import stratagem as tf
from tests import prepared
from tests.data.bad_input import RECORDED, cases, write_files

CLASSES = json.loads(RECORDED.read_text())
# Everything fails in a process that may take 256 MiB more than it has once all kinds of programs were compiled.
PROGRAM = """
import json, resource, sys
from pathlib import Path
import stratagem as tf
from tests.data.bad_input import cases, outcomes

folder = Path(sys.argv[1])
before = {name: call for name, (call, _) in cases(tf, folder).items() if "cut.jpg" in name or "beyond" in name}
for call in before.values():
    try:
        call()
    except tf.errors.InvalidArgumentError:
        pass
size = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (size + 2**28,) * 2)
print(json.dumps(outcomes(tf, folder)))
"""


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, str]]:
    folder = tmp_path_factory.mktemp("bad_input")
    write_files(tf, folder)
    done = prepared.run(PROGRAM, folder, directory=Path(__file__).parents[2])
    assert done.returncode == 0, done.stderr
    answers: dict[str, dict[str, str]] = json.loads(done.stdout)
    return answers


@pytest.mark.parametrize("name", CLASSES)
def test_bad_input_is_an_error_of_tensorflows_class_that_names_it(name: str, found: dict[str, dict[str, str]]) -> None:
    assert found[name]["class"] == CLASSES[name], found[name]["text"]
    assert cases(tf, Path("."))[name][1] in found[name]["text"]


def test_every_case_was_recorded() -> None:
    assert list(cases(tf, Path("."))) == list(CLASSES)
