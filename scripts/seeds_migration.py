#!/usr/bin/env python3
"""Run the two programs of document 003 whole, with only their import lines changed, and check what they show.

The Estimator: three steps, checkpoints at 0 and 3, one evaluation, the document's log lines in its order, and the value of
its last line. Parameter servers in one process: five epochs whose losses fall, and an evaluation.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

LONGEST = 600.0  # seconds that a program may take
NUMBER = r"([-+.\de]+)"
# The document's lines but those of TensorFlow's own deprecations, from its third line on; the last group is a directory.
LINES = (
    r"Using default config\.",
    r"Using temporary folder as model directory: (\S+)",
    r"Using config: \{'_model_dir': '(\S+)', '_tf_random_seed': None, .*'_num_worker_replicas': 1\}",
    r"Not using Distribute Coordinator\.",
    r"Running training and evaluation locally \(non-distributed\)\.",
    r"Start train and evaluate loop\. The evaluate will happen after every checkpoint\. Checkpoint frequency is determined "
    r"based on RunConfig arguments: save_checkpoints_steps None or save_checkpoints_secs 600\.",
    r"Calling model_fn\.",
    r"Done calling model_fn\.",
    r"Create CheckpointSaverHook\.",
    r"Graph was finalized\.",
    r"Running local_init_op\.",
    r"Done running local_init_op\.",
    r"Calling checkpoint listeners before saving checkpoint 0\.\.\.",
    r"Saving checkpoints for 0 into \S+/model\.ckpt\.",
    r"Calling checkpoint listeners after saving checkpoint 0\.\.\.",
    rf"loss = {NUMBER}, step = 0",
    r"Calling checkpoint listeners before saving checkpoint 3\.\.\.",
    r"Saving checkpoints for 3 into \S+/model\.ckpt\.",
    r"Calling checkpoint listeners after saving checkpoint 3\.\.\.",
    r"Calling model_fn\.",
    r"Done calling model_fn\.",
    r"Starting evaluation at \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d",
    r"Graph was finalized\.",
    r"Restoring parameters from \S+/model\.ckpt-3",
    r"Running local_init_op\.",
    r"Done running local_init_op\.",
    r"Inference Time : \d+\.\d{5}s",
    r"Finished evaluation at \d{4}-\d\d-\d\d-\d\d:\d\d:\d\d",
    rf"Saving dict for global step 3: global_step = 3, loss = {NUMBER}",
    r"Saving 'checkpoint_path' summary for global step 3: \S+/model\.ckpt-3",
    rf"Loss for final step: {NUMBER}\.",
)
# As a notebook does: the program, then the value of its last expression.
SHOWING = """
import ast, json, sys
tree = ast.parse(open(sys.argv[1]).read())
last = ast.Expression(tree.body.pop().value)
scope = {"__name__": "__main__"}
exec(compile(tree, sys.argv[1], "exec"), scope)
print("result", json.dumps(eval(compile(last, sys.argv[1], "eval"), scope), default=lambda number: number.item()))
"""


@dataclass(frozen=True)
class Shown:
    """What a program showed: the lines of its log, its other output, and the value of its last expression."""

    log: list[str]
    output: str
    result: Any


def run(program: Path, folder: Path) -> Shown:
    """Run it with `folder` for its temporary files.

    Raises:
        RuntimeError: it ended with another exit code than 0.
    """
    done = subprocess.run(
        [sys.executable, "-c", SHOWING, program],
        cwd=folder,
        env={**os.environ, "TMPDIR": str(folder)},
        capture_output=True,
        text=True,
        timeout=LONGEST,
    )
    print(f"{done.stderr}{done.stdout}", end="", flush=True)
    if done.returncode:
        raise RuntimeError(f"exit code {done.returncode}")
    result = next(line for line in done.stdout.splitlines() if line.startswith("result "))
    lines = re.findall(r"^(?:INFO|WARNING):stratagem[\w.]*: ?(.*)$", done.stderr, re.MULTILINE)
    return Shown(lines, done.stdout, json.loads(result.removeprefix("result ")))


def of_estimator(shown: Shown, folder: Path) -> list[str]:
    """Everything that is not as it has to be, in words."""
    lines, result = shown.log, shown.result
    wrong = [f"{len(lines)} lines, expected {len(LINES)}"] if len(lines) != len(LINES) else []
    wrong += [
        f"{line!r} in place of {form}" for line, form in zip(lines, LINES, strict=False) if not re.fullmatch(form, line)
    ]
    saved = sorted(path.name for path in folder.glob("*/model.ckpt-*"))
    if saved != ["model.ckpt-0", "model.ckpt-3"]:
        wrong.append(f"checkpoints {saved}")
    loss = next((m[1] for line in lines if (m := re.search(rf"global_step = 3, loss = {NUMBER}", line))), "nan")
    metrics, exported = result if isinstance(result, list) and len(result) == 2 else ({}, None)
    if exported != [] or metrics.keys() != {"loss", "global_step"} or metrics["global_step"] != 3:
        wrong.append(f"the result is {result}")
    elif abs(metrics["loss"] - float(loss)) > 1e-6 * abs(float(loss)):
        wrong.append(f"the loss is {metrics['loss']}, and {loss} was logged")
    return wrong


def of_parameter_server(shown: Shown, folder: Path) -> list[str]:
    """As for the Estimator."""
    losses = [
        float(loss) for loss in re.findall(rf"^Epoch \d/5 - 10/10 - .*loss: {NUMBER}", shown.output, re.MULTILINE)
    ]
    if len(losses) != 5:
        return [f"{len(losses)} epochs in place of 5"]
    wrong = [] if losses[-1] < 0.3 * losses[0] else [f"the losses are {losses}"]
    if list(shown.result) != ["loss"] or not 0 <= shown.result["loss"] < 10 or list(folder.iterdir()):
        wrong.append(f"the result is {shown.result}, and {list(folder.iterdir())} is left")
    return wrong


PROGRAMS = {"estimator": of_estimator, "parameter_server": of_parameter_server}


def main() -> int:
    """Run the programs; 0 when all is as documented."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=Path, default=os.environ.get("STRATAGEM_SEEDS", "../shared"))
    options = parser.parse_args()
    failed = False
    with tempfile.TemporaryDirectory() as programs:
        subprocess.run([sys.executable, options.documents / "seed_programs.py", programs], check=True, timeout=60)
        for name, complaints in PROGRAMS.items():
            print(f"seeds: {name}", flush=True)
            began = time.monotonic()
            with tempfile.TemporaryDirectory() as folder:
                try:
                    wrong = complaints(run(Path(programs) / f"{name}.py", Path(folder)), Path(folder))
                except RuntimeError as error:
                    wrong = [str(error)]
            print(
                f"seeds: {name}: {'; '.join(wrong) or 'as documented'} ({time.monotonic() - began:.0f} s)", flush=True
            )
            failed |= bool(wrong)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
