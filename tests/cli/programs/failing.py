"""The tasks that are named fail in the way that is told; the others wait to be ended, or end at once.

Arguments: task, how it ends (repeated).
"""

import json
import os
import signal
import sys
import time

task = json.loads(os.environ["TF_CONFIG"])["task"]
name = f"{task['type']}:{task['index']}"
match dict(zip(sys.argv[1::2], sys.argv[2::2], strict=True)).get(name, "wait"):
    case "raise":
        raise ValueError("a bug of the user's")
    case "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    case "blame":
        time.sleep(0.3)
        print("PeerFailedError: worker:0 (rank 0, host, pid 1) was lost in step 3")
        sys.exit(1)
    case "alone":
        time.sleep(0.3)
        print("PeerFailedError: worker:0 (rank 0, host, pid 1) has ended, and others still need it in step 3")
        sys.exit(1)
    case "late":
        time.sleep(1)
        raise ValueError("the real bug")
    case "told":  # its own error is on its way when the launcher tells it to end
        try:
            signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
            time.sleep(1000)
        finally:
            print("stratagem._base.errors.PeerFailedError: worker:1 (rank 1, host, pid 1) was lost in step 3")
    case "wait":
        time.sleep(1000)
    case code:
        sys.exit(int(code))
