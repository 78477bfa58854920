"""docs/coverage.md tells what tests and documents know, and has every address that messages about missing names give."""

import re
from pathlib import Path

import pytest

import stratagem as tf
from scripts import coverage
from stratagem._ops import anchor, tensorflow_names

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "coverage.md"


@pytest.fixture(scope="module")
def sections() -> list[coverage.Section]:
    """The namespaces with the states of their names."""
    return coverage.sections()


@pytest.fixture(scope="module")
def written() -> str:
    """The page as the script writes it now."""
    return coverage.page()


def test_messages_lead_to_a_heading_of_the_page() -> None:
    headings = re.findall(r"^## (.+)$", PAGE.read_text(encoding="utf-8"), re.M)
    addresses = {re.sub(r"[^\w -]", "", heading.lower()) for heading in headings}
    told = {anchor(namespace) for namespace in tensorflow_names() if not namespace.startswith("compat.v1.keras.")}
    assert sorted(told - addresses) == []
    with pytest.raises(AttributeError, match=r"See docs/coverage\.md#tfkeraslayers\."):
        tf.compat.v1.keras.layers.CuDNNLSTM  # noqa: B018


def test_the_page_leaves_what_the_checkers_table_is_made_of(written: str) -> None:
    (mirrored,) = (section for section in coverage.sections() if section.namespace == coverage.MIRRORED)
    assert "## tf.compat.v1.keras" in written
    assert [name for name in mirrored.states if "." in name] == []


def test_a_name_is_counted_once(written: str) -> None:
    assert " 0 as TensorFlow" not in written
    for state in coverage.STATES:
        assert f"**{state}**" in written


@pytest.mark.parametrize(
    ("path", "state"),
    [
        ("math.cumsum", "as TensorFlow"),
        ("data.NumpyIterator", "differs"),
        ("argsort", "differs"),
        ("raw_ops", "missing"),
    ],
)
def test_states_follow_from_tests_and_documents(sections: list[coverage.Section], path: str, state: str) -> None:
    namespace, _, name = path.rpartition(".")
    section = next(section for section in sections if section.namespace == namespace)
    assert section.states[name] == state
    assert (name in section.reasons) == (state in ("differs", "missing"))
