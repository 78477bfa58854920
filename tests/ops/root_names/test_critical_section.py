"""`tf.CriticalSection`: one thread at a time."""

import threading

import pytest

import stratagem as tf


def test_threads_run_its_functions_one_after_another() -> None:
    section, running, found = tf.CriticalSection(name="s"), threading.Event(), []

    def step() -> int:
        found.append(running.is_set())
        running.set()
        threading.Event().wait(0.01)
        running.clear()
        return 3

    threads = [threading.Thread(target=section.execute, args=(step,)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [False] * 4
    assert section.name == "s"
    assert section.execute(step).dtype == tf.int32


def test_it_is_free_after_an_error_and_refuses_to_wait_for_itself() -> None:
    section = tf.CriticalSection(shared_name="a")
    with pytest.raises(ZeroDivisionError):
        section.execute(lambda: 1 / 0)
    with pytest.raises(ValueError, match="in which we are already running"):
        section.execute(lambda: tf.CriticalSection(shared_name="a").execute(lambda: 1))
    assert section.execute(lambda: None) is None
    with pytest.raises(ValueError, match="critical_section_def"):
        tf.CriticalSection(critical_section_def=3)


def test_in_a_compiled_function_calls_follow_each_other() -> None:
    section, variable = tf.CriticalSection(), tf.Variable(0.0)

    @tf.function
    def step() -> None:
        section.execute(lambda: variable.assign_add(1.0))
        section.execute(lambda: variable.assign(variable * 10.0))

    step()
    assert variable.numpy() == 10.0
