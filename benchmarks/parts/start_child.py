"""The demo on few random images: what its start costs before it trains. python -m parts.start_child"""

import sys
import tempfile
from pathlib import Path

import numpy as np

import stratagem as tf

EXAMPLES = Path(__file__).parents[2] / "examples"

if __name__ == "__main__":
    sys.path.insert(0, str(EXAMPLES))
    import fashion_mnist

    random = np.random.default_rng(0)
    parts = tuple((random.integers(0, 256, (n, 28, 28)), random.integers(0, 10, n)) for n in (512, 256))
    data = tuple((images.astype(np.uint8), labels.astype(np.uint8)) for images, labels in parts)
    tf.keras.datasets.fashion_mnist.load_data = lambda: data
    with tempfile.TemporaryDirectory() as folder:
        fashion_mnist.main(["--epochs", "1", "--goal", "0", "--output", folder], standalone_mode=False)
