"""Listens at its address, starts a child and a grandchild in another session, and stays.

Argument: `polite` ends at SIGTERM, `stubborn` does not, `leaving` ends by itself and leaves its children.
"""

import json
import os
import signal
import socket
import subprocess
import sys
import time

config = json.loads(os.environ["TF_CONFIG"])
host, _, port = config["cluster"][config["task"]["type"]][config["task"]["index"]].rpartition(":")
server = socket.create_server((host, int(port)))
if sys.argv[1] == "stubborn":
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
subprocess.Popen(["sleep", "1001"], start_new_session=True)
print("staying", port, flush=True)
if sys.argv[1] != "leaving":
    time.sleep(1000)
