"""What the library says is seen without any set-up, and goes where the program sends its logs otherwise."""

import subprocess
import sys


def said(*lines: str) -> str:
    """What a program that imports the library and does this prints on standard error."""
    program = "\n".join(["import logging", "import stratagem", *lines])
    return subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True).stderr


def test_information_is_printed_by_itself() -> None:
    assert said("logging.getLogger('stratagem.input').info('hello')") == "INFO:stratagem: hello\n"


def test_a_program_with_logging_of_its_own_gets_it_once_in_its_format() -> None:
    set_up = "logging.basicConfig(format='%(message)s!')"
    assert said(set_up, "logging.getLogger('stratagem').info('hello')") == "hello!\n"


def test_the_level_can_be_set() -> None:
    assert (
        said("logging.getLogger('stratagem').setLevel('WARNING')", "logging.getLogger('stratagem').info('hello')") == ""
    )
