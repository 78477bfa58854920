"""Train on a data set of Hugging Face's library: its columns, splits and `map`, and this library's batches and replicas.

pip install datasets; python examples/hugging_face_data.py --help

Without --name the rows are texts of this machine (`scripts/fetch_data.py fortunes`), in a data set that is made here. With it
they are those of the hub: --name ag_news, for instance.
"""

import argparse
import os

import datasets  # type: ignore[import-untyped]
import numpy as np

import stratagem as tf

GLOBAL_BATCH, WORDS = 64, 8000
CACHE = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
DATA = os.environ.get("STRATAGEM_DATA") or os.path.join(CACHE, "stratagem", "datasets")
SUBJECTS = ["computers", "science", "songs-poems", "work"]


def texts_of_this_machine(folder: str) -> datasets.Dataset:
    """A row for each text, with its subject as a label; a line of % ends a text."""
    rows: dict[str, list[object]] = {"text": [], "label": []}
    for number, subject in enumerate(SUBJECTS):
        with open(os.path.join(folder, subject), encoding="utf-8", errors="replace") as file:
            for text in file.read().split("\n%\n"):
                rows["text"].append(text)
                rows["label"].append(number)
    features = datasets.Features({"text": datasets.Value("string"), "label": datasets.ClassLabel(names=SUBJECTS)})
    return datasets.Dataset.from_dict(rows, features=features)


def main() -> None:
    """Train, and print the accuracy on the rows that were split off."""
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument("--name", help="A data set of the hub with the columns `text` and `label`.")
    parser.add_argument(
        "--texts", default=os.path.join(DATA, "fortunes"), help="A folder with a file for each subject."
    )
    parser.add_argument("--epochs", type=int, default=4, help="Passes over the rows.")
    parser.add_argument("--limit", type=int, help="Use only so many rows.")
    options = parser.parse_args()
    cpu = tf.config.list_physical_devices("CPU")[0]
    tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
    strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
    tf.random.set_seed(1)

    rows = datasets.load_dataset(options.name, split="train") if options.name else texts_of_this_machine(options.texts)
    rows = rows.filter(lambda row: len(row["text"].split()) > 3).shuffle(seed=1)
    if options.limit:
        rows = rows.select(range(min(options.limit, len(rows))))
    subjects = rows.features["label"].num_classes
    # What a word is the layer learns from the rows; it turns each batch into numbers before the batch is divided.
    words = tf.keras.layers.TextVectorization(max_tokens=WORDS, output_mode="tf_idf", ngrams=2)
    parts = rows.train_test_split(test_size=0.25, seed=1)
    words.adapt(np.array(parts["train"]["text"]))

    def batches(part: datasets.Dataset) -> tf.data.Dataset:
        data = tf.data.Dataset.from_tensor_slices((np.array(part["text"]), np.array(part["label"], "int32")))
        return data.batch(GLOBAL_BATCH).map(lambda text, label: (words(text), label))

    with strategy.scope():
        model = tf.keras.Sequential(
            [tf.keras.Input((words.vocabulary_size(),)), tf.keras.layers.Dropout(0.3), tf.keras.layers.Dense(subjects)]
        )
        loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
        model.compile(tf.keras.optimizers.Adam(5e-3), loss, metrics=["accuracy"])
    model.fit(batches(parts["train"]), epochs=options.epochs, verbose=2)
    accuracy = model.evaluate(batches(parts["test"]), verbose=0, return_dict=True)["accuracy"]
    print(f"{len(rows)} texts about {subjects} subjects: accuracy {accuracy:.4f} on those not trained on")


if __name__ == "__main__":
    main()
