"""`tf.summary.experimental`: the default step, summary scopes, and raw protobuf summaries."""

from stratagem._events import get_step as get_step
from stratagem._events import set_step as set_step
from stratagem._events import summary_scope as summary_scope
from stratagem._events import write_raw_pb as write_raw_pb
from stratagem._ops import not_provided as _not_provided


def __getattr__(name: str) -> object:
    raise _not_provided("summary.experimental", name)
