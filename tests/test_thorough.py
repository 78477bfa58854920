"""Which instances of a test `make test` leaves to `make thorough`."""

from dataclasses import dataclass, field

import pytest

from tests.thorough import mark_beyond_the_sample


@dataclass
class Instance:
    """What is asked of an instance of a test."""

    nodeid: str
    marks: set[str] = field(default_factory=set)

    def get_closest_marker(self, name: str) -> str | None:
        return name if name in self.marks else None

    def add_marker(self, mark: pytest.MarkDecorator) -> None:
        self.marks.add(mark.name)


def left(seed: int, of_long: int = 0) -> set[str]:
    """The instances that are not thorough. of_long: how many a long table has."""
    items = [Instance(f"test_long[{i}]", {"sampled"}) for i in range(of_long)]
    items += [Instance(f"test_a[{i}]", {"sampled"}) for i in range(3)] + [Instance(f"test_b[{i}]") for i in range(2)]
    items += [Instance("test_c[0]", {"sampled", "thorough"}), Instance("test_c[1]", {"sampled"})]
    mark_beyond_the_sample(items, seed)  # type: ignore[arg-type]
    return {item.nodeid for item in items if "thorough" not in item.marks}


def test_three_days_have_all_instances_each_once() -> None:
    days = [left(seed) - {"test_b[0]", "test_b[1]"} for seed in (20261130, 20261131, 20261132)]
    assert sorted(name for day in days for name in day) == [*(f"test_a[{i}]" for i in range(3)), "test_c[1]"]


@pytest.mark.parametrize(("count", "days"), [(4, 5), (11, 5), (12, 8), (49, 8), (50, 12)])
def test_more_days_have_all_instances_of_a_longer_table(count: int, days: int) -> None:
    found = [[name for name in left(seed, count) if name.startswith("test_long")] for seed in range(days)]
    assert sorted(name for day in found for name in day) == sorted(f"test_long[{i}]" for i in range(count))
    assert max(map(len, found)) - min(map(len, found)) <= 1


def test_tests_of_one_instance_take_turns() -> None:
    found = []
    for seed in range(3):
        items = [Instance(f"test_file.py::test_{name}", {"sampled"}) for name in "abc"]
        mark_beyond_the_sample(items, seed)  # type: ignore[arg-type]
        found += [item.nodeid for item in items if "thorough" not in item.marks]
    assert sorted(found) == [f"test_file.py::test_{name}" for name in "abc"]


def test_others_are_not_sampled() -> None:
    assert {"test_b[0]", "test_b[1]"} <= left(0)
