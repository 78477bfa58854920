"""`stratagem explain`: prints what the page of troubles says about a class of errors, or a message."""

import difflib
import importlib.resources
import json
import os
import re
import shutil
from collections.abc import Iterable, Iterator, Mapping

import click

_CLASS = re.compile(r"\b[A-Z]\w*Error\b")
_MESSAGE = re.compile(r'"([^"]+)"')
_OF = re.compile(r"\[`(\w+)`: (.*?)\] ", re.S)  # the messages that a section is about, each in quotation marks
_LINK = re.compile(r"\[([^\[\]]*)\]\(([^)#]*)(#[^)]*)?\)")
_PART = 2**16  # bytes of a line without an end
_LINES, _WIDEST = 8, 400  # of an error's own text that are printed, and characters of each


@click.command()
@click.argument("error", required=False)
def command(error: str | None) -> None:
    """Print what ERROR means and what usually cures it.

    ERROR is the name of a class of errors, a word of the list, a file (a log: the last error in it is printed and
    explained), or "-" for the standard input. Without it, all are listed.
    """
    texts = _texts()
    if error is None:
        click.echo("\n".join(sorted(texts)))
        return
    name, said = _named(error, texts)
    paragraphs = " ".join(_LINK.sub(_without_link, texts[name]).split())
    own = "".join(f"  {line}\n" for line in said)
    click.echo(f"{name}\n{own}\n{click.wrap_text(paragraphs, shutil.get_terminal_size().columns)}")


def last_named(lines: Iterable[str]) -> str | None:
    """The class of this library's errors that a text names last, or the word for the message that it has last."""
    name, _ = _last_error(lines, _texts())
    return name


def _last_error(lines: Iterable[str], texts: Mapping[str, str]) -> tuple[str | None, list[str]]:
    """The class that a text names last, and its own lines: the one with the name, and what follows up to an empty one.

    Of an error without a class of its own the word for its message.
    """
    messages = _messages(texts)
    found: str | None = None
    said: list[str] = []
    goes_on = False
    for line in lines:
        classes = _CLASS.findall(line)
        named = next((name for name in reversed(classes) if name in texts), None)
        if named is None:
            named = next((name for (kind, text), name in messages.items() if kind in classes and text in line), None)
        if named is not None:
            found, said, goes_on = named, [_printable(line)], True
        elif goes_on := goes_on and bool(line.strip()) and len(said) < _LINES:
            said.append(_printable(line))
    return found, said


def _messages(texts: Mapping[str, str]) -> dict[tuple[str, str], str]:
    """The classes and the words of messages, with the names of the sections about them."""
    about = {name: _OF.match(text) for name, text in texts.items()}
    return {
        (of[1], " ".join(message.split())): name
        for name, of in about.items()
        if of
        for message in _MESSAGE.findall(of[2])
    }


def _printable(line: str) -> str:
    """A line of a log as a terminal takes it."""
    text = "".join(c if c.isprintable() else " " for c in click.unstyle(line).expandtabs().rstrip())
    return text if len(text) <= _WIDEST else f"{text[:_WIDEST]} ..."


def _texts() -> Mapping[str, str]:
    text = importlib.resources.files(__package__).joinpath("explanations.json").read_text(encoding="utf-8")
    read: Mapping[str, str] = json.loads(text)
    return read


def _named(error: str, texts: Mapping[str, str]) -> tuple[str, list[str]]:
    """The class that is meant by a name or by the last of them in a log, and what the log says of it."""
    known = {name.lower(): name for name in texts}
    named = known.get(error.rpartition(".")[2].lower())
    if named is not None:
        return named, []
    if error == "-" or os.path.isfile(error):
        found, said = _last_error(_lines(error), texts)
        if found is None:
            raise click.UsageError(
                f"There is no error of this library in {'what was read' if error == '-' else error}."
            )
        return found, said
    near = difflib.get_close_matches(error.rpartition(".")[2].lower(), known, n=1)
    hint = f"Did you mean {known[near[0]]}?" if near else "`stratagem explain` alone lists all."
    raise click.UsageError(f"{error} is neither a class of this library's errors nor a file. {hint}")


def _lines(log: str) -> Iterator[str]:
    """A log's lines; one that does not end comes in parts."""
    with click.open_file(log, "rb") as file:
        while line := file.readline(_PART):
            yield line.decode(errors="replace")


def _without_link(link: re.Match[str]) -> str:
    text, page = link[1], link[2]
    return text if not page or text == page else f"{text} (docs/{page})"
