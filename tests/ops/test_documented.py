"""docs/tensor_functions.md lists every name that the namespaces provide."""

import importlib
import re
from pathlib import Path

import pytest

from tests.ops.facade import NAMESPACES

PAGE = Path(__file__).parents[2] / "docs" / "tensor_functions.md"


@pytest.mark.parametrize("namespace", [*NAMESPACES, "io.gfile", "nn.experimental"])
def test_every_name_is_listed(namespace: str) -> None:
    listed = {part for quoted in re.findall(r"`([^`]+)`", PAGE.read_text()) for part in quoted.split(".")}
    provided = [n for n in vars(importlib.import_module(f"stratagem.{namespace}")) if not n.startswith("_")]
    assert sorted(set(provided) - listed - {"boolean"}) == []
