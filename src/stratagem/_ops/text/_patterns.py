"""Regular expressions: RE2's patterns and its rules of replacing, by the package google-re2, which the extra `text` brings."""

import functools
import importlib
import importlib.util
import itertools
import re
from collections.abc import Iterator
from types import ModuleType
from typing import Any

from stratagem._base.errors import InvalidArgumentError, UnimplementedError
from stratagem._base.exports import exported
from stratagem._base.installation import install_command
from stratagem._core.step import entrywise, pure_host_function
from stratagem._ops._convert import StringTensor, Tensor, on_device
from stratagem._ops._symbolic import accept_symbols
from stratagem._ops.text._host_strings import each, string_tensor, strings_of

_SIZES = ((0xF0, 4), (0xE0, 3), (0xC0, 2))  # of characters in UTF-8, by the least first byte


@exported("strings.regex_replace", v1=["regex_replace", "strings.regex_replace"])
@pure_host_function
@entrywise
def regex_replace(
    input: Any, pattern: Any, rewrite: Any, replace_global: bool = True, name: str | None = None
) -> StringTensor:
    r"""Returns the strings with `rewrite` in place of every match of the pattern, or of the first one of each string.

    pattern: one string, an expression of RE2 in UTF-8. rewrite: one string, in which \1 to \9 are what groups matched, \0 the
    whole match and \\ a backslash. As in RE2, nothing is replaced if the pattern has fewer groups; after another backslash
    only what is before it is inserted, and a first match alone stays as it is.
    Raises InvalidArgumentError for an invalid pattern and for several patterns or rewrites, and UnimplementedError where
    google-re2 is not installed.
    """
    what = "tf.strings.regex_replace"
    expression = _compiled(what, _scalar(what, "Pattern", pattern))
    tokens = _tokens(_scalar(what, "Rewrite", rewrite))
    parts: list[Any] = list(itertools.takewhile(lambda token: token is not None, tokens))
    groups = max((token for token in tokens if isinstance(token, int)), default=0)
    useless = groups > expression.groups or (None in tokens and not replace_global)

    def replaced(text: bytes) -> bytes:
        made: list[bytes] = []
        end = 0
        for match in _matches(expression, text):
            made += [text[end : match.start()], *(match[p] or b"" if isinstance(p, int) else p for p in parts)]
            end = match.end()
            if not replace_global:
                break
        return b"".join([*made, text[end:]])

    array = strings_of(input) if useless else each(replaced, input)
    return string_tensor(array.ravel().tolist(), array.shape)


@exported("strings.regex_full_match")
@pure_host_function
@entrywise
def regex_full_match(input: Any, pattern: Any, name: str | None = None) -> Tensor:
    """Returns whether the pattern, one string with an expression of RE2, matches each whole string: bool, of the same shape.

    Raises InvalidArgumentError for an invalid pattern and for several ones, and UnimplementedError where google-re2 is not
    installed.
    """
    what = "tf.strings.regex_full_match"
    expression = _compiled(what, _scalar(what, "Pattern", pattern), captures=False)
    return on_device(each(lambda text: expression.fullmatch(text) is not None, input).astype(bool))


def _scalar(what: str, argument: str, value: Any) -> bytes:
    array = strings_of(value)
    if array.ndim:
        raise InvalidArgumentError(f"{what}: {argument} must be scalar, but received {list(array.shape)}.")
    return array.item()


@functools.lru_cache(maxsize=128)
def _compiled(what: str, pattern: bytes, *, captures: bool = True) -> Any:
    """The expression of a pattern. captures: whether anybody asks what its groups matched, which takes longer.

    Raises:
        InvalidArgumentError: it is no expression of RE2. UnimplementedError: google-re2 is not installed.
    """
    re2 = _library(what)
    options = re2.Options()
    options.log_errors = False
    options.never_capture = not captures
    try:
        return re2.compile(pattern, options)
    except re2.error as error:
        reason = error.args[0] if error.args else error
        said = reason.decode(errors="replace") if isinstance(reason, bytes) else reason
        raise InvalidArgumentError(
            f"{what}: Invalid pattern: {pattern.decode(errors='replace')}, error: {said}"
        ) from error


def _library(what: str) -> ModuleType:
    if importlib.util.find_spec("re2") is None:
        raise UnimplementedError(f"{what} needs google-re2, which has RE2's expressions: {install_command('text')}.")
    return importlib.import_module("re2")


@functools.lru_cache(maxsize=128)
def _tokens(rewrite: bytes) -> list[bytes | int | None]:
    """The text and the numbers of groups in a rewrite; None for a backslash that means nothing."""
    return [_meaning(token) for token in re.findall(rb"[^\\]+|\\.?", rewrite, re.DOTALL)]


def _meaning(token: bytes) -> bytes | int | None:
    if not token.startswith(b"\\"):
        return token
    escaped = token[1:]
    if escaped.isdigit():
        return int(escaped)
    return escaped if escaped == b"\\" else None


def _matches(expression: Any, text: bytes) -> Iterator[Any]:
    """Yields the matches from left to right, without empty ones at the end of the one before, where RE2 goes on."""
    place, end = 0, -1
    while place <= len(text) and (match := expression.search(text, place)) is not None:
        place = match.end()
        if match.start() == end == place:
            place += _size(text, place)
            continue
        end = place
        yield match


def _size(text: bytes, place: int) -> int:
    """The number of bytes of the character in UTF-8 there; 1 for bytes that are none."""
    size = next((size for least, size in _SIZES if text[place : place + 1] >= bytes([least])), 1)
    try:
        text[place : place + size].decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return 1
    return size


accept_symbols(globals(), "strings.")
