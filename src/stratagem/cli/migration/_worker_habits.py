"""Habits of programs for several workers: what one worker does alone, and what each does although it is for one."""

import ast
from collections.abc import Iterator

from stratagem.cli.migration._findings import Habit, Place
from stratagem.cli.migration._scopes import SourceScope, chain, leads, with_scopes
from stratagem.cli.migration._uses import Examined

_STRATEGIES = ("MultiWorkerMirroredStrategy", "CollectiveAllReduceStrategy")
_SERVERS = ("ParameterServerStrategy",)
# Names that tell workers apart, where a condition tests them.
_OWN = {"task_index", "task_id", "task_type", "worker_id", "worker_index", "rank", "is_chief", "chief"}
_TOGETHER = {"fit", "evaluate", "predict", "train_on_batch", "test_on_batch", "predict_on_batch"}
# Of models, checkpoints and managers, which all workers save together; other objects have such methods, too.
_SAVES = {"save", "save_weights", "write"}
_SAVED = ("model", "checkpoint", "ckpt", "manager")
_WRITES = set("wax")
_ALONE = {"chief", "evaluator"}  # jobs of a cluster with one task that trains
_DOCUMENT = "docs/multi_worker.md"


def worker_habits_in(path: str, found: Examined) -> Iterator[Habit]:
    """The habits in a file that trains on several workers; none in one with parameter servers, whose coordinator is alone."""
    nodes = [(cell, node, scope) for cell, tree in found.trees for node, scope in with_scopes(tree, found.scope)]
    yield from _estimators_without_servers(path, nodes)
    named = [(node, scope) for _, node, scope in nodes if isinstance(node, ast.Attribute | ast.Name)]
    if not any(leads(node, scope, *_STRATEGIES) for node, scope in named):
        return
    if any(leads(node, scope, *_SERVERS) for node, scope in named):
        return
    alone = {
        id(below)
        for _, node, _ in nodes
        if isinstance(node, ast.If) and _tells_apart(node.test)
        for part in (*node.body, *node.orelse)
        for below in ast.walk(part)
    }
    for cell, node, scope in nodes:
        if isinstance(node, ast.Call):
            found_here = _alone(node) if id(node) in alone else _everywhere(node, scope)
            for kind, text in found_here:
                yield Habit(Place(path, cell, node.lineno), kind, text, _DOCUMENT)


def _estimators_without_servers(path: str, nodes: list[tuple[int, ast.AST, SourceScope]]) -> Iterator[Habit]:
    """Yields where an Estimator trains on a cluster of which no ps is seen, and whose tasks are not to train together."""
    clusters = [jobs for _, node, _ in nodes if isinstance(node, ast.Dict) for jobs in _clusters(node)]
    named = any(isinstance(node, ast.Constant) and node.value == "TF_CONFIG" for _, node, _ in nodes)
    together = any(isinstance(node, ast.keyword) and node.arg == "train_distribute" for _, node, _ in nodes)
    if together or not (named or clusters) or any("ps" in jobs or jobs <= _ALONE for jobs in clusters):
        return
    for cell, node, scope in nodes:
        if isinstance(node, ast.Call) and leads(node.func, scope, "train_and_evaluate"):
            text = (
                "a cluster of workers needs ps tasks, or RunConfig(train_distribute=tf.distribute."
                "MultiWorkerMirroredStrategy()): without either it is a ClusterError"
            )
            yield Habit(Place(path, cell, node.lineno), "estimator_cluster", text, "docs/estimators.md#on-a-cluster")


def _clusters(node: ast.Dict) -> Iterator[set[str]]:
    """Yields the jobs of the cluster that a dict is written with, as TF_CONFIG has it."""
    for key, value in zip(node.keys, node.values, strict=True):
        if isinstance(key, ast.Constant) and key.value == "cluster" and isinstance(value, ast.Dict):
            yield {str(job.value) for job in value.keys if isinstance(job, ast.Constant)}


def _tells_apart(test: ast.expr) -> bool:
    """Returns whether workers differ in what a condition gives."""
    names = {each.id for each in ast.walk(test) if isinstance(each, ast.Name)}
    names |= {each.attr for each in ast.walk(test) if isinstance(each, ast.Attribute)}
    return any(name.lower().strip("_") in _OWN for name in names)


def _alone(node: ast.Call) -> Iterator[tuple[str, str]]:
    """Yields the kind and the text of a call that one worker alone may not make."""
    method = chain(node.func)
    if method is None or not method[1]:
        return
    *receiver, last = [method[0], *method[1]]
    words = " ".join(receiver).lower()
    together = last in _TOGETHER or (last == "run" and "strategy" in words)
    if together or (last in _SAVES and any(word in words for word in _SAVED)):
        name = ".".join([*receiver, last])
        text = f"`{name}` is called under a test of the task: all workers have to call it, or the others wait"
        yield "one_worker", f"{text}; only one of them writes"


def _everywhere(node: ast.Call, scope: SourceScope) -> Iterator[tuple[str, str]]:
    """Yields the kinds and the texts of what each worker does although it is for one."""
    method = chain(node.func)
    name = ".".join([method[0], *method[1]]) if method is not None else ""
    if name.endswith(".save") and "model" in name.lower():
        text = f"`{name}` by all workers to one path: it is written once, so other workers need no paths of their own"
        yield "saved_once", f"{text} (TensorFlow: they do)"
    if leads(node.func, scope, "train.latest_checkpoint"):
        text = "only the chief writes checkpoints: name a folder that all hosts share, or the workers begin differently"
        yield "latest_checkpoint", text
    if isinstance(node.func, ast.Name) and node.func.id == "open" and _opens_to_write(node):
        written = ast.unparse(node.args[0])
        yield (
            "shared_file",
            f"every worker writes {written}: write it under a test of the task, or to a name with its index",
        )


def _opens_to_write(node: ast.Call) -> bool:
    """Returns whether a call of `open` writes a file whose name is the same on all workers."""
    named = {word.arg: word.value for word in node.keywords}
    mode = node.args[1] if len(node.args) > 1 else named.get("mode")
    constant = isinstance(mode, ast.Constant) and isinstance(mode.value, str) and bool(_WRITES & set(mode.value))
    return constant and bool(node.args) and isinstance(node.args[0], ast.Constant)
