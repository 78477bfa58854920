"""Prints without end."""

import time

while True:
    print("a line")
    time.sleep(0.01)
