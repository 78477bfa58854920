"""Finds the values, besides tensors, that an undecorated function can read in the user's objects."""

from stratagem._core.step.calls.reading._code import names_of as names_of
from stratagem._core.step.calls.reading._code import of_library as of_library
from stratagem._core.step.calls.reading._places import filled as filled
from stratagem._core.step.calls.reading._reader import FunctionReader as FunctionReader
from stratagem._core.step.calls.reading._reader import FunctionReaderCache as FunctionReaderCache
from stratagem._core.step.calls.reading._reader import FunctionReads as FunctionReads
from stratagem._core.step.calls.reading._reader import ProgramVariant as ProgramVariant
from stratagem._core.step.calls.reading._reader import described_path as described_path
from stratagem._core.step.calls.reading._walk import Path as Path
