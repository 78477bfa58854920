"""Joins a job; a worker that has the variable OTHER takes its cluster from there, but listens to the real one's hub.

One that has VERSION says that this is its version of the package.
"""

import importlib.metadata
import json
import os

import stratagem as tf

if "OTHER" in os.environ:
    real = json.loads(os.environ["TF_CONFIG"])
    other = json.loads(os.environ["OTHER"])
    other["cluster"]["worker"][0] = real["cluster"]["worker"][0]
    os.environ["TF_CONFIG"] = json.dumps(other)
if "VERSION" in os.environ:
    version = importlib.metadata.version
    importlib.metadata.version = lambda name: os.environ["VERSION"] if name == "stratagem" else version(name)
strategy = tf.distribute.MultiWorkerMirroredStrategy()
