"""`tf.io`: local files with TensorFlow's names and errors."""

from pathlib import Path

import pytest

import stratagem as tf
from stratagem._base.errors import AlreadyExistsError, NotFoundError


def test_folders(tmp_path: Path) -> None:
    gfile = tf.io.gfile
    deep = gfile.join(str(tmp_path), "a", "b")
    gfile.makedirs(deep)
    gfile.makedirs(deep)
    assert gfile.exists(deep)
    assert gfile.isdir(deep)
    assert gfile.listdir(tmp_path) == ["a"]
    gfile.mkdir(deep)  # which TensorFlow leaves as it is
    gfile.rmtree(tmp_path / "a")
    assert not gfile.exists(deep)
    for missing in (gfile.rmtree, gfile.listdir, gfile.stat, gfile.remove):
        with pytest.raises(NotFoundError, match="no such file"):
            missing(deep)
    with pytest.raises(NotFoundError):
        gfile.mkdir(deep)


def test_files(tmp_path: Path) -> None:
    gfile = tf.io.gfile
    path, other = str(tmp_path / "x.txt"), str(tmp_path / "y.txt")
    with gfile.GFile(path, "w") as file:
        file.write("one\ntwo\n")
    with gfile.GFile(path) as file:
        assert file.readline() == "one\n"
        assert file.read(1) == "t"
        assert list(file) == ["wo\n"]
        file.seek(0)
        assert (file.tell(), file.size(), file.readlines()) == (0, 8, ["one\n", "two\n"])
    with gfile.GFile(path, "rb") as file:
        assert file.read() == b"one\ntwo\n"
    gfile.copy(path, other)
    with pytest.raises(AlreadyExistsError, match="overwrite=True"):
        gfile.copy(path, other)
    gfile.copy(path, other, overwrite=True)
    assert gfile.glob(str(tmp_path / "*.txt")) == [path, other]
    assert gfile.glob([path, str(tmp_path / "y*")]) == [path, other]
    assert (gfile.stat(path).length, gfile.stat(path).is_directory) == (8, False)
    with pytest.raises(AlreadyExistsError):
        gfile.rename(path, other)
    gfile.rename(path, other, overwrite=True)
    assert [names for _, _, names in gfile.walk(tmp_path)] == [["y.txt"]]
    gfile.remove(other)
    with pytest.raises(NotFoundError):
        gfile.GFile(other)


def test_whole_files(tmp_path: Path) -> None:
    path = str(tmp_path / "new" / "x.bin")
    tf.io.write_file(path, tf.constant("text"))
    assert tf.io.read_file(path).item() == b"text"
    assert tf.io.read_file(tf.constant(path)).dtype == object
    with pytest.raises(NotFoundError):
        tf.io.read_file(str(tmp_path / "nothing"))
