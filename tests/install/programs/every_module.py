"""Every module of the package can be imported with what is installed."""

import importlib
import pkgutil

import stratagem

OTHERS = ("stratagem.keras.src",)  # Keras' own modules by our name, tests of its own among them

found = []
for module in pkgutil.walk_packages(stratagem.__path__, "stratagem.", onerror=lambda name: None):
    if not module.name.startswith(OTHERS) and not module.name.endswith("__main__"):
        importlib.import_module(module.name)
        found.append(module.name)
assert len(found) > 300, found
print("modules", len(found))
