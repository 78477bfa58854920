"""The control channel under JAX: what listens while a job trains, and that its client does not abort when all of it is lost."""

import psutil

from tests.multi_worker.jobs import Running, job


def listening(running: Running) -> list[str]:
    """The addresses at which something of the job listens."""
    return [
        connection.laddr.ip
        for process in running.everything()
        for connection in process.net_connections(kind="inet")
        if connection.status == psutil.CONN_LISTEN
    ]


def test_a_job_listens_on_this_machine_only_and_survives_the_end_of_its_control_channel() -> None:
    with job("training.py", 2, 96, 100_000) as running:
        for rank in range(2):
            running.wait_for(rank, "input: sharded")
        found = listening(running)
        assert len(found) >= 3  # the hub's, and gloo's of two tasks
        assert set(found) == {"127.0.0.1"}
        (supervisor,) = psutil.Process(running.processes[0].pid).children()
        supervisor.kill()  # with it the hub ends, the coordination service, and everybody's way to it
        ended = running.ended()
    for task, why in zip(ended, ("lost a process that runs beside it", "was lost"), strict=True):
        assert task.code == 1, task.output  # not an abort
        assert task.output.count("stratagem._errors.PeerFailedError: worker:0 (rank 0,") == 1, task.output
        assert why in task.output
