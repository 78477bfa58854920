"""One of two input pipelines, in a process of its own, prints what it read: `python -m parts.records_half FOLDER WORKER`."""

import json
import sys

from parts.records_program import numbers

import stratagem as tf

folder, worker = sys.argv[1:]
print(json.dumps(numbers(tf, folder, int(worker), 2)))
