"""`stratagem launch`: starts the tasks of a job on this machine, shows their state, and ends them together."""

import functools
import os
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import click

from stratagem._base.errors import ClusterError, ResourceExhaustedError
from stratagem._cluster import Address, visible_gpus
from stratagem._cluster.control import INSECURE, TOKEN_FILE, read_token
from stratagem._launch import (
    LaunchSpec,
    TaskCounts,
    TaskStart,
    assign_addresses,
    device_variables,
    on_this_machine,
    refuse_used,
    run,
    wants_cpu,
    with_chief_address,
    with_tf_config,
)
from stratagem.cli._launch_show import show
from stratagem.cli._path_types import LocalPath

_MOST = 65_535  # tasks of a machine, and machines: each has a port
_COUNT = click.IntRange(0, _MOST)
_AT_LEAST_ONE = click.IntRange(1, _MOST)
_WORKER_RESTARTS = 10  # of each worker
_REFUSED = 2  # the exit status of programs that do not understand their arguments
_SECONDS = click.FloatRange(min=0)


@click.command(context_settings={"allow_interspersed_args": False, "max_content_width": 100})
@click.option("--workers", type=_AT_LEAST_ONE, default=1, show_default=True, help="Workers on this machine.")
@click.option("--ps", type=_COUNT, default=0, show_default=True, help="Parameter servers on this machine.")
@click.option("--chief", is_flag=True, help="A task chief:0 beside the workers, on node 0.")
@click.option("--evaluator", is_flag=True, help="A task evaluator:0, on node 0.")
@click.option("--nnodes", type=_AT_LEAST_ONE, default=1, show_default=True, help="Machines, each with its launcher.")
@click.option("--node-rank", type=_COUNT, default=0, show_default=True, help="The index of this machine among them.")
@click.option("--addresses", metavar="HOST:PORT,...", help="One per machine (ports count up) or one per task.")
@click.option("--chief-address", metavar="HOST:PORT", help="Where rank 0 listens, if no other address is known.")
@click.option("--devices-per-worker", type=_AT_LEAST_ONE, help="GPUs of each worker, or virtual CPU devices.")
@click.option(
    "--max-restarts", type=_COUNT, default=0, show_default=True, help="Restarts of the whole job after failures."
)
@click.option(
    "--worker-restarts",
    type=_COUNT,
    help=f"Restarts of each lost worker alone, with --ps.  [default: {_WORKER_RESTARTS}]",
)
@click.option(
    "--backoff", type=_SECONDS, default=1.0, show_default=True, help="Seconds before the first restart; doubles."
)
@click.option("--grace", type=_SECONDS, default=30.0, show_default=True, help="Seconds from SIGTERM to SIGKILL.")
@click.option("--log-dir", type=LocalPath(file_okay=False, path_type=Path), help="Where to keep the tasks' output.")
@click.option("--tee", metavar="all|none|TASK,...", help="Whose output to print; by default the first task's.")
@click.option("--token-file", type=LocalPath(exists=True, dir_okay=False), help="The secret of the job.")
@click.option("--insecure", is_flag=True, help="Let several machines work together without a secret.")
@click.option("-m", "--module", is_flag=True, help="Run a module, as `python -m` does.")
@click.argument("program", nargs=-1, type=click.UNPROCESSED, required=True, metavar="SCRIPT [ARGUMENTS]...")
def command(
    workers: int,
    ps: int,
    chief: bool,
    evaluator: bool,
    nnodes: int,
    node_rank: int,
    addresses: str | None,
    chief_address: str | None,
    devices_per_worker: int | None,
    max_restarts: int,
    worker_restarts: int | None,
    backoff: float,
    grace: float,
    log_dir: Path | None,
    tee: str | None,
    token_file: str | None,
    insecure: bool,
    module: bool,
    program: Sequence[str],
) -> None:
    """Run SCRIPT as the tasks of a job: each process finds in TF_CONFIG who it is.

    With several machines, start it on each with the same options and its own --node-rank. The exit status is 0 if all tasks
    of this machine ended well, else that of the one that failed first.
    """
    screen = show()
    try:
        if worker_restarts is not None and not ps:
            raise click.UsageError(
                "--worker-restarts is for jobs with --ps, which go on without a worker for a while. Others start again as a "
                "whole: --max-restarts."
            )
        layout = TaskCounts(workers, ps, chief, evaluator, nnodes, node_rank)
        if ps and not chief:
            screen.say(
                "WARNING: --ps without --chief: no task runs the coordinator, which workers and servers wait for."
            )
        tasks, local = _tasks(layout, addresses, chief_address)
        variables = _variables(token_file, insecure)
        if len(layout.all) > 1:
            read_token({**os.environ, **variables}, loopback=local)  # one error here instead of one from every task
            if not local and variables.get(INSECURE, os.environ.get(INSECURE)) == "1":
                screen.say("WARNING: without a secret, whoever reaches the ports of this job can take part in it.")
        visible = () if wants_cpu() else visible_gpus(os.environ)
        device_settings = dict(device_variables(layout, devices_per_worker, visible))
        job = LaunchSpec(
            program=_command_line(program, module),
            tasks=lambda: [_with(task, {**variables, **device_settings.get(task.name, {})}) for task in tasks()],
            teed=_teed(tee, layout),
            restarts=max_restarts,
            wait=backoff,
            grace=grace,
            logs=log_dir,
            alone=nnodes == 1,
            worker_restarts=(_WORKER_RESTARTS if worker_restarts is None else worker_restarts) if ps else 0,
        )
        end = run(job, screen, _end_signals())
    except (ClusterError, ResourceExhaustedError) as error:
        raise click.ClickException(str(error)) from None
    if end.code == _REFUSED and end.signal is None and (misplaced := _options_in(program[1:])):
        screen.say(
            f"{program[0]} was given {', '.join(misplaced)}, which launch has, too. Options of launch go before the script: "
            f"stratagem launch {' '.join(misplaced)} ... {program[0]} ..."
        )
    sys.exit(end.code)


def _options_in(arguments: Sequence[str]) -> list[str]:
    """The long options of this command among the arguments of a script."""
    own = {name for parameter in command.params for name in parameter.opts if name.startswith("--")}
    return list(dict.fromkeys(name for argument in arguments if (name := argument.partition("=")[0]) in own))


def _end_signals() -> list[int]:
    ignored = signal.getsignal(signal.SIGHUP) is signal.SIG_IGN  # as under nohup
    return [signal.SIGINT, signal.SIGTERM, *([] if ignored else [signal.SIGHUP])]


def _tasks(layout: TaskCounts, addresses: str | None, chief: str | None) -> tuple[Callable[[], list[TaskStart]], bool]:
    """Returns a function that makes this machine's tasks for an attempt, and whether no other machine can reach them."""
    if addresses is not None and chief is not None:
        raise click.UsageError("--addresses says where the chief listens: leave --chief-address out.")
    if chief is not None and layout.nodes > 1:
        if layout.ps or layout.chief or layout.evaluator:
            raise click.UsageError("--chief-address is for workers only. With other tasks, give --addresses.")
        address = Address.parse(chief)
        return functools.partial(
            _known, layout, {"worker:0": chief}, with_chief_address(layout, address)
        ), address.loopback
    if addresses is None and chief is None:
        if layout.nodes > 1:
            raise click.UsageError(
                f"--nnodes {layout.nodes} needs --addresses, one of every machine, or --chief-address."
            )
        return lambda: with_tf_config(layout, on_this_machine(layout)), True
    given = assign_addresses(layout, (addresses or chief or "").split(","))
    loopback = all(Address.parse(text).loopback for text in given.values())
    return functools.partial(_known, layout, given, with_tf_config(layout, given)), loopback


def _known(layout: TaskCounts, addresses: Mapping[str, str], tasks: list[TaskStart]) -> list[TaskStart]:
    """Returns tasks whose addresses were given, after checking that those are free."""
    refuse_used(addresses, layout.own)
    return tasks


def _with(task: TaskStart, variables: Mapping[str, str]) -> TaskStart:
    # Unbuffered: a task's output has to be seen when it is printed, not in blocks of 8 kB.
    return replace(task, environment={"PYTHONUNBUFFERED": "1", **task.environment, **variables})


def _variables(token_file: str | None, insecure: bool) -> dict[str, str]:
    found = {TOKEN_FILE: os.path.abspath(token_file)} if token_file else {}  # tasks may change their directory
    return found | {INSECURE: "1"} if insecure else found


def _command_line(program: Sequence[str], module: bool) -> list[str]:
    name, *arguments = program
    if module:
        return [sys.executable, "-m", name, *arguments]
    if os.path.isdir(name):
        raise click.UsageError(f"{name!r} is a directory. Name a script, or a module with -m.")
    if not os.path.isfile(name):
        raise click.UsageError(f"There is no script {name!r}.")
    if not os.access(name, os.R_OK):
        raise click.UsageError(f"The script {name!r} cannot be read by this user.")
    return [sys.executable, os.path.join(".", name) if name.startswith("-") else name, *arguments]


def _teed(text: str | None, layout: TaskCounts) -> list[str]:
    """The tasks whose output is printed. `--tee` may name them by their ranks."""
    if text is None:
        return layout.own[:1]
    if text in ("all", "none"):
        return layout.own if text == "all" else []
    known = {task: task for task in (*layout.all, *layout.own)}
    known |= {str(rank): task for task in layout.all if (rank := layout.rank(task)) is not None}
    unknown = [name for name in text.split(",") if name not in known]
    if unknown:
        raise click.UsageError(f"--tee: there is no task {unknown[0]!r}. Name some of {', '.join(known)}, all or none.")
    return [known[name] for name in text.split(",")]
