"""A worker that is lost, frozen, stuck or raises ends all others with one error that names it, and nothing hangs or aborts.

The numbers are those of the scenarios in docs/reliability.md; `make soak` runs them many times.
"""

import importlib.metadata
import signal
import time
from pathlib import Path

import pytest

from tests.multi_worker.jobs import Ended, job

STEP, RANK = 6, 1  # where and on whom the fault happens
NUMBER = f"worker:{RANK} (rank {RANK},"
OTHER = '{"cluster": {"worker": ["127.0.0.1:1", "127.0.0.1:2"]}, "task": {"type": "worker", "index": 1}}'


def faulty(fault: str, workers: int = 2, rank: int = RANK, **variables: str) -> list[Ended]:
    """A job in which something happens in the middle of training."""
    with job("training.py", workers, 96, 1000, fault, STEP, rank, **variables) as running:
        return running.ended()


def survivors(ended: list[Ended], rank: int = RANK) -> list[Ended]:
    """The others."""
    return [task for i, task in enumerate(ended) if i != rank]


def check_error(task: Ended, kind: str, *facts: str) -> None:
    """One typed error at the end of the output, and a chosen exit code: no abort."""
    assert task.code == 1, task.output
    _, _, error = task.output.rpartition(f"stratagem._base.errors.{kind}: ")
    for fact in facts:
        assert fact in error, task.output
    assert task.output.count("stratagem._base.errors.") == 1, task.output


def test_f1_a_killed_worker_is_named_by_all_survivors() -> None:
    ended = faulty("kill", 4)  # some of them do not talk to the lost one
    assert ended[RANK].code == -signal.SIGKILL
    for task in survivors(ended):
        check_error(task, "PeerFailedError", f"{NUMBER}", "was lost in step", "Its process ended without a word")


def test_f2_the_chief_may_be_lost_as_well() -> None:
    ended = faulty("kill", rank=0)
    assert ended[0].code == -signal.SIGKILL
    for task in survivors(ended, 0):
        check_error(task, "PeerFailedError", "worker:0 (rank 0,", "was lost in step")


@pytest.mark.thorough
def test_f1_a_worker_may_be_lost_while_jax_starts() -> None:
    with job("starting.py", 2) as running:
        ended = running.ended()
    check_error(ended[0], "PeerFailedError", NUMBER, "was lost in step 0")


def test_f3_a_frozen_worker_is_noticed_by_its_missing_heartbeat() -> None:
    ended = faulty("stop", STRATAGEM_HEARTBEAT_SECONDS="5", STRATAGEM_LEAVE_SECONDS="1")
    assert ended[RANK].code == -signal.SIGKILL  # its supervisor ends what nobody else would
    for task in survivors(ended):
        check_error(task, "PeerStuckError", f"{NUMBER}", "is frozen: its process was stopped", "user code")


def test_f4_a_stuck_worker_is_named_with_its_step_and_phase_and_all_show_their_stacks() -> None:
    ended = faulty("stuck", STRATAGEM_COLLECTIVE_SECONDS="15", STRATAGEM_LEAVE_SECONDS="10")
    for task in survivors(ended):
        check_error(task, "PeerStuckError", f"{NUMBER}", f"in step {STEP}, phase user code", "Noticed after")
    for task in ended:
        assert "most recent call first" in task.output, task.output
    assert "in fail" in ended[RANK].output  # where it is stuck


def test_f5_a_late_worker_is_no_failure() -> None:
    """Its supervisor gives signs of life, also when it is later than their limit, which is 10 s."""
    with job("training.py", 2, 96, 3, "late", STEP, RANK, LATE_SECONDS="13") as running:
        ended = running.ended()
    assert [task.code for task in ended] == [0, 0], ended
    assert "PeerFailed" not in ended[0].output


def test_f8_an_exception_of_one_worker_is_shown_by_all_as_the_cause() -> None:
    ended = faulty("raise")
    assert ended[RANK].code == 1
    assert ended[RANK].output.count("ValueError: a bug of the user's") == 1
    for task in survivors(ended):
        check_error(task, "PeerFailedError", f"{NUMBER}", "raised an exception", "ValueError: a bug of the user's")


@pytest.mark.thorough  # so is one that has left the loop, below
def test_a_worker_that_ends_early_is_named() -> None:
    ended = faulty("end")
    assert ended[RANK].code == 0
    for task in survivors(ended):
        check_error(task, "PeerFailedError", f"{NUMBER}", "has ended, and others still need it")


def test_s6_workers_may_end_at_different_times() -> None:
    with job("ending.py", 3) as running:
        ended = running.ended()
    assert [task.code for task in ended] == [0, 0, 0], ended


@pytest.mark.thorough  # tests/cluster/control/test_waiting.py shows it on the control channel alone
def test_s3_missing_workers_are_named_until_the_limit() -> None:
    began = time.monotonic()
    with job("training.py", 3, 96, 1, STRATAGEM_JOIN_SECONDS="20") as running:
        running.processes[2].kill()
        ended = running.ended()
    assert time.monotonic() - began > 20
    for task in ended[:2]:
        check_error(task, "ClusterError", "waited 20 s for", "worker:2")


@pytest.mark.parametrize(("what", "value"), [("OTHER", OTHER), ("VERSION", "9.9")])
def test_s2_and_s4_another_tf_config_or_version_is_refused_with_the_difference_and_all_are_told(
    what: str, value: str
) -> None:
    with job("differing.py", 2, environments=[{}, {what: value}]) as running:
        ended = running.ended()  # and not after the limit to join, which is ten minutes
    ours = importlib.metadata.version("stratagem")
    differences = {
        "OTHER": ("its cluster differs from what worker:0 has", "worker is", "127.0.0.1:2"),
        "VERSION": (f"its versions differ from what worker:0 has: stratagem is 9.9 there and {ours}",),
    }
    check_error(ended[1], "ClusterError", *differences[what])
    check_error(ended[0], "ClusterError", "This job cannot begin, as it refused worker:1 of", *differences[what])


# Loops that differ.


def left_early(why: str, after: str, *error: str) -> list[Ended]:
    """A job whose worker:1 leaves its loop early; both get this error, long before the limit of five minutes."""
    with job("leaving.py", 2, why, after) as running:
        ended = running.ended()
    for task in ended:
        assert task.code == 1, task.output
        _, _, told = task.output.rpartition(f"stratagem._base.errors.{error[0]}: ")  # the other's may be told before
        for fact in error[1:]:
            assert fact in told, task.output
    return ended


def test_data_sets_of_different_lengths_are_told_before_the_first_step() -> None:
    lengths = "worker:0 has 6 batches (24 examples); worker:1 has 4 batches (16 examples)"
    for task in left_early("length", "epoch", "ClusterError", "datasets have different lengths", lengths):
        assert "step 0" not in task.output


def test_whose_input_ends_first_is_told_where_no_length_is_known() -> None:
    error = "The input of worker:1 has ended after 4 batches, that of worker:0 goes on."
    tasks = left_early("generator", "epoch", "ClusterError", error)
    # Who finds it has ended step 3. The other may be in its collective still, whose connections are then closed.
    assert any("step 3" in task.output for task in tasks), tasks
    assert all("step 2" in task.output and "step 4" not in task.output for task in tasks), tasks


@pytest.mark.parametrize(
    ("after", "waits"),
    [
        ("epoch", "It waits for the others (where an iterator begins) after 5 steps, and worker:0 is in step 6."),
        pytest.param(
            "save",
            "It waits for the others (save a checkpoint) after 5 steps, and worker:0 is in step 6.",
            marks=pytest.mark.thorough,
        ),
    ],
)
def test_who_has_left_the_loop_is_named_and_not_who_waits(after: str, waits: str) -> None:
    left_early("break", after, "PeerFailedError", NUMBER, "has left the loop that others are in", waits)


@pytest.mark.thorough
def test_a_metric_that_is_read_in_another_step_ends_with_the_name_of_who_left_the_loop() -> None:
    """Reading it is a collective, which met that of a step: what broke it is no error of XLA's for the user."""
    left_early("break", "result", "PeerFailedError", NUMBER, "has left the loop that others are in", "after 5 steps")


def test_who_has_ended_its_program_while_others_are_in_the_loop_is_named() -> None:
    with job("leaving.py", 2, "break", "end") as running:
        ended = running.ended()
    assert ended[RANK].code == 0
    check_error(
        ended[0], "PeerFailedError", NUMBER, "has ended, and others still need it in step 5, ", "waits for it in step 6"
    )
    assert "The program of worker:1 has ended without an error, and worker:0 calls `" in ended[0].output
    assert "(leaving.py, line " in ended[0].output
    assert "Start the job again" not in ended[0].output


@pytest.mark.parametrize(
    ("what", "error"),
    [
        pytest.param("model", "The workers' models differ: ", marks=pytest.mark.thorough),
        pytest.param("program", "variables. The first constant that differs is ", marks=pytest.mark.thorough),
        ("devices", "All workers need the same number and kind of devices"),
        ("restored", "variables differ in value before the first step: 1 of 1, the first is matrix with shape (3, 3)"),
    ],
)
def test_workers_that_differ_are_told_before_they_train(what: str, error: str, tmp_path: Path) -> None:
    variables = [{}, {"JAX_NUM_CPU_DEVICES": "2"}] if what == "devices" else None
    with job("unequal.py", 2, what, str(tmp_path / "ckpt"), environments=variables) as running:
        ended = running.ended()
    assert [task.code for task in ended] == [1, 1], ended
    assert any(error in task.output for task in ended), ended


def test_a_check_that_fails_on_one_worker_fails_on_all_in_the_same_step() -> None:
    with job("checking.py", 2) as running:
        ended = running.ended()
    text = "wrong Condition x > 0 did not hold. (replica 1)"
    assert [task.code for task in ended] == [0, 0], ended
    assert f"caught ['{text}', 'It is a replica of another worker, whose error has the values.']" in ended[0].output
    assert f"caught ['{text}', 'x = -2']" in ended[1].output
    assert all("v is 5.0" in task.output for task in ended)
