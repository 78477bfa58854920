"""Users' mistakes and users' data, one after another in one job, which goes on after each. Then it waits for its end.

The argument is a folder for files. Every part prints its name, and the error that its user sees or the value that it returned.
"""

import json

import checkpoints
import data
import steps
import strategies
from job import add, coordinator, count

for part in (*steps.PARTS, *data.PARTS, *strategies.PARTS, *checkpoints.PARTS):
    try:
        found = ["", part()]
    except Exception as error:
        found = [type(error).__name__, "\n".join([str(error), *getattr(error, "__notes__", [])])]
    coordinator.join()  # its error was raised
    before = int(count.numpy())
    for _ in range(4):
        coordinator.schedule(add)
    coordinator.join()
    assert int(count.numpy()) == before + 4, part
    print(part.__name__, json.dumps(found))
print("waiting")
while True:
    coordinator.schedule(add)
    coordinator.join()
