"""Programs of TensorFlow 1 whose iterators and placeholders hold strings, for this library and for TensorFlow alike."""

import contextlib
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

Answers = dict[str, Any]

WORDS = ["red", "green", "blue", "unknown", "green", "red", "violet", "blue", "red", "green", "blue", "red"]
TEXTS = ["a good film", "bad", "a film", "good good film", "", "a bad bad film", "the end", "good"]
_numbers = np.random.default_rng(3)
PRICES = _numbers.normal(size=12).astype(np.float32)
LABELS = (_numbers.random(12) < 0.5).astype(np.int64)
TABLE = _numbers.normal(size=(8, 3)).astype(np.float32)
OUT = _numbers.normal(size=(3, 2)).astype(np.float32)
IMAGES = _numbers.integers(0, 255, (3, 6, 5, 3)).astype(np.uint8)


@contextlib.contextmanager
def _session(v1: Any) -> Iterator[Any]:
    with v1.Graph().as_default(), v1.Session() as session:
        yield session


def _begin(v1: Any, session: Any) -> None:
    session.run([v1.global_variables_initializer(), v1.tables_initializer()])


def _until_the_end(v1: Any, session: Any, fetches: Any) -> list[Any]:
    found = []
    with contextlib.suppress(v1.errors.OutOfRangeError):
        while True:
            found.append(session.run(fetches))
    return found


def _texts(values: Any) -> np.ndarray:
    return np.array(np.asarray(values, object).ravel().tolist(), "S")


def _step(v1: Any, logits: Any, labels: Any) -> tuple[Any, Any]:
    loss = v1.losses.sparse_softmax_cross_entropy(labels, logits)
    return loss, v1.train.AdagradOptimizer(0.5).minimize(loss)


def _trained(v1: Any, session: Any, begin: Any, loss: Any, train: Any) -> Answers:
    """Takes 20 steps, over and over the data; returns the losses and the weights."""
    _begin(v1, session)
    losses: list[Any] = []
    while len(losses) < 20:
        session.run(begin)
        with contextlib.suppress(v1.errors.OutOfRangeError):
            while len(losses) < 20:
                losses.append(session.run([loss, train])[0])
    names = [v.op.name for v in v1.trainable_variables()]
    return {"losses": losses, **dict(zip(names, session.run(v1.trainable_variables()), strict=True))}


def _example(v1: Any, number: int) -> bytes:
    def of(**kind: Any) -> Any:
        return v1.train.Feature(**kind)

    feature = {
        "word": of(bytes_list=v1.train.BytesList(value=[WORDS[number].encode()])),
        "price": of(float_list=v1.train.FloatList(value=[PRICES[number]])),
        "label": of(int64_list=v1.train.Int64List(value=[LABELS[number]])),
        "ids": of(int64_list=v1.train.Int64List(value=range(number % 4))),
        "tags": of(bytes_list=v1.train.BytesList(value=[w.encode() for w in WORDS[number : number + number % 3]])),
        "image": of(bytes_list=v1.train.BytesList(value=[IMAGES[number % 3].tobytes()])),
    }
    return v1.train.Example(features=v1.train.Features(feature=feature)).SerializeToString()


def _records(v1: Any, folder: str) -> str:
    path = str(Path(folder) / "rows.tfrecord")
    with v1.python_io.TFRecordWriter(path) as writer:
        for number in range(12):
            writer.write(_example(v1, number))
    return path


def _vocabulary(v1: Any) -> Any:
    keys, values = v1.constant(["red", "green", "blue"]), v1.constant([0, 1, 2], v1.int64)
    initializer = v1.lookup.KeyValueTensorInitializer(keys, values)
    return v1.lookup.StaticHashTable(initializer, 7)


def records_parsed_in_the_graph(v1: Any) -> Answers:
    """Batches of a TFRecord file, parsed in the graph; a table of words, an embedding, 20 steps."""
    with tempfile.TemporaryDirectory() as folder, _session(v1) as session:
        names = v1.placeholder(v1.string, [None], name="names")
        dataset = v1.data.TFRecordDataset(names).batch(5)
        iterator = v1.data.make_initializable_iterator(dataset)
        features = {
            "word": v1.FixedLenFeature([], v1.string),
            "price": v1.FixedLenFeature([1], v1.float32),
            "label": v1.FixedLenFeature([], v1.int64),
        }
        row = v1.parse_example(iterator.get_next(), features)
        table = v1.get_variable("table", initializer=TABLE)
        place = _vocabulary(v1).lookup(row["word"])
        hidden = v1.nn.embedding_lookup(table, place) + row["price"]
        logits = v1.matmul(hidden, v1.get_variable("out", initializer=OUT))
        loss, train = _step(v1, logits, row["label"])
        path = _records(v1, folder)
        _begin(v1, session)
        losses: list[Any] = []
        while len(losses) < 20:
            session.run(iterator.initializer, {names: [path]})
            with contextlib.suppress(v1.errors.OutOfRangeError):
                while len(losses) < 20:
                    losses.append(session.run([train, loss])[1])
        session.run(iterator.initializer, {names: [path]})
        words, places = session.run([row["word"], place])
        weights = session.run(table)
    return {"losses": losses, "words": _texts(words), "places": places, "weights": weights}


def one_record_a_run(v1: Any) -> Answers:
    """Single records: features of any length, tags as strings, the bytes of an image."""
    with tempfile.TemporaryDirectory() as folder, _session(v1) as session:
        iterator = v1.data.make_one_shot_iterator(v1.data.TFRecordDataset(_records(v1, folder)))
        features = {
            "ids": v1.VarLenFeature(v1.int64),
            "tags": v1.VarLenFeature(v1.string),
            "image": v1.FixedLenFeature([], v1.string),
            "label": v1.FixedLenFeature([], v1.int64),
        }
        row = v1.parse_single_example(iterator.get_next(), features)
        pixels = v1.cast(v1.reshape(v1.decode_raw(row["image"], v1.uint8), [6, 5, 3]), v1.float32) / 255.0
        ids = v1.sparse_tensor_to_dense(row["ids"])
        tags = v1.sparse_tensor_to_dense(row["tags"], default_value="")
        fetches = [v1.reduce_mean(pixels), v1.reduce_sum(ids), v1.shape(ids), tags, row["label"]]
        found = _until_the_end(v1, session, fetches)
    return {
        "means": [row[0] for row in found],
        "sums": [row[1] for row in found],
        "sizes": [row[2] for row in found],
        "tags": _texts([tag for row in found for tag in row[3]]),
        "labels": [row[4] for row in found],
    }


def lines_of_csv(v1: Any) -> Answers:
    """Lines of a CSV file, decoded in the graph in batches; a column of words by its hash, 20 steps."""
    with tempfile.TemporaryDirectory() as folder, _session(v1) as session:
        path = Path(folder) / "rows.csv"
        rows = zip(WORDS, PRICES, LABELS, strict=True)
        path.write_text("word,price,label\n" + "".join(f"{w},{p:.4f},{n}\n" for w, p, n in rows))
        dataset = v1.data.TextLineDataset(str(path)).skip(1).batch(4)
        iterator = v1.data.make_initializable_iterator(dataset)
        word, price, label = v1.decode_csv(iterator.get_next(), [[""], [0.0], [0]])
        place = v1.strings.to_hash_bucket_fast(word, 8)
        hidden = v1.nn.embedding_lookup(v1.get_variable("table", initializer=TABLE), place)
        hidden = hidden * v1.expand_dims(price, 1)
        logits = v1.matmul(hidden, v1.get_variable("out", initializer=OUT))
        return _trained(v1, session, iterator.initializer, *_step(v1, logits, label))


def bags_of_words(v1: Any) -> Answers:
    """Texts split in the graph, looked up in a table, their embeddings averaged, 20 steps."""
    with _session(v1) as session:
        dataset = v1.data.Dataset.from_tensor_slices((TEXTS, LABELS[:8])).batch(3)
        iterator = v1.data.make_initializable_iterator(dataset)
        texts, labels = iterator.get_next()
        words = v1.string_split(v1.strings.lower(texts))
        initializer = v1.lookup.KeyValueTensorInitializer(
            v1.constant(["good", "bad", "film"]), v1.constant([0, 1, 2], v1.int64)
        )
        table = v1.lookup.StaticHashTable(initializer, 3)
        places = v1.SparseTensor(words.indices, table.lookup(words.values), words.dense_shape)
        weights = v1.get_variable("table", initializer=TABLE)
        hidden = v1.nn.embedding_lookup_sparse(weights, places, None, combiner="mean")
        # The last rows of a batch may have no words, and so no row here.
        hidden = v1.pad(hidden, [[0, v1.shape(texts)[0] - v1.shape(hidden)[0]], [0, 0]])
        logits = v1.matmul(hidden, v1.get_variable("out", initializer=OUT))
        return _trained(v1, session, iterator.initializer, *_step(v1, logits, labels))


def columns_of_elements(v1: Any) -> Answers:
    """Columns of words and prices on an iterator's elements, by `input_layer`, 20 steps."""
    with _session(v1) as session:
        features = {"word": WORDS, "price": PRICES}
        dataset = v1.data.Dataset.from_tensor_slices((features, LABELS)).batch(5)
        iterator = v1.data.make_initializable_iterator(dataset)
        given, labels = iterator.get_next()
        column = v1.feature_column
        word = column.categorical_column_with_vocabulary_list("word", ["red", "green", "blue"], num_oov_buckets=2)
        hashed = column.categorical_column_with_hash_bucket("word", 6)
        price = column.numeric_column("price")
        columns = [
            column.indicator_column(word),
            column.embedding_column(hashed, 2, initializer=v1.zeros_initializer()),
            column.indicator_column(column.bucketized_column(price, [-0.5, 0.0, 0.5])),
            price,
        ]
        inputs = v1.feature_column.input_layer(given, columns)
        logits = v1.layers.dense(inputs, 2, kernel_initializer=v1.constant_initializer(0.1), name="out")
        return _trained(v1, session, iterator.initializer, *_step(v1, logits, labels))


def fed_strings(v1: Any) -> Answers:
    """Placeholders of strings: what is fetched, compared, joined, put into tables, chosen by conditions."""
    with _session(v1) as session:
        words = v1.placeholder(v1.string, [None], name="words")
        suffix = v1.placeholder(v1.string, [], name="suffix")
        first = v1.placeholder(v1.int32, [], name="first")
        joined = v1.strings.join([words, suffix], separator="-")
        same = v1.equal(words, "red")
        part = v1.strings.substr(words, first, 2)
        numbers = v1.string_to_number(v1.strings.regex_replace(words, "[a-z]+", "4"))
        count = v1.reduce_sum(v1.cast(same, v1.float32)) * numbers[0]
        chosen = v1.cond(count > 4.0, lambda: v1.strings.length(joined), lambda: -v1.strings.length(words))
        _begin(v1, session)
        feeds = [
            {words: ["red", "blue"], suffix: "a", first: 0},
            {words: ["red", b"green", "red"], "suffix:0": b"xy", first: 1},
        ]
        found = [session.run([joined, same, part, count, chosen], feed) for feed in feeds]
        again = session.run(joined, {words: ["x"], suffix: ""})
        replaced = session.run(v1.strings.length(joined), {joined: ["four", ""]})
        text = joined.eval({words: ["a", "b"], suffix: "c"})
    return {
        "joined": _texts([text for row in found for text in row[0]]),
        "same": [flag for row in found for flag in row[1]],
        "part": _texts([text for row in found for text in row[2]]),
        "count": [row[3] for row in found],
        "chosen": [number for row in found for number in row[4]],
        "again": _texts(again),
        "replaced": replaced,
        "text": _texts(text),
    }


def images_in_the_graph(v1: Any) -> Answers:
    """PNG images, decoded in the graph: their sizes, means, and a crop."""
    with _session(v1) as session:
        made = [session.run(v1.image.encode_png(v1.constant(image))) for image in IMAGES]
        made.append(session.run(v1.image.encode_png(v1.constant(np.tile(IMAGES[0], (2, 3, 1))))))
        iterator = v1.data.make_one_shot_iterator(v1.data.Dataset.from_tensor_slices(made))
        image = v1.image.decode_png(iterator.get_next(), channels=3)
        mean = v1.reduce_mean(v1.cast(image, v1.float32), [0, 1])
        smaller = v1.image.resize_images(image, [4, 3])
        batch = v1.image.resize_bilinear(v1.expand_dims(v1.image.convert_image_dtype(image, v1.float32), 0), [3, 3])
        padded = v1.image.resize_image_with_crop_or_pad(image, 8, 4)
        found = _until_the_end(v1, session, [v1.shape(image), mean, image[:4, :4], smaller, batch, padded])
    names = ("sizes", "means", "crops", "smaller", "batches", "padded")
    return {name: [row[i] for row in found] for i, name in enumerate(names)}


STRING_PROGRAMS: dict[str, Callable[[Any], Answers]] = {
    program.__name__: program
    for program in (
        records_parsed_in_the_graph,
        one_record_a_run,
        lines_of_csv,
        bags_of_words,
        columns_of_elements,
        fed_strings,
        images_in_the_graph,
    )
}
