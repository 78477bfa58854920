"""Predict incomes with a wide and deep model, as people wrote it with canned Estimators: train, evaluate, go on, predict.

python examples/census.py --output census
stratagem launch --chief --workers 2 --ps 1 --evaluator examples/census.py --output census

The program draws people of its own kind, whose incomes depend on their age, schooling and occupation.
"""

import argparse
import logging
import os

import numpy as np

import stratagem as tf

OCCUPATIONS = ["clerk", "craft", "farming", "manager", "sales", "science"]
SCHOOLS = ["none", "high school", "college", "master", "doctorate"]


def people(count: int, seed: int) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """Features of some people, and their incomes: "<=50K" or ">50K"."""
    draws = np.random.default_rng(seed)
    age = draws.integers(17, 80, count).astype("float32")
    school = draws.choice(len(SCHOOLS), count, p=[0.15, 0.4, 0.3, 0.1, 0.05])
    occupation = draws.choice(len(OCCUPATIONS), count)
    hours = np.clip(draws.normal(40, 10, count), 5, 80).astype("float32")
    skill = np.array([-0.8, 0.0, -1.0, 1.2, 0.2, 0.9])[occupation]
    worth = 0.9 * (school - 1.5) + skill + 0.04 * (hours - 40) - ((age - 48) / 20) ** 2 + draws.normal(0, 0.7, count)
    features = {
        "age": age,
        "hours": hours,
        "school": np.array(SCHOOLS)[school],
        "occupation": np.array(OCCUPATIONS)[occupation],
    }
    return features, np.where(worth > 0.3, ">50K", "<=50K")


def columns() -> tuple[list[object], list[object]]:
    """The columns of the wide and of the deep part."""
    fc = tf.feature_column
    age, hours = fc.numeric_column("age", normalizer_fn=lambda x: (x - 40.0) / 20.0), fc.numeric_column("hours")
    buckets = fc.bucketized_column(fc.numeric_column("age"), [18, 25, 30, 35, 40, 45, 50, 55, 60, 65])
    school = fc.categorical_column_with_vocabulary_list("school", SCHOOLS)
    occupation = fc.categorical_column_with_hash_bucket("occupation", 20)
    wide = [buckets, school, occupation, fc.crossed_column([buckets, "school"], 100)]
    return wide, [age, hours, fc.indicator_column(school), fc.embedding_column(occupation, 4)]


def main() -> None:
    """Train, and print what the last evaluation found and what the model thinks of some people."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", required=True, help="the folder of checkpoints and events")
    parser.add_argument("--limit", type=int, default=8192, help="people to train with")
    parser.add_argument("--steps", type=int, default=600, help="the step to train to")
    options = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(message)s")

    def batches(seed: int, *, once: bool) -> tf.data.Dataset:
        rows = tf.data.Dataset.from_tensor_slices(people(options.limit, seed))
        return (rows if once else rows.shuffle(1000, seed=7).repeat()).batch(64, drop_remainder=not once)

    wide, deep = columns()
    config = tf.estimator.RunConfig(os.path.join(options.output, "model"), tf_random_seed=1, save_checkpoints_steps=200)
    classifier = tf.estimator.DNNLinearCombinedClassifier(
        linear_feature_columns=wide,
        linear_optimizer=tf.keras.optimizers.legacy.Ftrl(0.05, l1_regularization_strength=0.001),
        dnn_feature_columns=deep,
        dnn_hidden_units=[32, 16],
        dnn_optimizer=tf.keras.optimizers.legacy.Adagrad(0.05),
        dnn_dropout=0.1,
        label_vocabulary=["<=50K", ">50K"],
        config=config,
    )
    found = tf.estimator.train_and_evaluate(
        classifier,
        tf.estimator.TrainSpec(lambda: batches(1, once=False), max_steps=options.steps),
        tf.estimator.EvalSpec(lambda: batches(2, once=True), steps=None, throttle_secs=0, start_delay_secs=0),
    )
    if config.task_type != "worker" or config.num_ps_replicas:
        return  # of a cluster, of which the evaluator prints the evaluations
    print("accuracy", found[0]["accuracy"], "of always saying no", found[0]["accuracy_baseline"])
    for row, _ in zip(classifier.predict(lambda: batches(3, once=True)), range(3), strict=False):
        print(row["classes"][0].decode(), "with probability", row["probabilities"].max())


if __name__ == "__main__":
    main()
