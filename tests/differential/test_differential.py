"""Programs that a grammar generates answer as TensorFlow 2.15.1 answered them: at every place, under every strategy."""

import re
from pathlib import Path

import pytest

from tests.differential import differences, recordings
from tests.differential.answers import difference
from tests.differential.comparing import compare, report
from tests.differential.generate import generate
from tests.sample import day

DECISIONS = Path(__file__).parents[2] / "docs" / "decisions.md"


def assert_none_differs(strategy: str, rows: list[recordings.Row]) -> None:
    """Every answer is TensorFlow's, or a row says why not."""
    found = report(compare(strategy, rows))
    seed = f"STRATAGEM_DIFFERENTIAL_SEED={day()}"
    assert not found, f"{len(found)} of {len(rows)} programs differ ({seed})\n" + "\n\n".join(found[:5])


@pytest.mark.parametrize("strategy", recordings.SAMPLE)
def test_a_sample_of_programs_answers_as_tensorflow_does(strategy: str) -> None:
    print(f"STRATAGEM_DIFFERENTIAL_SEED={day()}")
    assert_none_differs(strategy, recordings.sample(strategy))


@pytest.mark.thorough
@pytest.mark.timeout(1200)
@pytest.mark.parametrize(("strategy", "place"), recordings.chunks())
def test_every_recorded_program_answers_as_tensorflow_does(strategy: str, place: int) -> None:
    assert_none_differs(strategy, recordings.chunk(strategy, place))


def test_a_program_of_a_seed_is_always_the_same() -> None:
    once = [generate(7, index) for index in range(20)]
    assert [generate(7, index) for index in range(20)] == once
    assert len({program.text for program in once}) == 20
    assert generate(8, 0).text != once[0].text


@pytest.mark.parametrize(
    ("found", "wanted"),
    [
        ({"shown": [[" float32[] 1.0"]]}, {"shown": [[" float32[] 1.0001"]]}),
        ({"shown": [[" float32[] 1.0"]]}, {"shown": [[" float64[] 1.0"]]}),
        ({"shown": [[" float32[1] 1.0"]]}, {"shown": [[" float32[] 1.0"]]}),
        ({"shown": [["/0 int32[] 1"]]}, {"shown": [["/a int32[] 1"]]}),
        ({"shown": [[" int32[] 1"]]}, {"shown": [[" int32[] 1", "/1 int32[] 1"]]}),
        ({"shown": [[" bool[] True"]]}, {"shown": [[" bool[] False"]]}),
        ({"shown": [[" float32[] nan"]]}, {"shown": [[" float32[] 1.0"]]}),
        ({"shown": []}, {"shown": [[" int32[] 1"]]}),
        ({"shown": []}, {"shown": [], "error": ["ValueError"]}),
        ({"shown": [], "error": ["ValueError"]}, {"shown": []}),
        ({"shown": [], "error": ["ValueError"]}, {"shown": [], "error": ["InvalidArgumentError", "OpError"]}),
    ],
)
def test_another_number_dtype_shape_structure_or_error_is_a_difference(
    found: dict[str, list[str]], wanted: dict[str, list[str]]
) -> None:
    assert difference(found, wanted)
    assert not difference(found, found)
    assert not difference(wanted, wanted)


def test_every_deliberate_difference_is_a_rule_of_the_decisions_and_still_there() -> None:
    rules = set(re.findall(r"^- \*\*(.+?)\*\*", DECISIONS.read_text().replace("\n  ", " "), re.MULTILINE))
    assert len(differences.ROWS) <= differences.MOST
    seen = compared({row.example for row in differences.ROWS})
    for row in differences.ROWS:
        assert row.rule in rules, f"{row.rule!r} is not how a rule of docs/decisions.md begins"
        assert row.features, "a row names what a program must have"
        said, found = seen[row.example]
        assert said, f"program {row.example} answers as TensorFlow does now: take the row away"
        assert found is row


@pytest.mark.thorough
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("strategy", recordings.SAMPLE)
def test_every_open_difference_is_still_there(strategy: str) -> None:
    seen = compared({(strategy, index) for index in recordings.open_differences(strategy)})
    gone = [place for place, (said, row) in seen.items() if not said or row]
    assert not gone, f"take {gone} out of recorded/open.json"


def compared(programs: set[tuple[str, int]]) -> dict[tuple[str, int], tuple[str | None, differences.Deliberate | None]]:
    """Of programs (a strategy and an index): what differs, and the row that explains it."""
    seen: dict[tuple[str, int], tuple[str | None, differences.Deliberate | None]] = {}
    for strategy in {strategy for strategy, _ in programs}:
        rows = [row for row in recordings.recorded(strategy) if (strategy, row["i"]) in programs]
        for program, said, found in compare(strategy, rows):
            seen[strategy, program.index] = said, found
    assert set(seen) == programs, "a program is not recorded"
    return seen
