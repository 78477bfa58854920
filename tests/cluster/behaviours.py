"""What is asked of TensorFlow and of us: expressions over ClusterSpec, the resolvers and `place`, some under an environment."""

import inspect
import json
from collections.abc import Callable
from typing import Any

TWO_JOBS = "ClusterSpec({'worker': ['a:1', 'b:2'], 'ps': ['c:3']})"
SPARSE = "ClusterSpec({'worker': {'3': 'a:1', 1: 'b:2'}, 'ps': ['c:3']})"

SPECS = [
    *(
        f"{spec}.{what}"
        for spec in (TWO_JOBS, SPARSE)
        for what in (
            "as_dict()", "jobs", "num_tasks('worker')", "task_indices('worker')", "job_tasks('worker')",
            "job_tasks('ps')", "task_address('worker', 1)", "task_address('worker', 0)", "task_address('worker', 9)",
            "task_address('worker', '1')", "task_address('chief', 0)", "num_tasks('chief')", "task_indices('chief')",
            "job_tasks('chief')", "num_tasks(None)", "__repr__()", "__bool__()",
        )
    ),
    "ClusterSpec({}).as_dict()",
    "bool(ClusterSpec({}))",
    "repr(ClusterSpec({}))",
    "bool(ClusterSpec({'worker': []}))",
    "ClusterSpec({'worker': [], 'ps': {}}).as_dict()",
    "ClusterSpec({'worker': []}).num_tasks('worker')",
    "ClusterSpec({'worker': []}).task_indices('worker')",
    "ClusterSpec({'worker': []}).job_tasks('worker')",
    "ClusterSpec({'worker': ('a:1', 'b:2')}).as_dict()",
    "ClusterSpec({'worker': {1: 'b:2', 0: 'a:1'}}).as_dict()",
    "ClusterSpec({'worker': {0: 'a:1'}}).as_dict()",
    "ClusterSpec({'worker': {2: 'a:1'}}).as_dict()",
    "ClusterSpec({'worker': {True: 'a:1'}}).as_dict()",
    "ClusterSpec({'worker': {-1: 'a:1'}}).num_tasks('worker')",
    "ClusterSpec({'worker': {'x': 'a:1'}})",
    "ClusterSpec({'worker': {None: 'a:1'}})",
    "ClusterSpec({'worker': 'a:1'})",
    "ClusterSpec({'worker': None})",
    "ClusterSpec({'worker': [1]})",
    "ClusterSpec({'worker': [None]})",
    "ClusterSpec({1: ['a:1']})",
    "ClusterSpec(['a:1'])",
    "ClusterSpec('a:1')",
    "ClusterSpec(None)",
    "ClusterSpec({b'worker': [b'a:1']}).num_tasks('worker')",
    f"ClusterSpec({TWO_JOBS}).jobs",
    f"ClusterSpec({TWO_JOBS}).as_dict()",
    f"ClusterSpec({SPARSE}).as_dict()",
    f"{TWO_JOBS} == ClusterSpec({TWO_JOBS})",
    f"{TWO_JOBS} != ClusterSpec({TWO_JOBS})",
    f"{TWO_JOBS} == {SPARSE}",
    f"{TWO_JOBS} != {SPARSE}",
    f"{TWO_JOBS} == {TWO_JOBS}.as_dict()",
    "ClusterSpec({'ps': ['a:1']}) == {'ps': {0: 'a:1'}}",
    "ClusterSpec({'ps': ['a:1']}) != {'ps': {0: 'a:1'}}",
    "ClusterSpec({'ps': ['a:1'], 'worker': ['b:2']}) == ClusterSpec({'worker': ['b:2'], 'ps': ['a:1']})",
    "ClusterSpec({}) == {}",
    "ClusterSpec({}) == None",
    f"hash({TWO_JOBS})",
]  # fmt: skip

A = "ClusterSpec({'worker': ['a:1', 'b:2']})"
B = "ClusterSpec({'worker': ['c:3'], 'ps': ['d:4']})"
RESOLVERS = [
    f"Simple({A}).cluster_spec().as_dict()",
    f"state(Simple({A}))",
    f"state(Simple({A}, 'm:1', 'worker', 1, 'there', {{'GPU': 2}}, 'grpc'))",
    f"state(assigned(Simple({A}, task_type='worker', task_id=1, rpc_layer='grpc'), task_type='ps', task_id=0, rpc_layer='x'))",
    f"Simple({A}, master='m:1', rpc_layer='grpc').master(rpc_layer='http')",
    f"Simple({A}, master='m:1').master('worker')",
    f"Simple({A}, master='m:1', rpc_layer='grpc').master('worker', 1)",
    f"Simple({A}).master('worker', 2)",
    f"Simple({A}).master('ps', 0)",
    "Simple({'worker': ['a:1']})",
    "Simple(None)",
    f"Simple({A}, master=1)",
    f"Simple({A}, master=None)",
    "ClusterResolver()",
    "Union()",
    "Union(1)",
    f"Union(Simple({A}), {B})",
    f"Union(Simple({A}), nonsense=1)",
    f"Union(Simple({A}), Simple({B})).cluster_spec().as_dict()",
    f"Union(Simple({B}), Simple({A})).cluster_spec().as_dict()",
    f"Union(Simple({B}), Simple({A})).cluster_spec().jobs",
    f"Union(Simple({A}), Simple(ClusterSpec({{'worker': {{5: 'f:6', 2: 'c:3'}}}}))).cluster_spec().as_dict()",
    f"Union(Simple(ClusterSpec({{'worker': {{5: 'f:6', 2: 'c:3'}}}})), Simple({A})).cluster_spec().as_dict()",
    f"Union(Simple({A}), Simple(ClusterSpec({{'worker': {{3: 'f:6', 1: 'c:3'}}}}))).cluster_spec()",
    f"Union(Simple({A}), Simple({A})).cluster_spec().as_dict()",
    f"Union(Simple({A}), Simple(ClusterSpec({{}}))).cluster_spec().as_dict()",
    f"Union(Simple({A}), Simple(ClusterSpec({{'worker': []}}))).cluster_spec().as_dict()",
    f"state(Union(Simple({A}, 'm:1', 'worker', 1, 'there', {{'GPU': 2}}, 'grpc'), Simple({B}, 'n:1', 'ps', 0)))",
    f"state(Union(Simple({A}), Simple({B}, 'n:1', 'ps', 0)))",
    f"state(Union(Simple({A}, 'm:1', 'worker', 1), rpc_layer='x', task_type='ps', task_id=2))",
    f"state(Union(Simple({A}, 'm:1', 'worker', 1), task_id=0))",
    f"state(assigned(Union(Simple({A}, 'm:1', 'worker', 1)), task_type='ps', task_id=2, rpc_layer='y'))",
    f"Union(Simple({A}, rpc_layer='grpc'), Simple({B}), rpc_layer='x').master('ps', 0)",
    f"Union(Simple({A}, rpc_layer='grpc'), Simple({B})).master('ps', 0)",
    f"Union(Simple({A}, 'm:1', rpc_layer='grpc'), Simple({B})).master(rpc_layer='x')",
    f"Union(Simple({A}), Simple({B})).master('worker', 2)",
    f"Union(Simple({A}), Simple({B})).master('worker', 3)",
]

_CLUSTER = {"worker": ["a:1", "b:2"], "ps": ["c:3"]}


def _config(**keys: Any) -> dict[str, str]:
    return {"TF_CONFIG": json.dumps(keys)}


_FULL = _config(cluster=_CLUSTER, task={"type": "worker", "index": "1"}, rpc_layer="grpc")
_STATE = "(r := TFConfig({})) and [r.task_type, r.task_id, r.rpc_layer, r.environment]"
_READ = "TFConfig().cluster_spec().as_dict()"
TF_CONFIGS: list[tuple[dict[str, str], str]] = [
    *(
        (environment, expression)
        for environment in (
            {},
            _FULL,
            _config(),
            _config(task={"type": "worker", "index": 0}),
            _config(cluster={}, task={"type": "worker", "index": 0}),
            _config(cluster=_CLUSTER),
            _config(cluster=_CLUSTER, task={}),
            _config(cluster=_CLUSTER, task={"type": "ps"}),
            _config(cluster=_CLUSTER, task={"index": 1}),
            _config(cluster={"worker": ["a:1"]}, task={"type": "worker", "index": 0}),
            _config(cluster={"worker": ["a:1"]}, rpc_layer="grpc"),
            _config(cluster=_CLUSTER, task={"type": "worker", "index": 0}, session_master="s:9", rpc_layer="grpc"),
            _config(cluster=_CLUSTER, task={"type": "evaluator", "index": 0}),
            _config(cluster={"worker": {"1": "b:2"}}, task={"type": "worker", "index": 1}),
            _config(cluster=_CLUSTER, task={"type": "worker", "index": 0}, environment="cloud"),
        )
        for expression in (_READ, _STATE.format(""), "TFConfig().master()")
    ),
    (_FULL, _STATE.format("'ps', '0', 'x', 'there'")),
    (_FULL, "(r := TFConfig(task_id=0)) and [r.task_type, r.task_id, r.master()]"),
    (_FULL, "(r := assigned(TFConfig(), task_type='ps', task_id='0', rpc_layer='x')) and [r.task_type, r.task_id, r.master()]"),
    (_FULL, "TFConfig().master('ps', 0)"),
    (_FULL, "TFConfig().master('ps', 0, 'x')"),
    (_FULL, "TFConfig().master('worker', 7)"),
    (_FULL, "TFConfig(rpc_layer='x').master()"),
    ({"TF_CONFIG": ""}, _READ),
    ({"TF_CONFIG": "{"}, _READ),
    ({"TF_CONFIG": "{'cluster': {}}"}, _READ),
]  # fmt: skip

_STEP = {
    "SLURM_PROCID": "1", "SLURM_STEP_NUM_TASKS": "3", "SLURM_STEP_NODELIST": "t02n[13,41]",
    "SLURM_STEP_TASKS_PER_NODE": "2,1", "CUDA_VISIBLE_DEVICES": "0,1",
}  # fmt: skip
SLURM_TASK_INFO = (_STEP, "Slurm().get_task_info()")
_RESOLVED = (
    "(r := Slurm({})) and [r.cluster_spec().as_dict(), r.task_type, r.task_id, r.master(), "
    "r.num_accelerators(), shown_gpus()]"
)
SLURM: list[tuple[dict[str, str], str]] = [
    *(({**_STEP, "SLURM_PROCID": rank}, _RESOLVED.format("")) for rank in "012"),
    (_STEP, _RESOLVED.format("port_base=7000")),
    (_STEP, _RESOLVED.format("{'ps': 1, 'worker': 2}")),
    (_STEP, _RESOLVED.format("{'worker': 2, 'chief': 1}, rpc_layer=None")),
    (_STEP, _RESOLVED.format("gpus_per_node=4, gpus_per_task=2")),
    (_STEP, _RESOLVED.format("gpus_per_node=4, gpus_per_task=1, auto_set_gpu=False")),
    (_STEP, _RESOLVED.format("gpus_per_node=2, tasks_per_node={'n1': 2, 'n2': 1}")),
    ({**_STEP, "SLURM_STEP_NUM_TASKS": "4"}, _RESOLVED.format("tasks_per_node=2")),
    (_STEP, "Slurm().master('worker', 2)"),
    SLURM_TASK_INFO,
    (_STEP, "Slurm(gpus_per_node=2, gpus_per_task=2)"),
    (_STEP, "Slurm({'worker': 4})"),
    ({**_STEP, "SLURM_STEP_NUM_TASKS": "4"}, "Slurm()"),
    *(({k: v for k, v in _STEP.items() if k != f"SLURM_{missing}"}, "Slurm()")
      for missing in ("PROCID", "STEP_NUM_TASKS", "STEP_NODELIST", "STEP_TASKS_PER_NODE")),
    *(({**_STEP, "SLURM_STEP_NODELIST": nodes}, "Slurm()") for nodes in ("n[1", "n[a-b]", "n1,,n2", "n1]", "n[1-2-3]")),
    *(({**_STEP, "SLURM_STEP_TASKS_PER_NODE": tasks}, "Slurm()") for tasks in ("x", "2(x)", "")),
]  # fmt: skip

NODELISTS = [
    "n[1-3,7],m01",
    "n[08-11]",
    "n1",
    "rack1-n[1-2],m5,o[3-4,6,7-9]",
    "[1-2]",
    "n[1-2",
    "n[a-b]",
    "n1,,n2",
    "n1]",
    "n[]",
    "n[1-2-3]",
]
COUNTS = ["2(x3),1", "1", "3(x2),2,1", "", "x", "2(x)", " 2"]
LISTS = [*(f"nodes({text!r})" for text in NODELISTS), *(f"counts({text!r})" for text in COUNTS)]

_PLACES = [
    {"worker": ["a:1", "b:2"]},
    {"chief": ["a:1"], "worker": ["b:2", "c:3"], "ps": ["d:4"]},
    {"chief": ["a:1"]},
    {"chief": ["a:1"], "worker": ["b:2"], "evaluator": ["c:3"]},
    {"ps": ["a:1"]},
]
_TASKS = [
    ("worker", 0),
    ("worker", 1),
    ("worker", 2),
    ("chief", 0),
    ("chief", 1),
    ("evaluator", 0),
    ("ps", 0),
    ("wroker", 0),
]
PLACES = [
    *(f"place({cluster!r}, {job!r}, {index})" for cluster in _PLACES for job, index in _TASKS),
    "place({'chief': ['a:1', 'b:2']}, 'chief', 0)",
    "place({'worker': ['a:1'], 'evaluator': ['b:2', 'c:3']}, 'worker', 0)",
    "place({'worker': ['a:1'], 'evaluator': ['b:2', 'c:3']}, 'evaluator', 0)",
    "place({'worker': ['a:1'], 'master': ['b:2']}, 'worker', 0)",
    "place({'worker': ['a:1'], 'master': ['b:2']}, 'master', 0)",
]

_METHODS = {
    "ClusterSpec": "__init__ as_dict num_tasks task_indices task_address job_tasks",
    "ClusterResolver": "cluster_spec master num_accelerators",
    "Simple": "__init__ cluster_spec master num_accelerators",
    "Union": "cluster_spec master num_accelerators",
    "TFConfig": "__init__ cluster_spec master num_accelerators",
    "Slurm": "__init__ cluster_spec master num_accelerators get_task_info",
}
SIGNATURES = [f"parameters({kind}.{name})" for kind, names in _METHODS.items() for name in names.split()]

CASES: list[tuple[dict[str, str], str]] = [
    *(({}, expression) for expression in (*SPECS, *RESOLVERS, *LISTS, *PLACES, *SIGNATURES)),
    *TF_CONFIGS,
    *SLURM,
]


def parameters(function: Callable[..., Any]) -> list[str]:
    """Names of parameters with their defaults, but the one that we add."""
    found = inspect.signature(function).parameters.values()
    return [f"{p.name}={p.default!r}" if p.default is not p.empty else p.name for p in found if p.name != "environ"]


def state(resolver: Any) -> list[Any]:
    """Everything that a resolver says beside its cluster."""
    told = [resolver.task_type, resolver.task_id, resolver.rpc_layer, resolver.environment]
    return [*told, resolver.num_accelerators(), resolver.master()]


def assigned(resolver: Any, **values: Any) -> Any:
    """The resolver after its properties were set."""
    for name, value in values.items():
        setattr(resolver, name, value)
    return resolver


def key(environment: dict[str, str], expression: str) -> str:
    """One line that names a case."""
    return " ".join([*(f"{name}={value!r}" for name, value in sorted(environment.items())), expression])
