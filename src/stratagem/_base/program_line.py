"""`call_of_program`: the line of the user's program that this thread is in, for errors that only its author can mend."""

import linecache
import os
import sys

_LIBRARIES = {"stratagem", "keras", "jax", "grain", *sys.stdlib_module_names}


def call_of_program() -> str:
    """Returns the innermost line that is not a library's, as "`model.predict(x)` (train.py, line 7)"; "" if there is none."""
    frame = sys._getframe(1)
    while frame is not None:
        if frame.f_globals.get("__name__", "").partition(".")[0] not in _LIBRARIES:
            path, line = frame.f_code.co_filename, frame.f_lineno
            text = linecache.getline(path, line, frame.f_globals).strip()
            place = f"{os.path.basename(path)}, line {line}"
            return f"`{text}` ({place})" if text else place
        frame = frame.f_back  # type: ignore[assignment]
    return ""
