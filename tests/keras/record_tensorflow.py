"""Records which public names TensorFlow 2.15.1's Keras objects have: run it with a Python that has TensorFlow.

    python tests/keras/record_tensorflow.py

For every class of optimizers, metrics, losses, callbacks, layers and for a model: its properties and the attributes of an
object. What all classes of a namespace have stands under "*".
"""

import inspect
import json
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
import constructors
import tensorflow as tf


def names(made: Any) -> set[str]:
    properties = {name for name in dir(type(made)) if isinstance(inspect.getattr_static(type(made), name), property)}
    return {name for name in {*vars(made), *properties} if not name.startswith("_")}


def main() -> None:
    keras = tf.keras
    recorded: dict[str, dict[str, Any]] = {}
    for namespace, base in constructors.KINDS.items():
        module = getattr(keras, namespace)
        for name in sorted(dir(module)):
            cls = getattr(module, name)
            if isinstance(cls, type) and issubclass(cls, getattr(module, base)):
                try:
                    made = constructors.make(keras.layers, keras.optimizers, cls)
                except (TypeError, ValueError, NotImplementedError, AttributeError, ImportError) as error:
                    print(f"{namespace}.{name}: {error!r:.100}")
                    continue
                recorded.setdefault(namespace, {})[name] = names(made)
    recorded["models"] = {"Model": names(constructors.model(keras.layers, keras.Model))}
    for classes in recorded.values():
        common = set.intersection(*classes.values())
        classes.update({name: sorted(classes[name] - common) for name in classes}, **{"*": sorted(common)})
    text = json.dumps(recorded, separators=(",", ":"), sort_keys=True).replace("]", "]\n")
    (Path(__file__).parent / "recorded" / "names.json").write_text(text + "\n")


if __name__ == "__main__":
    main()
