"""Files, words and ids that a pipeline of images or texts cannot use, and what each is answered with.

    /tmp/tensorflow/bin/python -m tests.data.bad_input

records the classes of TensorFlow 2.15.1's errors; `tests/parity/record_tensorflow.py` says how that environment is made.
"""

import json
import struct
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

RECORDED = Path(__file__).parent / "recorded" / "bad_input.json"
IMAGES = Path(__file__).parents[1] / "ops" / "image_files"
SIDE = 46342  # its square is more than 2**31


def _chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def _png(side: int, pixels: bytes) -> bytes:
    header = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    content = _chunk(b"IHDR", header) + _chunk(b"IDAT", pixels) + _chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + content


def _changed(data: bytes, place: int, new: bytes) -> bytes:
    return data[:place] + new + data[place + len(new) :]


def write_files(tf: Any, folder: Path) -> None:
    """Writes what the cases read."""
    jpeg, gif, bmp = ((IMAGES / name).read_bytes() for name in ("rgb_444.jpg", "one.gif", "rgb.bmp"))
    size = jpeg.index(b"\xff\xc0") + 5
    frame = gif.index(b"\x2c", 13 + 3 * 2 ** ((gif[10] & 7) + 1)) + 5
    records = str(folder / "whole.tfrecord")
    with tf.io.TFRecordWriter(records) as writer:
        for _ in range(3):
            writer.write(jpeg)
    whole = Path(records).read_bytes()
    files = {
        "good.jpg": jpeg,
        "cut.jpg": jpeg[:400],
        "huge.jpg": _changed(jpeg, size, struct.pack(">HH", SIDE, SIDE)),
        "cut.png": (IMAGES / "rgb.png").read_bytes()[:60],
        "huge.png": _png(SIDE, zlib.compress(bytes(10))),
        # 40,000 bytes that say that they are 40 million, as many as 3651 x 3651 pixels take.
        "bomb.png": _png(SIDE, zlib.compress(bytes(40 * 10**6))),
        "cut.gif": gif[:40],
        "huge.gif": _changed(gif, frame, struct.pack("<HH", 65535, 65535)),
        "cut.bmp": bmp[:60],
        "huge.bmp": _changed(bmp, 18, struct.pack("<ii", SIDE, SIDE)),
        "cut.tfrecord": whole[:-50],
        "changed.tfrecord": _changed(whole, 40, bytes([whole[40] ^ 255])),
        "long.tfrecord": _changed(whole, 0, struct.pack("<Q", 2**40)),
        "repeated.txt": b"a\nb\na\n",
        "nothing.txt": b"",
    }
    for name, content in files.items():
        (folder / name).write_bytes(content)


def _drawn(dataset: Any) -> list[Any]:
    return list(dataset.as_numpy_iterator())


def cases(tf: Any, folder: Path) -> dict[str, tuple[Callable[[], Any], str]]:
    """By name, what fails, and what its message or a note names."""
    kinds = tf.keras.layers
    vocabulary = tf.lookup.StaticVocabularyTable
    lines = (tf.string, tf.lookup.TextFileIndex.WHOLE_LINE, tf.int64, tf.lookup.TextFileIndex.LINE_NUMBER)

    def images(name: str) -> Callable[[], Any]:
        paths = [str(folder / "good.jpg"), str(folder / name)]

        def decoded(path: Any) -> Any:
            return tf.image.resize(tf.io.decode_image(tf.io.read_file(path), expand_animations=False), (4, 4))

        return lambda: _drawn(tf.data.Dataset.from_tensor_slices(paths).map(decoded, num_parallel_calls=2).batch(2))

    def records(name: str) -> Callable[[], Any]:
        return lambda: _drawn(tf.data.TFRecordDataset(str(folder / name)).map(tf.io.decode_jpeg))

    def strict(text: Any) -> Any:
        return tf.strings.unicode_decode(text, "UTF-8", errors="strict")

    texts = tf.data.Dataset.from_tensor_slices([b"a", b"z\xff"])
    words = tf.data.Dataset.from_tensor_slices(["a", "word"])
    integers = kinds.IntegerLookup(vocabulary=[1], num_oov_indices=0)
    sparse = tf.sparse.from_dense([[17]])
    known = kinds.StringLookup(vocabulary=["a"], num_oov_indices=0)
    missing, repeated, nothing = (str(folder / f"{name}.txt") for name in ("missing", "repeated", "nothing"))
    broken = ("cut.jpg", "huge.jpg", "cut.png", "huge.png", "bomb.png", "cut.gif", "huge.gif", "cut.bmp", "huge.bmp")
    return {
        **{f"images: {name}": (images(name), name) for name in (*broken, "missing.jpg")},
        "records: cut": (records("cut.tfrecord"), "cut.tfrecord"),
        "records: changed": (records("changed.tfrecord"), "changed.tfrecord"),
        "records: long": (records("long.tfrecord"), "long.tfrecord"),
        "records: missing": (records("missing.tfrecord"), "missing.tfrecord"),
        "words: no file": (lambda: kinds.StringLookup(vocabulary=missing), "missing.txt"),
        "texts: no file": (lambda: kinds.TextVectorization(vocabulary=missing), "missing.txt"),
        "table: no file": (lambda: vocabulary(tf.lookup.TextFileInitializer(missing, *lines), 1), "missing.txt"),
        "words: an empty file": (lambda: kinds.StringLookup(vocabulary=nothing), "nothing.txt"),
        "words: repeated in a file": (lambda: kinds.StringLookup(vocabulary=repeated), "a"),
        "words: repeated": (lambda: kinds.StringLookup(vocabulary=["a", "b", "a"]), "a"),
        "integers: repeated": (lambda: kinds.IntegerLookup(vocabulary=[12, 7, 12]), "12"),
        "texts: repeated": (lambda: kinds.TextVectorization(vocabulary=["a", "b", "a"]), "a"),
        "words: set, repeated": (lambda: kinds.StringLookup().set_vocabulary(["a", "a"]), "a"),
        "words: unknown": (lambda: known(tf.constant(["a", "word"])), "word"),
        "words: unknown in a dataset": (lambda: _drawn(words.map(known)), "element 1"),
        "integers: unknown": (lambda: integers(tf.constant([17], tf.int64)), "17"),
        "categories: beyond": (lambda: kinds.CategoryEncoding(3)(tf.constant([[17]])), "17"),
        "ids: beyond": (lambda: kinds.Embedding(3, 2)(tf.constant([17])), "17"),
        "ids: negative": (lambda: kinds.Embedding(3, 2)(tf.constant([-17])), "-17"),
        "ids: beyond, of a table": (lambda: tf.nn.embedding_lookup(tf.ones((3, 2)), tf.constant([17])), "17"),
        "ids: beyond, sparse": (lambda: tf.nn.embedding_lookup_sparse(tf.ones((3, 2)), sparse, None), "17"),
        "strings: beyond": (lambda: tf.gather(tf.constant(["a", "b"]), [17]), "17"),
        "UTF-8: strict": (lambda: strict(tf.constant([b"a", b"z\xff"])), "z"),
        "UTF-8: strict, in a dataset": (lambda: _drawn(texts.map(strict)), "element 1"),
        "UTF-8: transcoded": (lambda: tf.strings.unicode_transcode(b"z\xff", "UTF-8", "UTF-16-BE", errors="strict"), "z"),
    }  # fmt: skip


def outcomes(tf: Any, folder: Path) -> dict[str, dict[str, Any]]:
    """The class of each error, the classes of Python among its bases, and its message with notes."""
    found = {}
    for name, (call, _) in cases(tf, folder).items():
        try:
            call()
        except (tf.errors.OpError, ValueError) as error:
            text = "\n".join([str(error), *getattr(error, "__notes__", ())])
            found[name] = {"class": type(error).__name__, "text": text}
    return found


def main() -> None:
    """Record the classes."""
    import tempfile

    import tensorflow as tf

    with tempfile.TemporaryDirectory() as folder:
        write_files(tf, Path(folder))
        classes = {name: outcome["class"] for name, outcome in outcomes(tf, Path(folder)).items()}
    RECORDED.write_text(json.dumps(classes, indent=1) + "\n")


if __name__ == "__main__":
    main()
