"""Documents and messages quote no option of `stratagem` that its commands, as click has them, do not know."""

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path

import click

from stratagem.cli import main

ROOT = Path(__file__).parents[2]
MESSAGES = ROOT / "src" / "stratagem" / "cli"
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")), *sorted((ROOT / "docs").rglob("*.ipynb"))]
PROGRAMS = [path for folder in ("src/stratagem", "examples") for path in sorted((ROOT / folder).rglob("*.py"))]
FENCED = re.compile(r"^```.*?^```", re.M | re.S)
INLINE = re.compile(r"`([^`]+)`")
CALL = re.compile(r"(?<![\w./-])stratagem (?=[a-z])")
END = re.compile(r"""[`#"'|&;)\n]""")
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*")
OF_OTHERS = re.compile(r"\b(?:pip install|srun|tensorboard) .*")
TOP = click.Context(main)


def test_options_that_are_quoted_with_a_command_are_its_own() -> None:
    lines = sorted({(path, line) for path in (*DOCUMENTS, *PROGRAMS) for text in texts(path) for line in called(text)})
    wrong = [f"{path.relative_to(ROOT)}: stratagem {line}: {said}" for path, line in lines if (said := fault(line))]
    assert wrong == []
    having_options = {path.name for path, line in lines if OPTION.search(line)}
    assert {"README.md", "launch.md", "troubleshooting.md", "several_workers.ipynb", "census.py"} <= having_options


def test_options_without_a_command_are_those_of_the_page_or_of_some_command() -> None:
    pages = {name: page for name in main.list_commands(TOP) if (page := ROOT / "docs" / f"{name}.md").exists()}
    wrong = []
    for name, page in pages.items():
        quoted = INLINE.findall(FENCED.sub("", page.read_text(encoding="utf-8")))
        alone = {option for text in quoted if text.startswith("--") for option in OPTION.findall(text)}
        wrong += [f"{page.name}: {option}" for option in sorted(alone - options(main.get_command(TOP, name)))]
    messages = [OF_OTHERS.sub("", text) for path in sorted(MESSAGES.glob("*.py")) for text in texts(path)]
    said = {option for text in messages for option in OPTION.findall(text)}
    assert [*wrong, *sorted(said - options(main))] == []
    assert {"--max-restarts", "--folder", "--all"} <= said


def texts(path: Path) -> Iterator[str]:
    """The text of a document; the sources of a notebook's cells; the strings of a program."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".md":
        yield text
    elif path.suffix == ".ipynb":
        yield from ("".join(cell["source"]) for cell in json.loads(text)["cells"])
    elif OPTION.search(text):
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.JoinedStr):  # with every value as {}
                yield "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values)
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield node.value


def called(text: str) -> Iterator[str]:
    """The command lines in a text, without `stratagem`; those in prose may go on in the next line."""
    prose = (" ".join(quoted.split()) for quoted in INLINE.findall(FENCED.sub("", text)))
    for line in (*prose, *text.splitlines()):
        for found in CALL.finditer(line):
            words = END.split(line[found.end() :], maxsplit=1)[0]
            if main.get_command(TOP, words.split()[0]) is not None:
                yield " ".join(word for word in words.split() if word not in ("…", "..."))


def fault(line: str) -> str:
    """What click says of an option in this command line; that an argument is missing does not matter."""
    command, name, arguments = resolved(line.split())
    try:
        command.make_parser(click.Context(command, info_name=name, **command.context_settings)).parse_args(arguments)
    except click.NoSuchOption as error:
        return error.format_message()
    except click.UsageError:
        pass
    return ""


def resolved(words: list[str]) -> tuple[click.Command, str, list[str]]:
    command: click.Command = main
    name = ""
    while isinstance(command, click.Group) and words and (found := command.get_command(TOP, words[0])) is not None:
        command, name, words = found, words[0], words[1:]
    return command, name, words


def options(command: click.Command | None) -> set[str]:
    """The options of a command and of all below it."""
    assert command is not None
    group = command if isinstance(command, click.Group) else None
    below = [] if group is None else [group.get_command(TOP, name) for name in group.list_commands(TOP)]
    own = {name for option in command.params if isinstance(option, click.Option) for name in option.opts}
    return own.union({"--help"}, *map(options, below))
