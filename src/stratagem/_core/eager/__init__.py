"""Records operations that run at once, outside of compiled steps, and differentiates them (eager gradient tapes)."""

from stratagem._core.eager._connections import conjugates as conjugates
from stratagem._core.eager._connections import is_inexact as is_inexact
from stratagem._core.eager._connections import reached_results as reached_results
from stratagem._core.eager._connections import read_values as read_values
from stratagem._core.eager._connections import tracked_results as tracked_results
from stratagem._core.eager._forward_tangents import ForwardTangents as ForwardTangents
from stratagem._core.eager._recording import EagerRecorder as EagerRecorder
from stratagem._core.eager._recording import EagerRecording as EagerRecording
from stratagem._core.eager._recording import open_recorder as open_recorder
from stratagem._core.eager._tape_recording import TapeRecording as TapeRecording
