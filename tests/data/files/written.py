"""The records in the files beside this one, which TensorFlow 2.15.1 wrote (`record_tensorflow.py`)."""

COMPRESSIONS = ("", "GZIP", "ZLIB")
RECORDS = [b"", b"a", b"record", bytes(range(256)), b"x" * 3000, *(f"{i} ".encode() * i for i in range(40))]


def file_name(compression: str) -> str:
    """The file of a compression."""
    return f"tensorflow_{compression.lower() or 'plain'}.tfrecord"
