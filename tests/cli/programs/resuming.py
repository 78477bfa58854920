"""Counts to 6, keeps its count in a file, and crashes the first time at 3. Argument: the file's folder."""

import json
import os
import sys
from pathlib import Path

config = json.loads(os.environ["TF_CONFIG"])
file = Path(sys.argv[1]) / str(config["task"]["index"])
count = int(file.read_text()) if file.exists() else 0
print("from", count, os.environ["STRATAGEM_RESTARTS"], config["cluster"]["worker"])
while count < 6:
    count += 1
    file.write_text(str(count))
    if count == 3 and config["task"]["index"] == 1:
        sys.exit(3)
