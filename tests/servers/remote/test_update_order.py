"""A server changes tables in place: they are given to an update in the order in which it returns them."""

from hypothesis import given
from hypothesis import strategies as st

# Private: no server says where its tables lie.
from stratagem._servers.remote._update import UpdateSpec


@st.composite
def specs(draw: st.DrawFn) -> UpdateSpec:
    by_rows = draw(st.lists(st.none() | st.integers(0, 2), max_size=8))
    written = draw(st.lists(st.sampled_from(range(len(by_rows))), unique=True)) if by_rows else []
    return UpdateSpec((), tuple(by_rows), tuple(written))


@given(specs())
def test_values_are_split_and_joined_again(spec: UpdateSpec) -> None:
    values = list(range(len(spec.by_rows)))
    tables, others = spec.split(values)
    assert spec.joined(tables, others) == values
    assert {spec.by_rows[j] is None for j in tables} <= {False}
    assert {spec.by_rows[j] is None for j in others} <= {True}


@given(specs())
def test_tables_come_in_the_order_in_which_they_are_written(spec: UpdateSpec) -> None:
    tables, _ = spec.split(range(len(spec.by_rows)))
    returned = [j for j in spec.written if spec.by_rows[j] is not None]
    assert tables[: len(returned)] == returned
