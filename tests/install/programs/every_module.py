"""Every module of the package can be imported with what is installed, but those that are programs."""

import importlib
import pkgutil

import stratagem

OTHERS = ("stratagem.keras.src",)  # Keras' own modules by our name, tests of its own among them
PROGRAMS = ("stratagem._cluster.control._command",)  # told what to do by the command line

found = []
for module in pkgutil.walk_packages(stratagem.__path__, "stratagem.", onerror=lambda name: None):
    if not module.name.startswith(OTHERS) and module.name not in PROGRAMS and not module.name.endswith("__main__"):
        importlib.import_module(module.name)
        found.append(module.name)
assert len(found) > 300, found
print("modules", len(found))
