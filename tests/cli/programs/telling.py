"""Prints what this task was told: one line of JSON. Parameter servers then listen, and the others end once they heard them."""

import json
import os
import socket
import sys
import time

names = ("TF_CONFIG", "RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT")
names += (
    "JAX_NUM_CPU_DEVICES",
    "CUDA_VISIBLE_DEVICES",
    "STRATAGEM_TOKEN_FILE",
    "STRATAGEM_INSECURE",
    "STRATAGEM_RESTARTS",
)
told = {name: os.environ[name] for name in names if name in os.environ}
print("told", json.dumps({"argv": sys.argv, **told}))
config = json.loads(told.get("TF_CONFIG", "{}"))
servers = [address.rsplit(":", 1) for address in config.get("cluster", {}).get("ps", [])]
if servers and config["task"]["type"] == "ps":
    host, port = servers[config["task"]["index"]]
    server = socket.create_server((host, int(port)))
    while True:
        server.accept()[0].close()
for host, port in servers:
    while True:
        try:
            socket.create_connection((host, int(port))).close()
            break
        except ConnectionRefusedError:
            time.sleep(0.05)
