"""Summaries and profiles for TensorBoard: records what code writes, inside of steps too, and what steps do, to files.

In: numbers, arrays, pictures, texts, with a name and a step.
Out: event files that TensorBoard reads, written by a thread and complete when a writer is closed or flushed.
Never: makes a step wait for a disk.
"""

from stratagem._events._messages import SummaryMessage as SummaryMessage
from stratagem._events._messages import SummaryValue as SummaryValue
from stratagem._events._profiler import start_profile as start_profile
from stratagem._events._profiler import stop_profile as stop_profile
from stratagem._events._scalars import read_scalars as read_scalars
from stratagem._events._scalars import write_scalars as write_scalars
from stratagem._events._scalars import write_summary as write_summary
from stratagem._events._scalars import write_text as write_text
from stratagem._events._serialized_summaries import serialized_summaries as serialized_summaries
from stratagem._events._step_profile import BEGIN as BEGIN
from stratagem._events._step_profile import COMPLETE as COMPLETE
from stratagem._events._step_profile import END as END
from stratagem._events._step_profile import ENDED as ENDED
from stratagem._events._step_profile import MARK as MARK
from stratagem._events._step_profile import MEASURED as MEASURED
from stratagem._events._step_profile import PROGRAM as PROGRAM
from stratagem._events._step_profile import MeasuredTask as MeasuredTask
from stratagem._events._step_profile import StepProfile as StepProfile
from stratagem._events._step_profile import profile_as_asked as profile_as_asked
from stratagem._events._summary_context import record_if as record_if
from stratagem._events._summary_context import set_step as set_step
from stratagem._events._summary_functions import histogram as histogram
from stratagem._events._summary_functions import image as image
from stratagem._events._summary_functions import keras_model as keras_model
from stratagem._events._summary_functions import scalar as scalar
from stratagem._events._summary_functions import text as text
from stratagem._events._writer import SummaryWriter as SummaryWriter
from stratagem._events._writer import create_file_writer as create_file_writer
