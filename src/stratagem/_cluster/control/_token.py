"""The secret that the tasks of a job share, in a file that only its owner can read."""

import contextlib
import os
import secrets
import stat
import tempfile
from collections.abc import Mapping
from pathlib import Path

from stratagem._base.errors import ClusterError
from stratagem._base.files import atomic_write

TOKEN_FILE = "STRATAGEM_TOKEN_FILE"
INSECURE = "STRATAGEM_INSECURE"
_SHORTEST = 32
_NO_SECRET = b"stratagem job without a token"


def read_token(environ: Mapping[str, str], *, loopback: bool) -> bytes:
    """The job's secret, from the file that `STRATAGEM_TOKEN_FILE` names, else from this user's own.

    loopback: all tasks are on this machine. Then the file is made when it is missing: in the user's configuration, or, where
    that cannot be written, in a folder of the user's own among the temporary files.

    Raises:
        ClusterError: the file is missing, is no file, is too short, or others may read it.
    """
    places = _places(environ)
    if loopback:
        return _own(places)
    try:
        return _checked(places[0])
    except FileNotFoundError:
        if environ.get(INSECURE) == "1":
            return _NO_SECRET
        raise ClusterError(
            f"The tasks of this job are on several machines, and there is no token at {places[0]}. Make one there "
            f"(`stratagem token`), copy it to every machine, or name its file in {TOKEN_FILE}. On a network that nobody "
            f"else can reach, {INSECURE}=1 runs the job without."
        ) from None
    except OSError as error:
        raise ClusterError(f"The token {places[0]} cannot be read: {error.strerror}.") from None


def is_secret(token: bytes) -> bool:
    """Whether the job has one."""
    return token != _NO_SECRET


def make_token(path: Path) -> None:
    """Write a new secret to `path`, readable by its owner only, unless the file exists."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with contextlib.suppress(FileExistsError), atomic_write(path, mode=0o600, exclusive=True) as written:
        written.write_text(secrets.token_hex(32) + "\n")


def own_token_file(environ: Mapping[str, str]) -> Path:
    """Where this user's token is, unless `STRATAGEM_TOKEN_FILE` names another file."""
    return _own_files(environ)[0]


def _places(environ: Mapping[str, str]) -> list[Path]:
    """Where the token is looked for: the one that is named, or the user's own ones."""
    if named := environ.get(TOKEN_FILE):
        home = environ.get("HOME")
        return [Path(home, named[2:]) if home and named.startswith("~/") else Path(named)]
    return _own_files(environ)


def _own_files(environ: Mapping[str, str]) -> list[Path]:
    configuration = Path(environ.get("XDG_CONFIG_HOME") or Path(environ.get("HOME") or "", ".config"))
    folders = [configuration / "stratagem"] if configuration.is_absolute() else []  # a relative one has no meaning
    return [folder / "token" for folder in (*folders, _among_temporary_files())]


def _among_temporary_files() -> Path:
    """A folder that all tasks of this user find, whatever their TMPDIR says."""
    return Path("/tmp" if os.access("/tmp", os.W_OK) else tempfile.gettempdir(), f"stratagem-{os.geteuid()}")


def _own(places: list[Path]) -> bytes:
    """The token of this machine: the first one that is there or can be made."""
    problems = []
    for path in places:
        try:
            if not path.exists():
                make_token(path)
            if path.parent == _among_temporary_files():
                _check_private(path.parent)
            return _checked(path)
        except OSError as error:
            problems.append(f"{path} ({error.strerror})")
    raise ClusterError(
        f"The secret of the job can be written to none of: {', '.join(problems)}. Name a file that this user can write in "
        f"{TOKEN_FILE}."
    )


def _check_private(folder: Path) -> None:
    """A folder among everybody's temporary files may have been put there by somebody else."""
    facts = folder.lstat()
    if not stat.S_ISDIR(facts.st_mode) or facts.st_uid != os.geteuid() or facts.st_mode & 0o077:
        raise ClusterError(f"{folder} is not this user's alone. Remove it, or name a file of yours in {TOKEN_FILE}.")


def _checked(path: Path) -> bytes:
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)  # a pipe would be waited for
    with open(handle, "rb") as file:
        facts = os.fstat(handle)
        if not stat.S_ISREG(facts.st_mode):
            raise ClusterError(f"The token {path} is not a regular file.")
        token = file.read(4096).strip()
    # Kubernetes mounts secrets as root's, readable by the group of the pod.
    others = 0o037 if facts.st_uid == 0 else 0o077
    if facts.st_uid not in (0, os.geteuid()) or stat.S_IMODE(facts.st_mode) & others:
        raise ClusterError(f"Others may read the token {path}. Run: chown {os.geteuid()} {path}; chmod 600 {path}")
    if len(token) < _SHORTEST:
        raise ClusterError(f"The token in {path} has {len(token)} characters; it needs {_SHORTEST} at least.")
    return token
