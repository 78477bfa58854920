"""The program of a task that `tf.launch` has started: reads the call of a function, and makes it.

It is a program on the standard library alone: the first line of what it reads says where everything else is found.
Arguments: the handles of the file with the call and of the one for the answer, which the process that started this one opened.
"""

import json
import linecache
import os
import pickle
import sys


def main() -> None:
    """Makes the call. An exception ends the process as it ends any other."""
    call, answer = map(int, sys.argv[1:])
    # Not read: other tasks have the same handle, and with it the same position.
    about, _, pickled = os.pread(call, os.fstat(call).st_size, 0).partition(b"\n")
    known = json.loads(about)
    sys.path[:] = known["path"]
    sys.argv[1:] = []
    for name, lines in known["sources"].items():
        linecache.cache[name] = (sum(map(len, lines)), None, lines, name)
    pickle.loads(pickled)(answer)


if __name__ == "__main__":
    main()
