"""Paths that programs give, of this machine or with the scheme of another file system; file system errors as TensorFlow's."""

import contextlib
import os
import posixpath
import re
from collections.abc import Iterator
from typing import Any

import numpy as np

from stratagem._base.errors import (
    FailedPreconditionError,
    InvalidArgumentError,
    NotFoundError,
    PermissionDeniedError,
    UnimplementedError,
)
from stratagem._base.types import PathLike

StrPath = str | bytes | os.PathLike[str]

# The scheme as TensorFlow and fsspec write it. PathLike objects need another pattern: `Path("gs://b")` becomes `gs:/b`.
_SCHEME = re.compile(r"([a-zA-Z][0-9a-zA-Z.+_-]*)://")
_SCHEME_OF_PATHLIB = re.compile(r"([a-zA-Z][0-9a-zA-Z.+_-]+):/(?!/)")
_CHAIN = re.compile(r"[a-zA-Z][0-9a-zA-Z.+_-]*::")
LOCAL_SCHEMES = ("file", "local")
_PASSWORD = re.compile(r"(?<=://)([^/@:]*):(?!\d+/).*@")  # not a port
_SECRET_QUERY = re.compile(r"(?i)([?&][^=&]*(?:token|secret|password|passwd|signature|credential|sig|key)[^=&]*=)[^&]*")


def any_path(path: PathLike) -> str:
    """The path that `path` names, on this machine or elsewhere: text, bytes, a PathLike or a string tensor.

    `file:///a/b` is `/a/b`; one of another scheme stays a URL, `gs://bucket/a`, for which `is_remote` is True. Whether the
    scheme can be used is found where the file system is asked for (`storage`).

    Raises:
        InvalidArgumentError: a URL with a password or a signature in it: paths are logged, and written into files.
        UnimplementedError: a chain of URLs, `simplecache::gs://bucket`.
        TypeError: it is not a path.
    """
    given: Any = path.item() if isinstance(path, np.ndarray) else path
    text = os.fsdecode(given)
    found = (_SCHEME_OF_PATHLIB if isinstance(given, os.PathLike) else _SCHEME).match(text)
    if found is None:
        if _CHAIN.match(text) and "://" in text:
            raise UnimplementedError(
                f"{without_secrets(text)}: chains of URLs are not implemented. Give the last URL alone."
            )
        return text
    rest = text[found.end() :]
    if found[1] in LOCAL_SCHEMES:
        return f"/{rest}" if isinstance(given, os.PathLike) else rest[rest.find("/") :]  # a host may come first
    url = f"{found[1]}://{rest}"
    if without_secrets(url) != url:
        raise InvalidArgumentError(
            f"{without_secrets(url)}: this path has a password, a key or a signature in it (not shown here). Paths are logged "
            "and written into files: give credentials by the environment or in fsspec's configuration instead."
        )
    return url


def local_path(path: PathLike) -> str:
    """The path of this machine that `path` names, for what cannot be elsewhere. `file:///a/b` is `/a/b`.

    Raises the errors of `any_path`, and UnimplementedError for a path with another scheme, such as `gs://` or `ram://`.
    """
    text = any_path(path)
    if not is_remote(text):
        return text
    raise UnimplementedError(
        f"{text}: File system scheme {scheme_of(text)!r} is not implemented here: this works with files of this machine only "
        "(nothing has been read or written). Copy them with tf.io.gfile.copy, before or afterwards, or mount the storage."
    )


def is_remote(path: str) -> bool:
    """Returns whether a path that `any_path` has returned leads to a file system outside of this process' own."""
    return _SCHEME.match(path) is not None


def scheme_of(path: str) -> str:
    """The scheme of a path that `is_remote`, such as "gs"."""
    found = _SCHEME.match(path)
    return found[1] if found is not None else ""


def absolute(path: str) -> str:
    """The path without `.` and `..`, and, on this machine, from its root on."""
    if not is_remote(path):
        return os.path.abspath(path)
    scheme, _, rest = path.partition("://")
    root, slash, below = rest.partition("/")
    return f"{scheme}://{root}{slash}{posixpath.normpath(f'/{below}').lstrip('/') if below else ''}"


def parent(path: str) -> str:
    """The folder of a path: `gs://` of `gs://bucket`, which `os.path.dirname` would make the local `gs:`."""
    if not is_remote(path):
        return os.path.dirname(path)
    scheme, _, rest = path.partition("://")
    return f"{scheme}://{rest.rpartition('/')[0]}"


def relative(path: str, directory: str) -> str:
    """The path of a file, both given as `absolute`, from a directory on the same file system."""
    if not is_remote(directory):
        return os.path.relpath(path, directory)
    return posixpath.relpath(_below(path), _below(directory))


def without_secrets(url: str) -> str:
    """The URL with `***` in place of passwords, keys and signatures."""
    return _SECRET_QUERY.sub(r"\1***", _PASSWORD.sub(r"\1:***@", url))


def _below(url: str) -> str:
    return "/" + url.partition("://")[2]


@contextlib.contextmanager
def file_errors(path: PathLike) -> Iterator[None]:
    """Converts the operating system's file errors in the body into TensorFlow's errors, which user code catches.

    Raises:
        NotFoundError: the file does not exist.
        FailedPreconditionError: a folder is where a file should be, or the other way round.
        PermissionDeniedError: access is not allowed.
    """
    try:
        yield
    except FileNotFoundError as error:
        raise NotFoundError(f"{any_path(path)}: no such file or directory") from error
    except (FileExistsError, IsADirectoryError, NotADirectoryError) as error:
        raise FailedPreconditionError(f"{any_path(path)}: {error.strerror or error}") from error
    except PermissionError as error:
        raise PermissionDeniedError(f"{any_path(path)}: {error.strerror or error}") from error
