"""tf.compat.v1.debugging: the names of tf.debugging, some with other arguments."""

from typing import Any as _Any

from stratagem._tf1.graph.functions.reordered import assert_equal as assert_equal
from stratagem._tf1.graph.functions.reordered import assert_greater as assert_greater
from stratagem._tf1.graph.functions.reordered import assert_greater_equal as assert_greater_equal
from stratagem._tf1.graph.functions.reordered import assert_less as assert_less
from stratagem._tf1.graph.functions.reordered import assert_less_equal as assert_less_equal
from stratagem._tf1.graph.functions.reordered import assert_near as assert_near
from stratagem._tf1.graph.functions.reordered import assert_negative as assert_negative
from stratagem._tf1.graph.functions.reordered import assert_non_negative as assert_non_negative
from stratagem._tf1.graph.functions.reordered import assert_non_positive as assert_non_positive
from stratagem._tf1.graph.functions.reordered import assert_none_equal as assert_none_equal
from stratagem._tf1.graph.functions.reordered import assert_positive as assert_positive
from stratagem._tf1.graph.functions.reordered import assert_rank as assert_rank
from stratagem._tf1.graph.functions.reordered import assert_rank_at_least as assert_rank_at_least
from stratagem._tf1.graph.functions.reordered import assert_rank_in as assert_rank_in
from stratagem._tf1.graph.functions.reordered import assert_scalar as assert_scalar
from stratagem._tf1.graph.functions.reordered import verify_tensor_all_finite as assert_all_finite  # noqa: F401
from stratagem.compat.v1._names import public_name as _public_name


def __getattr__(name: str) -> _Any:
    return _public_name("debugging", name)
