"""`stratagem explain` tells what a class of errors means, by its name or by the log of a program that ended with it."""

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from stratagem.cli import main
from tests.cli.launches import launcher

LOG = """\
step 3
Traceback (most recent call last):
  File "train.py", line 8, in <module>
stratagem._base.errors.TapeError: the tape was used already
During handling of the above exception, another exception occurred:
stratagem._base.errors.PeerFailedError: worker:1 was \x1b[1mlost\x1b[0m
So worker:0 cannot go on.

ValueError: something else
"""


def explain(*arguments: object, typed: str | bytes | None = None) -> Result:
    return CliRunner().invoke(main, ["explain", *map(str, arguments)], input=typed)


def test_a_class_is_explained_however_its_name_is_written() -> None:
    texts = {explain(name).output for name in ("DivergenceError", "divergenceerror", "tf.errors.DivergenceError")}
    (text,) = texts
    assert text.startswith("DivergenceError\n\n[`ValueError`] Replicas would no longer be alike")
    assert "](" not in text


def test_the_last_error_of_this_library_in_a_log_is_explained(tmp_path: Path) -> None:
    (tmp_path / "log").write_text(LOG)
    own = (
        "  stratagem._base.errors.PeerFailedError: worker:1 was lost\n  So worker:0 cannot go on.\n\n[`ConnectionError`"
    )
    assert explain(tmp_path / "log").output.startswith(f"PeerFailedError\n{own}")
    assert explain("-", typed=LOG).output.startswith("PeerFailedError\n")
    assert explain("-", typed=b"\xff\0TapeError" + b" x" * 100_000).output.startswith("TapeError\n")


def test_an_error_without_a_class_of_its_own_is_explained_by_its_message(tmp_path: Path) -> None:
    said = "RuntimeError: Collective ops must be configured at program startup: JAX's backend has started already."
    (tmp_path / "log").write_text(f"stratagem._base.errors.TapeError: before\n{said}\nValueError: at the end\n")
    text = explain(tmp_path / "log").output
    assert text.startswith(f"too-late\n  {said}\n")
    assert "Move `tf.distribute.MultiWorkerMirroredStrategy()`" in text
    assert "too-late" in explain().output.split()


def test_links_are_their_texts() -> None:
    assert (
        explain("PeerFailedError")
        .output.split("\n\n")[1]
        .startswith("[`ConnectionError`, a kind of UnavailableError] ")
    )


def test_all_classes_are_listed() -> None:
    listed = explain().output.split()
    assert listed == sorted(listed)
    assert {"PeerStuckError", "NotFoundError", "TracedDecisionError"} < set(listed)


@pytest.mark.parametrize(
    ("asked", "typed", "told"),
    [
        (
            "-",
            "RuntimeError: of the user\nAttributeError: is already closed\n",
            "no error of this library in what was read",
        ),
        ("DivergenceEror", None, "Did you mean DivergenceError?"),
        ("train.log", None, "`stratagem explain` alone lists all."),
        ("-", "ValueError: of Python\n", "no error of this library in what was read"),
    ],
)
def test_what_cannot_be_explained_is_a_mistake_that_says_so(asked: str, typed: str | None, told: str) -> None:
    result = explain(asked, typed=typed)
    assert result.exit_code == 2
    assert told in result.output


def test_the_launcher_says_how_an_error_is_explained(tmp_path: Path) -> None:
    script = tmp_path / "lost.py"
    script.write_text("from stratagem._base.errors import DeviceError\nraise DeviceError('there is no gpu:7')\n")
    with launcher("--workers", 1, script) as started:
        done = started.done()
    assert done.code == 1
    assert "`stratagem explain DeviceError`" in done.told
