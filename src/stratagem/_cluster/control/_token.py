"""The secret shared by the tasks of a job, in a file that only its owner can read."""

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
    """Returns the job's secret, from the file that `STRATAGEM_TOKEN_FILE` names, else from this user's own file.

    loopback: all tasks are on this machine. Then a missing file is made: in the user's configuration folder, or, if
    that is not writable, in a folder of the user's among the temporary files.

    Raises:
        ClusterError: the file is missing, is no regular file, is too short, or others may read it.
    """
    files = _token_files(environ)
    if loopback:
        return _own_token(files)
    try:
        return _checked(files[0])
    except FileNotFoundError:
        if environ.get(INSECURE) == "1":
            return _NO_SECRET
        raise ClusterError(
            f"The tasks of this job are on several machines, and there is no token at {files[0]}. Make one there "
            f"(`stratagem token`), copy it to every machine, or name its file in {TOKEN_FILE}. On a network that nobody "
            f"else can reach, {INSECURE}=1 runs the job without."
        ) from None
    except OSError as error:
        raise ClusterError(f"The token {files[0]} cannot be read: {error.strerror}.") from None


def is_secret(token: bytes) -> bool:
    """Returns whether the token is a secret, and not the constant of jobs without one."""
    return token != _NO_SECRET


def make_token(path: Path) -> None:
    """Writes a new secret to `path`, readable by its owner only, unless the file exists."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with contextlib.suppress(FileExistsError), atomic_write(path, mode=0o600, exclusive=True) as written:
        written.write_text(secrets.token_hex(32) + "\n")


def own_token_file(environ: Mapping[str, str]) -> Path:
    """Returns the file of this user's token, which is used unless `STRATAGEM_TOKEN_FILE` names another one."""
    return _own_files(environ)[0]


def _token_files(environ: Mapping[str, str]) -> list[Path]:
    """Returns the files where the token is looked for: the one that is named, or the user's own."""
    if named := environ.get(TOKEN_FILE):
        home = environ.get("HOME")
        return [Path(home, named[2:]) if home and named.startswith("~/") else Path(named)]
    return _own_files(environ)


def _own_files(environ: Mapping[str, str]) -> list[Path]:
    configuration = Path(environ.get("XDG_CONFIG_HOME") or Path(environ.get("HOME") or "", ".config"))
    folders = (
        [configuration / "stratagem"] if configuration.is_absolute() else []
    )  # the standard: ignore relative paths
    return [folder / "token" for folder in (*folders, _temporary_folder())]


def _temporary_folder() -> Path:
    """Returns a temporary folder that is the same for all tasks of this user, whatever their TMPDIR is."""
    return Path("/tmp" if os.access("/tmp", os.W_OK) else tempfile.gettempdir(), f"stratagem-{os.geteuid()}")


def _own_token(files: list[Path]) -> bytes:
    """Returns the token of this machine: the first one that exists or can be made."""
    problems = []
    for path in files:
        try:
            if not path.exists():
                make_token(path)
            if path.parent == _temporary_folder():
                _check_private(path.parent)
            return _checked(path)
        except OSError as error:
            problems.append(f"{path} ({error.strerror})")
    raise ClusterError(
        f"The secret of the job can be written to none of: {', '.join(problems)}. Name a file that this user can write in "
        f"{TOKEN_FILE}."
    )


def _check_private(folder: Path) -> None:
    """Raises ClusterError unless the folder is this user's alone: others may have made it among the temporary files."""
    facts = folder.lstat()
    if not stat.S_ISDIR(facts.st_mode) or facts.st_uid != os.geteuid() or facts.st_mode & 0o077:
        raise ClusterError(f"{folder} is not this user's alone. Remove it, or name a file of yours in {TOKEN_FILE}.")


def _checked(path: Path) -> bytes:
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)  # non-blocking, for it may be a pipe
    with open(handle, "rb") as file:
        facts = os.fstat(handle)
        if not stat.S_ISREG(facts.st_mode):
            raise ClusterError(f"The token {path} is not a regular file.")
        token = file.read(4096).strip()
    # Kubernetes mounts secrets as files of root's that the pod's group can read.
    others = 0o037 if facts.st_uid == 0 else 0o077
    if facts.st_uid not in (0, os.geteuid()) or stat.S_IMODE(facts.st_mode) & others:
        raise ClusterError(f"Others may read the token {path}. Run: chown {os.geteuid()} {path}; chmod 600 {path}")
    if len(token) < _SHORTEST:
        raise ClusterError(f"The token in {path} has {len(token)} characters; it needs {_SHORTEST} at least.")
    return token
