"""Tell from its words what a text is about: a model that takes strings, trained on two replicas, saved with its vocabulary.

python scripts/fetch_data.py fortunes; python examples/text_classification.py --help
"""

import argparse
import json
import os

import numpy as np

import stratagem as tf

SUBJECTS = ("computers", "science", "songs-poems", "work")
GLOBAL_BATCH, WORDS, LENGTH = 32, 4000, 60
CACHE = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
DATA = os.environ.get("STRATAGEM_DATA") or os.path.join(CACHE, "stratagem", "datasets")


def read_texts(folder: str, each: int) -> tuple[list[str], np.ndarray]:
    """The first texts of every subject, one of each in turn, and the numbers of their subjects; a line of % ends a text."""
    by_subject = []
    for subject in SUBJECTS:
        whole = tf.strings.split(tf.io.read_file(os.path.join(folder, subject)), "\n%\n").numpy()
        by_subject.append([text.decode() for text in whole if len(text.split()) > 3][:each])
    texts = [text for in_turn in zip(*by_subject, strict=False) for text in in_turn]
    return texts, np.arange(len(texts), dtype="int32") % len(SUBJECTS)


def make_model(texts: list[str], seed: int = 3) -> tf.keras.Model:
    """From a text to one score for every subject, compiled; the words and pairs of words that it knows are those of `texts`."""
    words = tf.keras.layers.TextVectorization(max_tokens=WORDS, ngrams=2, output_sequence_length=LENGTH)
    words.adapt(tf.data.Dataset.from_tensor_slices(texts).batch(64))
    layers = [
        words,
        tf.keras.layers.Embedding(WORDS, 16, mask_zero=True),
        tf.keras.layers.GlobalAveragePooling1D(),  # of the words that there are
        tf.keras.layers.Dense(16, activation="relu"),
        tf.keras.layers.Dense(len(SUBJECTS)),
    ]
    model = tf.keras.Sequential([tf.keras.Input(shape=(), dtype="string"), *layers])
    numbers = np.random.default_rng(seed)  # the same initial weights in every run and on every machine
    for weight in model.trainable_variables:
        weight.assign(numbers.normal(0, 0.3, weight.shape).astype("float32"))
    model.compile(
        optimizer=tf.keras.optimizers.SGD(0.25, momentum=0.875),
        loss=tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        metrics=["accuracy"],
    )
    return model


def main() -> None:
    """Train, save, load, and write `curve.json` and `weights.npz`."""
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument("--epochs", type=int, default=3, help="Passes over the texts.")
    parser.add_argument(
        "--limit", type=int, default=2400, help="About so many texts, a quarter of them for validation."
    )
    parser.add_argument(
        "--texts", default=os.path.join(DATA, "fortunes"), help="A folder with a file for each subject."
    )
    parser.add_argument("--output", default="runs/text_classification")
    options = parser.parse_args()

    cpu = tf.config.list_physical_devices("CPU")[0]
    tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
    strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
    texts, labels = read_texts(options.texts, options.limit // len(SUBJECTS))
    count = len(texts) * 3 // 4
    training = tf.data.Dataset.from_tensor_slices((texts[:count], labels[:count])).batch(GLOBAL_BATCH)
    validation = tf.data.Dataset.from_tensor_slices((texts[count:], labels[count:])).batch(GLOBAL_BATCH)

    with strategy.scope():
        model = make_model(texts[:count])
    curve = model.fit(training, validation_data=validation, epochs=options.epochs, verbose=2).history
    path = os.path.join(options.output, "model.keras")
    os.makedirs(options.output, exist_ok=True)
    model.save(path)
    loaded = tf.keras.models.load_model(path)  # takes texts, too: the words are in the file
    scores = loaded.predict(tf.constant(texts[count:]), batch_size=GLOBAL_BATCH, verbose=0)
    curve["score"] = scores.mean(axis=0)
    for text, found in list(zip(texts[count:], np.argmax(scores, axis=1), strict=True))[:8]:
        print(f"{SUBJECTS[found]:12} {' '.join(text.split())[:90]}")

    with open(os.path.join(options.output, "curve.json"), "w") as file:
        json.dump({name: [float(value) for value in values] for name, values in curve.items()}, file)
    weights = {f"weight{index}": weight.numpy() for index, weight in enumerate(model.trainable_variables)}
    np.savez(os.path.join(options.output, "weights.npz"), **weights)


if __name__ == "__main__":
    main()
