"""The secret of a job is its user's alone, or the job does not start, and says why."""

import os
import stat
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from stratagem._base.errors import ClusterError
from stratagem._cluster.control import is_secret, make_token, own_token_file, read_token

SECRET = "0123456789" * 5
OWN = f"stratagem-{os.geteuid()}"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user's folder; among the temporary files, which are not in /tmp, there is one of its own."""
    access = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: path != "/tmp" and access(path, mode))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    (tmp_path / "home").mkdir()
    return tmp_path / "home"


def written(path: Path, text: str = SECRET, mode: int = 0o600) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(mode)
    return path


def test_on_one_machine_the_token_is_made_once_and_for_its_owner_only(home: Path) -> None:
    environ = {"HOME": str(home)}
    found: list[bytes] = []
    tasks = [threading.Thread(target=lambda: found.append(read_token(environ, loopback=True))) for _ in range(8)]
    for task in tasks:
        task.start()
    for task in tasks:
        task.join()
    path = own_token_file(environ)
    assert path == home / ".config" / "stratagem" / "token"
    assert set(found) == {path.read_bytes().strip()}
    assert len(found) == 8
    assert len(found[0]) == 64
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert list(path.parent.iterdir()) == [path]


def test_a_named_file_is_made_where_it_is_missing(home: Path) -> None:
    path = home / "folder" / "secret"
    environ = {"STRATAGEM_TOKEN_FILE": str(path)}
    assert read_token(environ, loopback=True) == path.read_bytes().strip()
    assert read_token({"STRATAGEM_TOKEN_FILE": "~/folder/secret", "HOME": str(home)}, loopback=False)


@pytest.mark.parametrize("environ", [{}, {"HOME": ""}, {"HOME": "relative"}, {"XDG_CONFIG_HOME": "relative"}])
def test_without_a_home_it_is_among_the_temporary_files(environ: dict[str, str], home: Path) -> None:
    secret = read_token(environ, loopback=True)
    path = home.parent / "temporary" / OWN / "token"
    assert path.read_bytes().strip() == secret
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert not Path("relative").exists()


def test_where_the_home_cannot_be_written_it_is_among_the_temporary_files(home: Path) -> None:
    (home / ".config").write_text("a file where a folder belongs: even root cannot write here")
    assert read_token({"HOME": str(home)}, loopback=True)
    assert (home.parent / "temporary" / OWN / "token").exists()


def test_a_folder_among_the_temporary_files_must_be_this_users_alone(home: Path) -> None:
    folder = home.parent / "temporary" / OWN
    written(folder / "token")
    folder.chmod(0o777)
    with pytest.raises(ClusterError, match="is not this user's alone"):
        read_token({}, loopback=True)
    elsewhere = home.parent / "elsewhere"
    folder.rename(elsewhere)
    elsewhere.chmod(0o700)
    folder.symlink_to(elsewhere)
    with pytest.raises(ClusterError, match="is not this user's alone"):
        read_token({}, loopback=True)


def test_nowhere_to_write_is_an_error_that_names_all_places(home: Path) -> None:
    (home / ".config").write_text("")
    (home.parent / "temporary").rmdir()
    (home.parent / "temporary").write_text("")
    with pytest.raises(ClusterError, match=r"none of: .*\.config.*temporary.*STRATAGEM_TOKEN_FILE"):
        read_token({"HOME": str(home)}, loopback=True)


@pytest.mark.parametrize("mode", [0o644, 0o640, 0o620, 0o601])
def test_others_may_not_read_it(mode: int, home: Path) -> None:
    path = written(home / "token", mode=mode)
    if os.geteuid() == 0 and mode == 0o640:
        os.chown(path, 12345, -1)  # root's own may be read by its group, as Kubernetes mounts secrets
    for loopback in (True, False):
        with pytest.raises(ClusterError, match=r"Others may read the token .* Run: chown"):
            read_token({"STRATAGEM_TOKEN_FILE": str(path)}, loopback=loopback)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_it_belongs_to_this_user_or_to_root(home: Path) -> None:
    path = written(home / "token", mode=0o440)
    assert read_token({"STRATAGEM_TOKEN_FILE": str(path)}, loopback=False) == SECRET.encode()
    os.chown(path, 12345, -1)
    path.chmod(0o400)
    with pytest.raises(ClusterError, match="Others may read"):
        read_token({"STRATAGEM_TOKEN_FILE": str(path)}, loopback=False)


def test_a_link_leads_to_a_file_that_is_checked_itself(home: Path) -> None:
    link = home / "link"
    link.symlink_to(written(home / "open", mode=0o644))
    with pytest.raises(ClusterError, match="Others may read"):
        read_token({"STRATAGEM_TOKEN_FILE": str(link)}, loopback=False)
    (home / "open").chmod(0o600)
    assert read_token({"STRATAGEM_TOKEN_FILE": str(link)}, loopback=False) == SECRET.encode()


@pytest.mark.parametrize(
    ("make", "error"),
    [
        (lambda path: written(path, ""), "has 0 characters; it needs 32"),
        (lambda path: written(path, "\n" * 100), "has 0 characters"),
        (lambda path: written(path, "short"), "has 5 characters"),
        (lambda path: path.mkdir(), "is not a regular file|cannot be read: Is a directory"),
        (lambda path: os.mkfifo(path, 0o600), "is not a regular file"),
        (lambda path: path.symlink_to(path), "cannot be read: Too many levels of symbolic links"),
    ],
    ids=["empty", "blank", "short", "folder", "pipe", "endless link"],
)
def test_what_is_no_token_is_refused_in_words(make: Callable[[Path], object], error: str, home: Path) -> None:
    make(home / "token")
    with pytest.raises(ClusterError, match=error):
        read_token({"STRATAGEM_TOKEN_FILE": str(home / "token")}, loopback=False)


def test_several_machines_need_a_token_that_somebody_has_made(home: Path) -> None:
    environ = {"HOME": str(home)}
    with pytest.raises(ClusterError, match="on several machines, and there is no token"):
        read_token(environ, loopback=False)
    assert list(home.iterdir()) == []
    insecure = read_token({**environ, "STRATAGEM_INSECURE": "1"}, loopback=False)
    assert not is_secret(insecure)
    make_token(own_token_file(environ))
    secret = read_token(environ, loopback=False)
    assert is_secret(secret)
    assert read_token({**environ, "STRATAGEM_INSECURE": "1"}, loopback=False) == secret
