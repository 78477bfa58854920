"""The README's example runs as it stands, and every link in the documents leads somewhere."""

import os
import re
from pathlib import Path

import pytest

from tests import prepared

ROOT = Path(__file__).parents[2]
DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("benchmarks/*.md")])


def test_readme_example_trains_on_two_replicas(tmp_path: Path) -> None:
    code = re.search(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.S)
    assert code is not None
    (tmp_path / "example.py").write_text(code[1] + "\nprint('replicas', strategy.num_replicas_in_sync)\n")
    environment = {**os.environ, "JAX_NUM_CPU_DEVICES": "2", "PYTHONPATH": str(ROOT / "src")}
    done = prepared.run(tmp_path / "example.py", directory=tmp_path, environment=environment)
    assert done.returncode == 0, done.stderr
    losses = [float(loss) for loss in re.findall(r"epoch \d: loss ([\d.]+)", done.stdout)]
    assert len(losses) == 5
    assert losses[-1] < losses[0] / 2
    assert "replicas 2" in done.stdout


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_links_lead_to_files(document: Path) -> None:
    targets = re.findall(r"\]\((?!https?:)([^)#]+)", document.read_text())
    missing = [target for target in targets if not (document.parent / target).exists()]
    assert missing == []
