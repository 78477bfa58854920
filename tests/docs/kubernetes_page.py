"""The Kubernetes objects of docs/kubernetes.md, and the file with the schemas that they are held against."""

import re
from pathlib import Path
from typing import Any

import yaml

PAGE = Path(__file__).parents[2] / "docs" / "kubernetes.md"
RECORDED = Path(__file__).with_name("kubernetes_schemas.json")
_BLOCK = re.compile(r"^```yaml\n(.*?)^```", re.M | re.S)


def objects() -> list[dict[str, Any]]:
    """What the page has `kubectl apply` make, in its order."""
    blocks = _BLOCK.findall(PAGE.read_text(encoding="utf-8"))
    return [each for block in blocks for each in yaml.safe_load_all(block)]
