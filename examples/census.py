"""Predict incomes with a wide and deep model, as people wrote it with canned Estimators: train, evaluate, export, serve.

python examples/census.py --output census
stratagem launch --chief --workers 2 --ps 1 --evaluator examples/census.py --output census

Without --data the program draws people, whose incomes depend on their age, schooling and occupation. With it, they are those
of the census of 1994: the folder has adult.data and adult.test, which nothing here fetches, of
https://archive.ics.uci.edu/dataset/2/adult.
"""

import argparse
import csv
import logging
import os
from pathlib import Path
from typing import Any

import numpy as np

import stratagem as tf

INCOMES = ["<=50K", ">50K"]
OCCUPATIONS = ["Adm-clerical", "Craft-repair", "Farming-fishing", "Exec-managerial", "Sales", "Prof-specialty"]
DRAWN_SCHOOLS = ["11th", "HS-grad", "Some-college", "Masters", "Doctorate"]
SCHOOLS = [
    *(
        "Preschool",
        "1st-4th",
        "5th-6th",
        "7th-8th",
        "9th",
        "10th",
        "11th",
        "12th",
        "HS-grad",
        "Some-college",
        "Assoc-voc",
    ),
    *("Assoc-acdm", "Bachelors", "Masters", "Prof-school", "Doctorate"),
]


def drawn_people(count: int, seed: int) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """Features of some people, and their incomes."""
    draws = np.random.default_rng(seed)
    age = draws.integers(17, 80, count).astype("float32")
    school = draws.choice(len(DRAWN_SCHOOLS), count, p=[0.15, 0.4, 0.3, 0.1, 0.05])
    occupation = draws.choice(len(OCCUPATIONS), count)
    hours = np.clip(draws.normal(40, 10, count), 5, 80).astype("float32")
    skill = np.array([-0.8, 0.0, -1.0, 1.2, 0.2, 0.9])[occupation]
    worth = 0.9 * (school - 1.5) + skill + 0.04 * (hours - 40) - ((age - 48) / 20) ** 2 + draws.normal(0, 0.7, count)
    features = {
        "age": age,
        "hours": hours,
        "school": np.array(DRAWN_SCHOOLS)[school],
        "occupation": np.array(OCCUPATIONS)[occupation],
    }
    return features, np.array(INCOMES)[(worth > 0.3).astype(int)]


def counted_people(path: Path) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """The same of a file of the census: 15 columns, without a line of their names."""
    with path.open(newline="") as lines:
        rows = [row for row in csv.reader(lines, skipinitialspace=True) if len(row) == 15]
    age, school, occupation, hours, income = (np.array([row[n] for row in rows]) for n in (0, 3, 6, 12, 14))
    features = {
        "age": age.astype("float32"),
        "hours": hours.astype("float32"),
        "school": school,
        "occupation": occupation,
    }
    return features, np.char.rstrip(income, ".")  # those of adult.test end with one


def columns() -> tuple[list[Any], list[Any]]:
    """The columns of the wide and of the deep part."""
    fc = tf.feature_column
    age, hours = fc.numeric_column("age", normalizer_fn=lambda x: (x - 40.0) / 20.0), fc.numeric_column("hours")
    buckets = fc.bucketized_column(fc.numeric_column("age"), [18, 25, 30, 35, 40, 45, 50, 55, 60, 65])
    school = fc.categorical_column_with_vocabulary_list("school", SCHOOLS)
    occupation = fc.categorical_column_with_hash_bucket("occupation", 20)
    wide = [buckets, school, occupation, fc.crossed_column([buckets, "school"], 100)]
    return wide, [age, hours, fc.indicator_column(school), fc.embedding_column(occupation, 4)]


def example(person: dict[str, np.ndarray]) -> bytes:
    """A person as a model that is served is asked about one."""
    made = {}
    for name, value in person.items():
        if value.dtype.kind == "f":
            made[name] = tf.train.Feature(float_list=tf.train.FloatList(value=[float(value)]))
        else:
            made[name] = tf.train.Feature(bytes_list=tf.train.BytesList(value=[str(value).encode()]))
    return bytes(tf.train.Example(features=tf.train.Features(feature=made)).SerializeToString())


def main() -> None:
    """Train, and print what the last evaluation found and what the exported model thinks of some people."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", required=True, help="the folder of checkpoints, events and the exported model")
    parser.add_argument(
        "--data", type=Path, help="the folder of adult.data and adult.test; without it, people are drawn"
    )
    parser.add_argument("--limit", type=int, default=8192, help="people to draw for training")
    parser.add_argument("--steps", type=int, default=600, help="the step to train to")
    parser.add_argument("--shuffle", type=int, default=1000, help="people among which the next one is drawn")
    parser.add_argument("--dropout", type=float, default=0.1, help="the share of hidden units that a step leaves out")
    options = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(message)s")

    def people(training: bool) -> tuple[dict[str, np.ndarray], np.ndarray]:
        if options.data is None:
            return drawn_people(options.limit, seed=1 if training else 2)
        return counted_people(options.data / ("adult.data" if training else "adult.test"))

    def batches(training: bool) -> tf.data.Dataset:
        rows = tf.data.Dataset.from_tensor_slices(people(training))
        return (rows.shuffle(options.shuffle, seed=7).repeat() if training else rows).batch(64, drop_remainder=training)

    wide, deep = columns()
    config = tf.estimator.RunConfig(os.path.join(options.output, "model"), tf_random_seed=1, save_checkpoints_steps=200)
    classifier = tf.estimator.DNNLinearCombinedClassifier(
        linear_feature_columns=wide,
        linear_optimizer=tf.keras.optimizers.legacy.Ftrl(0.05, l1_regularization_strength=0.001),
        dnn_feature_columns=deep,
        dnn_hidden_units=[32, 16],
        dnn_optimizer=tf.keras.optimizers.legacy.Adagrad(0.05),
        dnn_dropout=options.dropout or None,
        label_vocabulary=INCOMES,
        config=config,
    )
    receiver = tf.estimator.export.build_parsing_serving_input_receiver_fn(
        tf.feature_column.make_parse_example_spec(wide + deep)
    )
    found = tf.estimator.train_and_evaluate(
        classifier,
        tf.estimator.TrainSpec(lambda: batches(training=True), max_steps=options.steps),
        tf.estimator.EvalSpec(
            lambda: batches(training=False),
            steps=None,
            exporters=[tf.estimator.FinalExporter("census", receiver)],
            throttle_secs=0,
            start_delay_secs=0,
        ),
    )
    if config.task_type != "worker" or config.num_ps_replicas:
        return  # of a cluster, whose evaluator evaluates and exports
    metrics, (exported,) = found
    print("accuracy", metrics["accuracy"], "of always saying no", metrics["accuracy_baseline"])
    features, _ = people(training=False)
    three = [example({name: values[n] for name, values in features.items()}) for n in range(3)]
    served = tf.saved_model.load(exported).signatures["serving_default"](tf.constant(three))
    for classes, scores in zip(served["classes"].numpy(), served["scores"].numpy(), strict=True):
        print("served:", classes[scores.argmax()].decode(), "with probability", scores.max())


if __name__ == "__main__":
    main()
