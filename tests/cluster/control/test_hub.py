"""What the hub of a job says when tasks agree, give up, differ, end, are lost, are silent, or do not go on."""

import asyncio
import random
import socket
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import pytest

from stratagem._base.errors import PeerFailedError, PeerStuckError
from stratagem._base.job import Phase
from stratagem._cluster.control import FailureKind, JobFailure, TimeLimits

# Private: who is stuck, or apart from the others, in situations that no job gets into at will.
from stratagem._cluster.control._progress_checks import Member, PendingAgreement, find_diverged, find_stuck
from tests.cluster.control.hubs import PATIENCE, Hall, Task, a_hub


def with_hub(body: Callable[[Hall], Awaitable[None]], tasks: int = 2, **limits: float) -> Hall:
    """Run a test in front of a hub."""

    async def run() -> Hall:
        async with a_hub(tasks, **limits) as hall:
            await body(hall)
        return hall

    return asyncio.run(run())


def with_job(body: Callable[[Hall, list[Task]], Awaitable[None]], tasks: int = 2, **limits: float) -> Hall:
    """Run a test in a job whose tasks are all there."""

    async def joined(hall: Hall) -> None:
        await body(hall, await hall.job())

    return with_hub(joined, tasks, **limits)


async def failure(task: Task) -> JobFailure:
    return JobFailure.from_json((await task.next("failure"))["failure"])


# Joining.


def test_who_is_missing_is_told_until_all_are_there() -> None:
    async def body(hall: Hall) -> None:
        first = await hall.task(2)
        assert (await first.next("waiting"))["missing"] == ["worker:0", "worker:1"]
        other = await hall.task(0, host="elsewhere")
        assert (await first.next("waiting"))["missing"] == ["worker:1"]
        other.channel.close()
        assert (await first.next("waiting"))["missing"] == ["worker:0", "worker:1"]  # it went again
        again = await hall.task(0, host="elsewhere")
        last = await hall.task(1)
        for task in (first, again, last):
            assert (await task.next("welcome"))["hosts"] == ["elsewhere", "here", "here"]

    with_hub(body, 3)


def test_a_task_that_connects_twice_is_refused_and_the_first_stays() -> None:
    async def body(hall: Hall, tasks: list[Task]) -> None:
        twice = await hall.task(1, host="other", pid=9)
        assert (await twice.next("refused"))["text"] == "worker:1 is already there, on here (pid 101)."
        assert await asyncio.gather(*(task.agree("a", 1) for task in tasks)) == [[1, 1]] * 2

    assert "refused worker:1 of other (pid 9)" in with_job(body).log[0]


def test_a_task_of_a_job_that_has_failed_is_told_to_ask_again() -> None:
    """It may belong to the next job, which is started while this one ends."""

    async def body(hall: Hall, tasks: list[Task]) -> None:
        tasks[1].channel.abort()
        assert (await failure(tasks[0])).kind == FailureKind.LOST
        late = await hall.task(1)
        assert (await late.next("refused"))["again"] is True

    with_job(body)


def test_a_job_that_has_begun_takes_nobody_in() -> None:
    async def body(hall: Hall, tasks: list[Task]) -> None:
        tasks[1].channel.send({"op": "left"})
        tasks[1].channel.close()
        await asyncio.sleep(0.1)
        late = await hall.task(1)
        refused = await late.next("refused")
        assert "the job has begun without it" in refused["text"]
        assert "again" not in refused

    with_job(body)


def test_a_machine_that_is_gone_before_the_job_begins_makes_room() -> None:
    """Without a word: no packet says that its connection has ended."""

    async def body(hall: Hall) -> None:
        await hall.task(1)
        first = await hall.task(0)
        beating = asyncio.create_task(_beat([first]))
        while (await first.next("waiting"))["missing"] != ["worker:1", "worker:2"]:
            pass
        beating.cancel()
        for rank in (1, 2):
            await hall.task(rank)
        await first.next("welcome")

    with_hub(body, 3, heartbeat=3.0)


async def _beat(tasks: Sequence[Task]) -> None:
    while True:
        for task in tasks:
            task.beat()
        await asyncio.sleep(0.1)


@pytest.mark.parametrize("different", [{"cluster": {}}, {"versions": {"stratagem": "2"}}, {"task": "worker:7"}])
def test_all_are_told_that_a_task_is_refused_who_wait_and_who_come_later(different: dict[str, Any]) -> None:
    async def body(hall: Hall) -> None:
        waiting = [await hall.task(0), await hall.task(2)]
        for task in waiting:
            await task.next("waiting")
        other = await hall.task(1, host="elsewhere", pid=9, **different)
        why = (await other.next("refused"))["text"]
        for task in [*waiting, await hall.task(3)]:
            refused = await task.next("refused")
            assert f" of elsewhere (pid 9): {why}" in refused["text"]
            assert "again" not in refused
        await hall.hub.aborted_start.wait_until_informed(PATIENCE)

    with_hub(body, 4)


def test_who_has_another_token_ends_no_job_that_has_not_begun() -> None:
    async def body(hall: Hall) -> None:
        first = await hall.task(0)
        await first.next("waiting")
        with pytest.raises(Exception, match="another token"):
            await Task.connect(hall.facts, b"another secret, which is long enough, too")
        second = await hall.task(1)
        for task in (first, second):
            await task.next("welcome")
        assert not any(message["op"] in ("refused", "failure") for task in (first, second) for message in task.seen)

    with_hub(body, 2)


def test_all_are_told_that_a_task_has_ended_before_the_job_begins() -> None:
    async def body(hall: Hall) -> None:
        waiting, other = await hall.task(0), await hall.task(2)
        await other.next("waiting")
        lost = JobFailure("worker:2", 2, FailureKind.LOST, 0, Phase.STARTING, "Its process ended.", "here", 102, 0.0)
        other.channel.send({"op": "failed", "failure": lost.to_json()})
        refused = await waiting.next("refused")
        assert JobFailure.from_json(refused["failure"]) == lost
        again = await hall.task(2)  # it was started again, for the next job perhaps
        assert (await again.next("refused"))["again"] is True

    with_hub(body, 3)


def test_those_who_wait_are_told_when_the_chief_gives_up() -> None:
    async def body(hall: Hall) -> None:
        task = await hall.task(1)
        await task.next("waiting")
        hall.hub.give_up("it waited 20 s for worker:2.")
        assert (await task.next("refused"))["text"] == "worker:0 has given up: it waited 20 s for worker:2."

    with_hub(body, 3)


# Agreeing.


def test_all_tasks_get_equal_answers_in_any_order_of_asking() -> None:
    random_ = random.Random(3)

    async def body(hall: Hall, tasks: list[Task]) -> None:
        names = [f"{order} {number}" for order in "abc" for number in range(30)]
        given = {
            (name, rank): random_.choice([None, 1, [rank], {"é": "x" * rank}]) for name in names for rank in range(4)
        }
        found: dict[int, dict[str, Any]] = {rank: {} for rank in range(4)}

        async def listen(task: Task) -> None:
            for _ in names:
                answer = await task.next("agreed")
                found[task.facts.rank][answer["name"]] = [answer["values"][i] for i in answer["indices"]]

        listening = asyncio.gather(*(listen(task) for task in tasks))
        queues = {task.facts.rank: random_.sample(names, len(names)) for task in tasks}
        while any(queues.values()):
            task = random_.choice([t for t in tasks if queues[t.facts.rank]])
            name = queues[task.facts.rank].pop()
            task.channel.send({"op": "agree", "name": name, "value": given[name, task.facts.rank]})
            if random_.random() < 0.2:
                await asyncio.sleep(0)
        await listening
        for rank in range(4):
            assert found[rank] == {name: [given[name, other] for other in range(4)] for name in names}
        assert hall.hub._agreements == {}

    with_job(body, 4)


def test_a_value_that_was_withdrawn_counts_no_more() -> None:
    async def body(hall: Hall, tasks: list[Task]) -> None:
        one, other = tasks
        one.channel.send({"op": "agree", "name": "a", "value": 1})
        one.channel.send({"op": "withdraw", "name": "a"})
        one.channel.send({"op": "withdraw", "name": "never asked"})
        assert await asyncio.gather(one.agree("b", 1), other.agree("b", 2)) == [[1, 2]] * 2
        assert hall.hub._agreements == {}
        other.channel.send({"op": "agree", "name": "a", "value": 2})
        other.channel.send({"op": "left"})
        one.channel.send({"op": "left"})  # nobody may be blamed for an agreement that was given up
        one.channel.close()
        other.channel.send({"op": "withdraw", "name": "a"})
        other.channel.close()

    hall = with_job(body)
    assert not any("failure" in message for task in hall.tasks for message in task.seen)


def test_equal_values_are_sent_once_so_large_ones_fit() -> None:
    agreement = PendingAgreement("a", 0.0, {rank: ["x" * 1000, rank // 4] for rank in range(8)})
    answer = agreement.answer()
    assert len(answer["values"]) == 2
    assert answer["indices"] == [0, 0, 0, 0, 1, 1, 1, 1]


def test_values_that_are_too_large_together_are_refused_by_name() -> None:
    values = {rank: str(rank) + "x" * (4 << 20) for rank in range(5)}
    assert "The tasks' values of a have" in PendingAgreement("a", 0.0, values).answer()["refused"]


# Failing.


@pytest.mark.parametrize("told", [True, False], ids=["left", "gone"])
def test_a_task_that_ends_is_named_to_those_who_wait_for_it(told: bool) -> None:
    async def body(hall: Hall, tasks: list[Task]) -> None:
        one, other = tasks
        other.beat(step=5, phase=Phase.INPUT)
        other.channel.send({"op": "left"} if told else {"op": "withdraw", "name": ""})
        other.channel.close()
        one.channel.send({"op": "agree", "name": "a", "value": 1})
        found = await failure(one)
        assert (found.task, found.step, found.phase) == ("worker:1", 5, Phase.INPUT)
        assert found.kind == (FailureKind.LEFT if told else FailureKind.LOST)

    with_job(body)


def test_who_ends_while_others_wait_is_named_at_once() -> None:
    async def body(hall: Hall, tasks: list[Task]) -> None:
        one, other = tasks
        one.channel.send({"op": "agree", "name": "the shapes", "value": 1})
        await asyncio.sleep(0.1)
        other.channel.send({"op": "left"})
        found = await failure(one)
        assert found.kind == FailureKind.LEFT
        assert found.text == "Others wait for it (the shapes)."

    with_job(body)


def test_of_two_failures_the_first_is_told_to_all_and_once() -> None:
    async def body(hall: Hall, tasks: list[Task]) -> None:
        cause = JobFailure("worker:2", 2, FailureKind.RAISED, 3, Phase.USER_CODE, "ValueError: x", "here", 1, 0.0)
        tasks[2].channel.send({"op": "failed", "failure": cause.to_json()})
        tasks[2].channel.close()
        await asyncio.sleep(0.05)
        tasks[1].channel.abort()
        assert await failure(tasks[0]) == cause
        tasks[0].channel.send({"op": "left"})
        tasks[0].channel.send({"op": "nonsense"})
        tasks[0].channel.close()
        await tasks[0].ended()
        assert sum(message["op"] == "failure" for message in tasks[0].seen) == 1
        async with asyncio.timeout(PATIENCE):
            await hall.hub.until_empty()

    with_job(body, 3)


def test_a_task_of_which_nothing_is_heard_is_lost_and_does_not_keep_the_hub() -> None:
    async def body(hall: Hall, tasks: list[Task]) -> None:
        beating = asyncio.create_task(_beat(tasks[:1]))
        found = await failure(tasks[0])
        assert (found.task, found.kind) == ("worker:1", FailureKind.LOST)
        assert found.waited > 1.0
        assert "Nothing was heard from its supervisor" in found.text
        beating.cancel()
        tasks[0].channel.close()
        async with asyncio.timeout(PATIENCE):
            await hall.hub.until_empty()  # the connection of the silent one has no end of its own

    with_job(body, heartbeat=3.0)


def test_a_hub_outlives_its_own_task_by_far() -> None:
    async def body(hall: Hall, tasks: list[Task]) -> None:
        tasks[0].channel.send({"op": "left"})
        tasks[0].channel.close()
        beating = asyncio.create_task(_beat(tasks[1:]))
        await asyncio.sleep(4.0)  # longer than the heartbeat
        assert not hall.hub._empty.is_set()
        assert await asyncio.gather(*(task.next("beat") for task in tasks[1:]))
        beating.cancel()
        for task in tasks[1:]:
            task.channel.send({"op": "left"})
            task.channel.close()
        async with asyncio.timeout(PATIENCE):
            await hall.hub.until_empty()

    hall = with_job(body, 3, heartbeat=3.0)
    assert not any(message["op"] == "failure" for task in hall.tasks for message in task.seen)


def test_the_end_of_the_coordination_service_fails_the_job() -> None:
    async def body(hall: Hall, tasks: list[Task]) -> None:
        hall.hub.service_ended()
        found = await failure(tasks[1])
        assert (found.task, found.kind) == ("worker:0", FailureKind.ORPHANED)
        assert "coordination service has ended" in found.description()

    with_job(body)


def test_a_network_that_breaks_between_tasks_is_told() -> None:
    async def body(hall: Hall, tasks: list[Task]) -> None:
        tasks[1].channel.send({"op": "broken"})
        found = await failure(tasks[0])
        assert (found.task, found.kind) == ("worker:1", FailureKind.DISCONNECTED)

    with_job(body)


def test_a_changed_frame_loses_the_task_that_sent_it() -> None:
    async def body(hall: Hall, tasks: list[Task]) -> None:
        tasks[1].channel.writer.write(b"\x00\x00\x00\x02" + bytes(32) + b"{}")
        assert (await failure(tasks[0])).task == "worker:1"
        await tasks[1].ended()

    with_job(body)


def test_a_port_in_use_is_an_error() -> None:
    async def run() -> None:
        async with a_hub(2) as hall:
            with pytest.raises(OSError, match="address already in use"):
                await hall.hub.start()

    asyncio.run(run())


# Who is to blame.


def member(rank: int, step: int, phase: Phase, seconds: float, *, left: bool = False) -> Member:
    """One that has been in its phase for so many seconds at the time 1000."""
    return Member(rank, f"worker:{rank}", "h", 1, None, 1000.0, 1000.0 - seconds, step, phase, left)  # type: ignore[arg-type]


COLLECTIVE, USER, COMPILING = Phase.COLLECTIVE, Phase.USER_CODE, Phase.COMPILING


@pytest.mark.parametrize(
    ("members", "blamed"),
    [
        ([(9, COLLECTIVE, 5), (8, USER, 5)], None),
        ([(9, COLLECTIVE, 11), (8, USER, 5)], 1),
        ([(9, COLLECTIVE, 11), (8, USER, 5), (8, USER, 7)], 2),
        ([(9, COLLECTIVE, 11), (9, COLLECTIVE, 3), (8, COLLECTIVE, 3)], 2),
        ([(9, COLLECTIVE, 11), (9, COLLECTIVE, 12)], 1),
        ([(9, USER, 1000), (9, USER, 2000)], None),
        ([(9, COLLECTIVE, 11), (8, COMPILING, 50)], None),
        ([(9, COLLECTIVE, 11), (8, COMPILING, 101)], 1),
    ],
    ids=["not yet", "other", "longest", "behind", "deadlock", "nobody waits", "compiles", "compiles too long"],
)
def test_who_does_not_do_its_part_is_blamed(members: list[tuple[int, Phase, float]], blamed: int | None) -> None:
    limits = TimeLimits(collective=10.0, compile=100.0)
    found = find_stuck([member(i, *each) for i, each in enumerate(members)], {}, limits, 1000.0)
    assert (found.rank if found else None) == blamed
    if found:
        assert found.kind == FailureKind.STUCK
        assert isinstance(found.error("worker:0", 9), PeerStuckError)


def test_who_gives_no_value_is_blamed() -> None:
    members = [member(0, 3, Phase.AGREEMENT, 11), member(1, 3, USER, 1), member(2, 3, USER, 2, left=True)]
    agreement = PendingAgreement("a", 989.0, {0: 1})
    found = find_stuck(members, {"a": agreement}, TimeLimits(collective=10.0), 1000.0)
    assert found is not None
    assert (found.rank, found.kind, found.waited) == (2, FailureKind.LEFT, 11.0)
    assert type(found.error("worker:0", 3)) is PeerFailedError


# Who leaves the loop.


def at(place: str, steps: dict[int, int]) -> PendingAgreement:
    """An agreement to which tasks have come after so many steps."""
    return PendingAgreement("program 3", 999.0, dict.fromkeys(steps), place, steps)


@pytest.mark.parametrize(
    ("steps", "reached", "blamed"),
    [
        ((5, 6), {0: 5}, 0),
        ((6, 5), {1: 5}, 1),
        ((5, 5), {0: 5}, None),
        ((7, 5), {0: 7}, None),
        ((6, 5), {0: 6, 1: 5}, 1),
        ((5, 5, 6), {0: 5, 1: 5}, 0),
        ((6, 5, 6), {1: 5}, 1),
    ],
    ids=["it waits", "the other", "equal", "the other is late", "both wait", "two", "one of three"],
)
def test_who_took_fewer_steps_is_blamed_at_once(
    steps: tuple[int, ...], reached: dict[int, int], blamed: int | None
) -> None:
    members = [member(i, step, Phase.COLLECTIVE, 0.1) for i, step in enumerate(steps)]
    found = find_diverged(members, [at("save a checkpoint", reached)])
    assert (found.rank if found else None) == blamed
    if found:
        assert found.kind == FailureKind.DIVERGED
        assert "It waits for the others (save a checkpoint) after 5 steps, and" in found.text
        assert type(found.error("worker:9", 6)) is PeerFailedError


def test_who_has_ended_after_more_steps_leaves_nobody_behind() -> None:
    members = [member(0, 5, Phase.AGREEMENT, 0.1), member(1, 9, USER, 0.1, left=True)]
    assert find_diverged(members, [at("save a checkpoint", {0: 5})]) is None
    assert find_diverged(members, [at("save a checkpoint", {0: 5, 1: 9})]) is not None  # it came here before it ended


def test_agreements_beside_the_program_may_be_anywhere() -> None:
    members = [member(0, 3, Phase.COLLECTIVE, 0.1), member(1, 9, Phase.COLLECTIVE, 0.1)]
    assert find_diverged(members, [PendingAgreement("input 3.0 7", 999.0, {0: 1})]) is None


@pytest.mark.parametrize("waits", [True, False])
def test_a_task_that_left_the_loop_is_named_to_all(waits: bool) -> None:
    async def body(hall: Hall, tasks: list[Task]) -> None:
        tasks[1].give("program 1", at="where an iterator begins", step=4)
        if waits:
            tasks[0].give("program 1", at="save a checkpoint", step=5)
        else:
            tasks[0].beat(step=5, phase=3)
        for task in tasks:
            found = await failure(task)
            assert (found.rank, found.kind, found.step, found.phase) == (1, FailureKind.DIVERGED, 4, Phase.AGREEMENT)
            assert "(where an iterator begins) after 4 steps" in found.text

    with_job(body)


def test_a_failure_survives_its_message() -> None:
    made = JobFailure("worker:1", 1, FailureKind.RAISED, 3, Phase.INPUT, "Traceback:\nValueError: x", "host", 7, 0.0)
    assert JobFailure.from_json(made.to_json()) == made
    assert made.description() == (
        "worker:1 (rank 1, host, pid 7) raised an exception in step 3, phase input.\nTraceback:\nValueError: x"
    )


def test_connections_of_the_hub_are_closed_at_its_end() -> None:
    async def body(hall: Hall, tasks: list[Task]) -> None:
        await hall.hub.stop()
        for task in tasks:
            await task.ended()
        with pytest.raises(ConnectionRefusedError), socket.socket() as stranger:
            stranger.connect(hall.facts.address)

    with_job(body)
