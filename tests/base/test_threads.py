"""The coordinator of threads: a stop that one of them requests, the error that comes with it, and the time to end."""

import threading
from collections.abc import Callable, Iterator

import pytest

import stratagem as tf


@pytest.fixture
def release() -> Iterator[threading.Event]:
    """Threads that do not heed the coordinator wait for this event, and end with the test."""
    event = threading.Event()
    yield event
    event.set()
    for thread in threading.enumerate():
        if thread.name.startswith("stubborn"):
            thread.join()


def started(target: Callable[[], object], name: str = "worker") -> threading.Thread:
    """A thread that runs."""
    thread = threading.Thread(target=target, name=name)
    thread.start()
    return thread


def test_all_threads_stop_when_one_asks() -> None:
    coordinator = tf.train.Coordinator()
    waiting = [started(coordinator.wait_for_stop) for _ in range(2)]
    assert not coordinator.should_stop()
    assert not coordinator.wait_for_stop(0.01)
    asking = started(coordinator.request_stop)
    coordinator.join([*waiting, asking])
    assert coordinator.should_stop()
    assert coordinator.joined
    assert not any(thread.is_alive() for thread in (*waiting, asking))


def test_join_ends_without_a_request_when_all_threads_have_ended() -> None:
    coordinator = tf.train.Coordinator()
    coordinator.register_thread(started(lambda: None))
    coordinator.join()
    assert coordinator.joined
    assert not coordinator.should_stop()


def test_the_error_of_a_thread_is_raised_by_join_once_it_is_recorded() -> None:
    coordinator = tf.train.Coordinator()

    def fail() -> None:
        with coordinator.stop_on_exception():
            raise RuntimeError("the first error")

    def fail_later() -> None:
        coordinator.wait_for_stop()
        with coordinator.stop_on_exception():
            raise RuntimeError("the second error")

    for target in (fail, fail_later):
        coordinator.register_thread(started(target))
    with pytest.raises(RuntimeError, match="the first error"):
        coordinator.join()
    with pytest.raises(RuntimeError, match="the first error"):
        coordinator.raise_requested_exception()
    with pytest.raises(ValueError, match="after the end"):  # nobody would see it later
        coordinator.request_stop(ValueError("after the end"))


def test_an_exception_is_reported_as_itself_or_as_exc_info() -> None:
    for form in (lambda error: error, lambda error: (type(error), error, error.__traceback__)):
        coordinator = tf.train.Coordinator()
        try:
            raise KeyError("lost")
        except KeyError as error:
            coordinator.request_stop(form(error))
        with pytest.raises(KeyError, match="lost"):
            coordinator.join()


def test_the_end_of_the_data_is_no_error() -> None:
    coordinator = tf.train.Coordinator()
    with coordinator.stop_on_exception():
        raise tf.errors.OutOfRangeError("the end")
    coordinator.join()
    coordinator.raise_requested_exception()
    own = tf.train.Coordinator(clean_stop_exception_types=(StopIteration,))
    own.request_stop(StopIteration())
    own.join()
    with pytest.raises(tf.errors.OutOfRangeError), own.stop_on_exception():  # joined: it cannot be reported later
        raise tf.errors.OutOfRangeError("the end")


def test_a_thread_that_goes_on_after_the_grace_period_is_named(release: threading.Event) -> None:
    coordinator = tf.train.Coordinator()
    coordinator.register_thread(started(release.wait, "stubborn thread"))
    coordinator.request_stop()
    with pytest.raises(RuntimeError, match="with threads still running: stubborn thread"):
        coordinator.join(stop_grace_period_secs=0.02)
    coordinator.join()  # it has been forgotten


def test_live_threads_are_ignored_on_request(release: threading.Event) -> None:
    coordinator = tf.train.Coordinator()
    thread = started(release.wait, "stubborn thread")
    coordinator.request_stop()
    coordinator.join([thread], stop_grace_period_secs=0.02, ignore_live_threads=True)
    assert coordinator.joined
    assert thread.is_alive()


def test_an_error_is_raised_rather_than_the_complaint_about_live_threads(release: threading.Event) -> None:
    coordinator = tf.compat.v1.train.Coordinator()
    coordinator.register_thread(started(release.wait, "stubborn thread"))
    coordinator.request_stop(ValueError("the reason"))
    with pytest.raises(ValueError, match="the reason"):
        coordinator.join(stop_grace_period_secs=0)


def test_a_cleared_coordinator_can_be_used_again() -> None:
    coordinator = tf.train.Coordinator()
    coordinator.request_stop(ValueError("old"))
    with pytest.raises(ValueError, match="old"):
        coordinator.join()
    coordinator.clear_stop()
    assert not coordinator.should_stop()
    assert not coordinator.joined
    coordinator.raise_requested_exception()
    thread = started(coordinator.wait_for_stop)
    coordinator.request_stop()
    coordinator.join([thread])
