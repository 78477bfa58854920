"""`stratagem doctor`: says of each thing that a job needs whether it is good, doubtful or bad, and what to do about it."""

import contextlib
import importlib
import logging
import math
import os
import socket
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self, final

import click

from stratagem._base.errors import DeviceError, StratagemError
from stratagem._base.files import write_text
from stratagem._base.installation import install_command
from stratagem._base.job import Job, process_job
from stratagem._base.paths import is_remote
from stratagem._base.slow_blocks import while_slow
from stratagem._cluster import Address, ClusterResolver
from stratagem.cli import _doctor_machine as machine
from stratagem.cli import _doctor_network as network
from stratagem.cli import _launch
from stratagem.cli._doctor_finding import Finding, Judgement, bad, good, guarded, in_one_line
from stratagem.cli._path_types import AnyPath, LocalPath
from stratagem.cli._tables import as_json

_COLOURS = {Judgement.GOOD: "green", Judgement.DOUBTFUL: "yellow", Judgement.BAD: "red"}
# What one check may take before the doctor ends itself: so many times the longest wait for other tasks, and as long as a busy
# machine needs to import JAX and Keras.
_LATE, _IMPORT_SECONDS = 2.0, 60.0
_JOIN = "STRATAGEM_JOIN_SECONDS"
_SAY_SECONDS = 3.0  # of silence, before the doctor says whom it waits for
_LOOK_SECONDS = 2.0  # for rank 0 to answer, once joining has failed
_LEAST_WAIT = 0.001
_STOPPED = 3  # the exit status of a doctor that ended itself


@click.command()
@click.option("--folder", type=AnyPath(), default=".", help="Where checkpoints will be kept.  [default: this folder]")
@click.option("--workers", type=click.IntRange(min=2), help="Examine a job of so many workers on this machine.")
@click.option(
    "--seconds", type=click.FloatRange(min=5), default=60.0, show_default=True, help="Longest wait for other tasks."
)
@click.option("--json", "machine_readable", is_flag=True, help="Report as one JSON object.")
@click.option(
    "--output", type=LocalPath(dir_okay=False, path_type=Path), help="Write the report there, do not print it."
)
def command(folder: str, workers: int | None, seconds: float, machine_readable: bool, output: Path | None) -> None:
    """Examine this machine, and the job that TF_CONFIG, torchrun, Open MPI or Slurm describe.

    Start it in place of the training script, on every host of the job: the tasks join each other, and rank 0 prints the
    findings of all. The exit status is 1 if anything is bad. Without a job, nothing but this machine is contacted.
    """
    if workers is not None:
        options = ["--folder", folder, "--seconds", f"{seconds:g}", *(["--json"] if machine_readable else [])]
        sys.exit(_on_workers(workers, options, output))
    report = _Report("this process", socket.gethostname())

    def show(reports: Sequence[_Report]) -> None:
        text = _as_json(reports) if machine_readable else "\n".join(_lines(reports))
        if output is None:
            click.echo(text)
        else:
            try:
                write_text(output, f"{click.unstyle(text)}\n")
            except OSError as error:
                raise click.ClickException(f"The report cannot be written to {output}: {error.strerror}.") from None

    with _quiet(), _Deadline(_LATE * seconds + _IMPORT_SECONDS, lambda: show([report])) as deadline:
        reports = _Examination(report, folder, seconds, deadline.restart).run()
    if len(reports) == 1 or process_job().worker == 0:
        show(reports)
    everything = [finding for each in reports for finding in each.findings]
    sys.exit(any(finding.verdict is Judgement.BAD for finding in everything))


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Keeps warnings out of the log: what they would say is among the findings."""
    log = logging.getLogger("stratagem")
    level = log.level
    log.setLevel(logging.ERROR)
    try:
        yield
    finally:
        log.setLevel(level)


def _on_workers(workers: int, options: Sequence[str], output: Path | None) -> int:
    """Runs the doctor as the tasks of a job on this machine; returns its exit status. The launcher talks on stderr."""
    with tempfile.TemporaryDirectory(prefix="stratagem-doctor-") as folder:
        report = output or Path(folder, "report")
        doctor = ["-m", "stratagem.cli", "doctor", *options, "--output", str(report.absolute())]
        try:
            _launch.command.main(["--workers", str(workers), "--tee", "none", *doctor], "stratagem launch")
        except SystemExit as ended:
            if output is None and report.exists():
                click.echo(report.read_text(encoding="utf-8"), nl=False)
            return ended.code if isinstance(ended.code, int) else 1
    raise AssertionError("A command of click ends by SystemExit.")


@final
class _Report:
    """The findings about one task of the job."""

    def __init__(self, task: str, host: str, findings: Sequence[Finding] = ()) -> None:
        self.task, self.host, self.findings = task, host, list(findings)


@final
class _Examination:
    """The checks in their order: what needs no other task first, since a wrong version explains what fails later."""

    def __init__(self, report: _Report, folder: str, seconds: float, checked: Callable[[], None]) -> None:
        """report: takes the findings of this task. checked: is called after each check."""
        self.report = report
        self._folder = folder if is_remote(folder) else os.path.abspath(folder)
        self._seconds, self._checked = seconds, checked
        self._cores = machine.allowed_cores()  # a task of several on a machine has a share of them once it has joined

    def run(self) -> list[_Report]:
        """Returns the reports of all tasks that were reached: rank 0's first, or this one's alone."""
        found = self._note
        found(guarded("packages", machine.versions, install_command(again=True)))
        found(guarded("cores", machine.cores, "Is this Linux?"))
        found(guarded("threads", machine.threads, "Unset PJRT_NPROC and OMP_NUM_THREADS."))
        found(guarded("kernels", machine.kernels, "STRATAGEM_KERNELS=off does without."))
        found(guarded("limits", machine.limits, "Is this Linux?"))
        found(guarded("memory", machine.memory, "Is this Linux?"))
        if not is_remote(self._folder):
            found(guarded("folder", lambda: machine.folder(Path(self._folder)), machine.storage_cure))
        resolver, findings = network.described()
        found(iter(findings))
        if resolver is not None:
            self.report.task = f"{resolver.task_type}:{resolver.task_id}"
        spec = None if resolver is None else resolver.cluster_spec()
        if spec is not None:
            found(guarded("names", lambda: network.names(spec), "Correct the addresses of the job."))
            if sum(spec.num_tasks(job) for job in spec.jobs) > 1:
                addresses = [Address.parse(text) for job in spec.jobs for text in spec.job_tasks(job) if text]
                found(network.token(all(address.loopback for address in addresses)))
        found(guarded("ports", lambda: network.ports(spec, self.report.task), "Name another address."))
        described_badly = resolver is None and any(f.verdict is Judgement.BAD for f in findings)
        if described_badly or (resolver is not None and resolver.task_type == "ps"):
            return [self.report]  # it is known why no job would begin; a parameter server takes part in no all-reduce
        found(guarded("XLA_FLAGS", machine.xla_flags, "`python -c 'import jax; jax.devices()'` shows whether it ends."))
        if any(f.subject == "XLA_FLAGS" and f.verdict is Judgement.BAD for f in self.report.findings):
            return [self.report]  # JAX would end this process
        return self._together(resolver)

    def _together(self, resolver: ClusterResolver | None) -> list[_Report]:
        """The checks that need JAX and, in a job, the other tasks."""
        if resolver is not None:
            os.environ.setdefault(_JOIN, f"{self._seconds:g}")
        try:
            with_jax = importlib.import_module("stratagem.cli._doctor_job")  # not earlier: a damaged JAX is a finding
            self._checked()
            with self._joining(resolver):
                strategy = with_jax.strategy_of(resolver, self._seconds)
        except Exception as error:
            self._note(self._unjoined(resolver, error))
            return [self.report]
        job = process_job()
        tasks = _members(resolver, job)
        if job.workers > 1:
            self._note(iter([good("job", f"all {job.workers} tasks have joined, and each has reached each")]))
        checks: list[tuple[str, Callable[[], Iterator[Finding]], str | Callable[[Exception], str]]] = [
            ("devices", with_jax.devices, _device_cure()),
            (
                "cores",
                lambda: with_jax.shared_cores(job, self._cores, tasks),
                "Is the network between the hosts sound?",
            ),
            ("all-reduce", lambda: with_jax.all_reduce(strategy), "Is the network between the hosts sound?"),
            ("clocks", lambda: with_jax.clocks(job, tasks), "Is the network between the hosts sound?"),
            ("checkpoint", lambda: with_jax.checkpoint(job, self._folder, tasks), machine.storage_cure),
        ]
        for subject, check, cure in checks:
            self._note(guarded(subject, check, cure))
        try:
            reports = with_jax.exchanged(job, self.report.findings)
        except Exception as error:
            self._note(iter([bad("job", in_one_line(error), "See what the task that it names prints.")]))
            return [self.report]
        if job.workers == 1:
            return [self.report]
        return [_Report(task, host, findings) for task, (host, findings) in zip(tasks, reports, strict=True)]

    @contextlib.contextmanager
    def _joining(self, resolver: ClusterResolver | None) -> Iterator[None]:
        """Says on stderr, after a few seconds, whom the doctor waits for and how long; the library logs who is missing."""
        jobs = ("chief", "worker")
        tasks = (
            [] if resolver is None else [(f"{j}:{i}", at) for j in jobs for i, at in enumerate(_tasks_of(resolver, j))]
        )
        others = ", ".join(f"{task} at {at}" if at else task for task, at in tasks if task != self.report.task)
        log = logging.getLogger("stratagem.cluster")
        level = log.level
        most = f"at most {self._seconds:g} s (--seconds)"

        def say(seconds: float) -> None:
            text = f"waiting {most} for the doctors of the other tasks, {seconds:.0f} s so far: {others}"
            click.echo(f"stratagem doctor: {text}", err=True)

        if others:
            log.setLevel(logging.WARNING)
        try:
            with while_slow(say, after=_SAY_SECONDS, every=math.inf) if others else contextlib.nullcontext():
                yield
        finally:
            log.setLevel(level)

    def _unjoined(self, resolver: ClusterResolver | None, error: Exception) -> Iterator[Finding]:
        if isinstance(error, ImportError):
            name = (error.name or "stratagem").partition(".")[0]
            command = install_command(again=True) if name == "stratagem" else f"pip install --force-reinstall {name}"
            yield bad("packages", in_one_line(error), f"It is damaged: {command}")
            return
        if resolver is None or not isinstance(error, StratagemError) or isinstance(error, DeviceError):
            yield bad("devices", in_one_line(error), _device_cure())
            return
        cure = (
            "If tasks are missing: start the doctor on every host of the job at the same time, each with its own task."
        )
        yield bad("job", in_one_line(error), cure)
        members = [text for job in ("chief", "worker") for text in _tasks_of(resolver, job)]
        own = resolver.task_type == "chief" or (resolver.task_id == 0 and "chief" not in resolver.cluster_spec().jobs)
        if members and members[0] and not own:
            yield network.route(Address.parse(members[0]), _LOOK_SECONDS)

    def _note(self, findings: Iterator[Finding]) -> None:
        self.report.findings.extend(findings)
        self._checked()


def _members(resolver: ClusterResolver | None, job: Job) -> list[str]:
    """The names of the tasks that train together, by rank."""
    if resolver is None or job.workers == 1:
        return ["this process"]
    return [f"{kind}:{i}" for kind in ("chief", "worker") for i in range(len(_tasks_of(resolver, kind)))]


def _tasks_of(resolver: ClusterResolver, kind: str) -> list[str | None]:
    spec = resolver.cluster_spec()
    return spec.job_tasks(kind) if kind in spec.jobs else []


def _device_cure() -> str:
    shown = "`python -c 'import jax; jax.devices()'` shows JAX's own error."
    asked = os.environ.get("JAX_PLATFORMS")
    if asked is None:
        return shown
    return (
        f"JAX_PLATFORMS={asked} asks for these: unset it, or install what has them ({install_command('cuda')}). {shown}"
    )


def _as_json(reports: Sequence[_Report]) -> str:
    tasks: list[Any] = [
        {"task": r.task, "host": r.host, "findings": [finding.as_json() for finding in r.findings]} for r in reports
    ]
    counts = {str(verdict): sum(f.verdict is verdict for r in reports for f in r.findings) for verdict in Judgement}
    return as_json({"tasks": tasks, **counts})


def _lines(reports: Sequence[_Report]) -> Iterator[str]:
    for report in reports:
        yield f"{report.task} on {report.host}"
        for finding in report.findings:
            verdict = click.style(f"{finding.verdict:8}", fg=_COLOURS[finding.verdict])
            yield f"  {verdict}  {finding.subject:10}  {finding.found}"
            if finding.cure:
                yield f"  {'':8}  {'':10}  > {finding.cure}"


@final
class _Deadline:
    """Ends this process with what it knows when one check takes too long: a driver or a file system may never answer."""

    def __init__(self, seconds: float, show: Callable[[], None]) -> None:
        self._show, self._seconds = show, seconds
        self._ended, self._since = threading.Event(), time.monotonic()
        # One thread for all checks: where threads are limited, there may be no other.
        threading.Thread(target=self._watch, name="stratagem deadline", daemon=True).start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ended.set()

    def restart(self) -> None:
        """Gives the next check the whole time again."""
        self._since = time.monotonic()

    def _watch(self) -> None:
        while not self._ended.wait(max(self._since + self._seconds - time.monotonic(), _LEAST_WAIT)):
            if time.monotonic() >= self._since + self._seconds:
                self._end()

    def _end(self) -> None:
        try:
            self._show()
            click.echo(f"stratagem doctor: the check after these did not end within {self._seconds:g} s.", err=True)
            sys.stdout.flush()
        finally:
            os._exit(_STOPPED)
