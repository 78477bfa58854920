"""Remote file systems: found by scheme, asked again when a request fails in passing, and never waited for without a limit."""

import importlib.util
import os
import shutil
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import fsspec
import pytest

# Below the door of `tf.io.gfile`: errors of the file system itself, and the numbers of its waits.
from stratagem._base import storage
from stratagem._base.paths import absolute, any_path, is_remote, relative, without_secrets

# Below the door: how the executor behaves when Python ends, without ending Python.
from stratagem._base.storage._lasting_executor import LastingExecutor
from stratagem.errors import (
    DeadlineExceededError,
    InvalidArgumentError,
    NotFoundError,
    PermissionDeniedError,
    UnavailableError,
    UnimplementedError,
)
from stratagem.io import TFRecordWriter, gfile, read_file, write_file
from stratagem.profiler.experimental import Profile, start, stop
from tests.base.faulty_storage import FaultyFileSystem, faulty_storage


@pytest.fixture
def faulty(monkeypatch: pytest.MonkeyPatch) -> Iterator[type[FaultyFileSystem]]:
    """The file system with faults, and no pauses between attempts."""
    # Below the door: the pause between attempts, which no caller chooses.
    monkeypatch.setattr("stratagem._base.storage._requests._FIRST_PAUSE", 0.0)
    with faulty_storage() as made:
        yield made


def test_a_request_that_fails_in_passing_is_made_again(faulty: type[FaultyFileSystem]) -> None:
    attempts: dict[tuple[str, str], int] = {}

    def fault(request: str, path: str) -> None:
        attempts[request, path] = attempts.get((request, path), 0) + 1
        if attempts[request, path] % 3:
            raise ConnectionResetError("in passing")

    faulty.fault = staticmethod(fault)
    write_file("faulty://b/x", "text")
    assert read_file("faulty://b/x") == b"text"
    assert gfile.glob("faulty://b/*") == ["faulty://b/x"]
    gfile.copy("faulty://b/x", "faulty://b/y")
    gfile.remove("faulty://b/x")
    assert gfile.listdir("faulty://b") == ["y"]
    assert min(attempts.values()) >= 3


def test_a_failure_that_stays_is_an_error_that_names_the_path_after_few_attempts(
    faulty: type[FaultyFileSystem],
) -> None:
    def fault(request: str, path: str) -> None:
        raise RuntimeError("503 at https://host/x?X-Amz-Signature=abc123")

    faulty.fault = staticmethod(fault)
    with pytest.raises(UnavailableError, match=r"'faulty://b/x' has failed 6 times.*Signature=\*\*\*") as raised:
        read_file("faulty://b/x")
    assert isinstance(raised.value, OSError)
    assert "abc123" not in str(raised.value)
    assert len(faulty.requests) == 6


def test_a_failed_request_is_no_missing_file(faulty: type[FaultyFileSystem]) -> None:
    def fault(request: str, path: str) -> None:
        raise ConnectionResetError("gone")

    faulty.fault = staticmethod(fault)
    for ask in (gfile.exists, gfile.isdir, gfile.listdir, gfile.glob):
        with pytest.raises(UnavailableError):
            ask("faulty://b/*")


@pytest.mark.parametrize("error", [PermissionError("no"), FileNotFoundError("none"), NotImplementedError("not here")])
def test_a_lasting_failure_is_not_tried_again(faulty: type[FaultyFileSystem], error: Exception) -> None:
    def fault(request: str, path: str) -> None:
        raise error

    faulty.fault = staticmethod(fault)
    with pytest.raises(type(error)):
        storage.file_system("faulty://b").write("faulty://b/x", b"")
    assert len(faulty.requests) == 1


def test_a_server_that_does_not_answer_is_given_up(
    faulty: type[FaultyFileSystem], monkeypatch: pytest.MonkeyPatch
) -> None:
    # Below the door: two minutes, which no caller chooses.
    monkeypatch.setattr("stratagem._base.storage._requests._ANSWER_SECONDS", 0.01)
    answer = threading.Event()
    faulty.fault = staticmethod(lambda request, path: (answer.wait(30.0), None)[1])
    before = set(threading.enumerate())
    with pytest.raises(DeadlineExceededError, match="no answer within"):
        gfile.exists("faulty://b/x")
    answer.set()
    for thread in set(threading.enumerate()) - before:
        thread.join(10.0)


def test_files_are_read_in_pieces_from_any_position(faulty: type[FaultyFileSystem]) -> None:
    content = os.urandom(10 << 20)
    write_file("faulty://b/x", content)
    with gfile.GFile("faulty://b/x", "rb") as file:
        file.seek(9 << 20)
        assert file.read(5) == content[9 << 20 :][:5]
        file.seek(-3, 2)
        assert (file.read(), file.tell()) == (content[-3:], len(content))
    asked = [path for request, path in faulty.requests if request == "cat_file"]
    assert len(asked) == 1, "what was read, and some that follows it"


def test_an_object_that_is_cut_while_it_is_read_is_noticed(faulty: type[FaultyFileSystem]) -> None:
    write_file("faulty://b/x", b"0" * (9 << 20))
    with gfile.GFile("faulty://b/x", "rb") as file:
        file.read(1)
        fsspec.filesystem("faulty").store["/b/x"].truncate(4 << 20)
        with pytest.raises(OSError, match="cut while it was read"):
            file.read()


def test_a_file_that_is_written_is_there_when_it_is_closed(faulty: type[FaultyFileSystem]) -> None:
    write_file("faulty://b/x", "before")
    with gfile.GFile("faulty://b/x", "w") as file:
        file.write("now")
        assert read_file("faulty://b/x") == b"before"
        file.flush()
        assert read_file("faulty://b/x") == b"now"
        file.write(", and then")
    assert read_file("faulty://b/x") == b"now, and then"
    with gfile.GFile("faulty://b/x", "a") as file:
        file.write("!")
    with gfile.GFile("faulty://b/x", "r+") as file:
        assert (file.read(3), file.size()) == ("now", len("now, and then!"))


def test_what_cannot_be_uploaded_is_kept_and_named(
    faulty: type[FaultyFileSystem], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))

    def fault(request: str, path: str) -> None:
        if request in ("pipe_file", "put_file"):
            raise ConnectionResetError("gone")

    faulty.fault = staticmethod(fault)
    writer = TFRecordWriter("faulty://b/r")
    writer.write(b"record")
    with pytest.raises(UnavailableError) as raised:
        writer.close()
    (kept,) = tmp_path.iterdir()
    assert raised.value.__notes__ == [f"What was written is in {str(kept)!r}."]
    assert b"record" in kept.read_bytes()


def test_folders_are_moved_and_removed_with_what_is_in_them(faulty: type[FaultyFileSystem]) -> None:
    for name in ("a/1", "a/b/2"):
        write_file(f"faulty://{name}", name)
    gfile.rename("faulty://a", "faulty://c")
    assert [*gfile.walk("faulty://c")] == [("faulty://c", ["b"], ["1"]), ("faulty://c/b", [], ["2"])]
    assert not gfile.exists("faulty://a")
    gfile.rmtree("faulty://c")
    assert not gfile.exists("faulty://c")
    with pytest.raises(NotFoundError):
        gfile.rmtree("faulty://c")


def test_names_that_lead_out_of_a_folder_are_not_downloaded(
    faulty: type[FaultyFileSystem], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_file("faulty://a/x", "")
    monkeypatch.setattr(
        FaultyFileSystem, "ls", lambda self, path, detail: [{"name": "/a/..", "type": "file", "size": 1}]
    )
    with pytest.raises(ValueError, match=r"an entry '\.\.'"):
        storage.download("faulty://a", str(tmp_path / "a"))
    assert [*(tmp_path / "a").iterdir()] == []


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("s3://key:secret@bucket/x", "s3://key:***@bucket/x"),
        ("s3://key:se/cr@et@bucket/x", "s3://key:***@bucket/x"),
        ("https://host/x?a=1&X-Amz-Signature=abc&b=2", "https://host/x?a=1&X-Amz-Signature=***&b=2"),
        ("az://c/x?sig=abc", "az://c/x?sig=***"),
    ],
)
def test_secrets_in_paths_are_refused_and_not_shown(path: str, shown: str) -> None:
    for use in (gfile.exists, read_file):
        with pytest.raises(InvalidArgumentError) as raised:
            use(path)
        assert shown in str(raised.value)
        assert not any(secret in str(raised.value) for secret in ("secret", "se/cr", "abc"))


@pytest.mark.parametrize("path", ["sftp://user@host:22/a@b", "gs://bucket/a:b@c", "abfs://box@account.net/x"])
def test_names_and_ports_are_no_secrets(path: str) -> None:
    assert any_path(path) == without_secrets(path) == path


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("nosuch://b/x", r"scheme 'nosuch' is not implemented: fsspec .* does not know it"),
        ("zip://x", "scheme 'zip' is not implemented by itself"),
        ("simplecache::memory://b", "chains of URLs are not implemented"),
    ],
)
def test_a_scheme_that_cannot_be_used_is_refused(path: str, why: str) -> None:
    with pytest.raises(UnimplementedError, match=why):
        gfile.exists(path)


def test_the_package_of_a_scheme_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "gcsfs", None)
    with pytest.raises(UnimplementedError, match=r"scheme 'gs' is not implemented without its own package.*gcsfs"):
        gfile.exists("gs://b/x")


def test_fsspec_is_named_where_it_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    found: Any = importlib.util.find_spec
    monkeypatch.setattr(
        "importlib.util.find_spec", lambda name, *more: None if name == "fsspec" else found(name, *more)
    )
    with pytest.raises(UnimplementedError, match=r"pip install '.*\[remote\]'"):
        gfile.exists("wandb://b/x")
    assert gfile.get_registered_schemes() == ["", "file"]


def test_the_schemes_that_can_be_opened_are_listed() -> None:
    assert {"", "file", "memory"} <= {*gfile.get_registered_schemes()}
    assert "zip" not in gfile.get_registered_schemes()


@pytest.mark.parametrize(
    ("path", "whole"),
    [
        ("gs://b/a/../c/", "gs://b/c"),
        ("gs://b/../../c", "gs://b/c"),
        ("gs://b", "gs://b"),
        ("gs://b/./a//c", "gs://b/a/c"),
    ],
)
def test_absolute_remote_paths(path: str, whole: str) -> None:
    assert absolute(path) == whole
    assert is_remote(whole)


def test_relative_remote_paths() -> None:
    assert relative("gs://b/m/ckpt-1", "gs://b/m") == "ckpt-1"
    assert relative("gs://b/n/ckpt-1", "gs://b/m") == "../n/ckpt-1"


def test_a_file_that_is_missing_here_is_not_taken_for_an_empty_folder(
    faulty: type[FaultyFileSystem], tmp_path: Path
) -> None:
    with pytest.raises(NotFoundError, match="none"):
        gfile.copy(tmp_path / "none", "faulty://b/x")
    assert not faulty.store


def test_nothing_stays_here_of_a_file_that_could_not_be_fetched_to_be_continued(
    faulty: type[FaultyFileSystem], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_file("faulty://b/x", "before")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))

    def fault(request: str, path: str) -> None:
        if request == "cat_file":
            raise PermissionError(13, "Permission denied")

    faulty.fault = staticmethod(fault)
    with pytest.raises(PermissionDeniedError):
        gfile.GFile("faulty://b/x", "a")
    assert [*tmp_path.iterdir()] == []


def test_a_profile_that_cannot_be_uploaded_is_still_here(faulty: type[FaultyFileSystem]) -> None:
    def fault(request: str, path: str) -> None:
        if request == "pipe_file":
            raise PermissionError(13, "Permission denied")

    faulty.fault = staticmethod(fault)
    start("faulty://b/logs")
    with pytest.raises(PermissionError) as raised:
        stop()
    (note,) = raised.value.__notes__
    folder = Path(note.removeprefix("The profile is in '").removesuffix("'."))
    assert [*folder.glob("plugins/profile/*/*.xplane.pb")]
    shutil.rmtree(folder)
    faulty.fault = staticmethod(lambda request, path: None)
    with Profile("faulty://b/logs"):
        pass
    assert any(path.endswith(".xplane.pb") for path in faulty.store)


def test_an_executor_that_is_shut_down_still_calls() -> None:
    executor = LastingExecutor()
    executor.shutdown()
    assert executor.submit(divmod, 7, 2).result() == (3, 1)
    with pytest.raises(ZeroDivisionError):
        executor.submit(divmod, 7, 0).result()
