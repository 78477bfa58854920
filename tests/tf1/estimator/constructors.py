"""What is asked of TensorFlow and of us: how RunConfig, TrainSpec, EvalSpec and EstimatorSpec take their arguments."""

import json
from typing import Any

CLUSTER = {"chief": ["h0:1"], "worker": ["h1:1", "h2:1", "h3:1"], "ps": ["h4:1", "h5:1"]}
MASTER = {"master": ["h0:1"], "worker": ["h1:1"], "ps": ["h2:1"]}
LATE = {"chief": ["h0:1"], "worker": ["h1:1", "h2:1"], "other": ["h3:1"], "ps": ["h4:1"]}


def config(cluster: Any = None, task: Any = None, **more: Any) -> str:
    """A TF_CONFIG."""
    parts = {"cluster": cluster, "task": task and {"type": task[0], "index": task[1]}} | more
    return json.dumps({key: value for key, value in parts.items() if value is not None})


PLACES = [
    "",
    "{}",
    "[",
    config(CLUSTER, ("chief", 0)),
    *(config(CLUSTER, ("worker", i)) for i in (0, 2, 3, -1, "1", "x")),
    *(config(CLUSTER, ("ps", i)) for i in (0, 1, 2)),
    *(config(CLUSTER, ("evaluator", i)) for i in (0, 1, 7, -1)),
    config(CLUSTER, ("other", 0)),
    config(CLUSTER),
    config(CLUSTER, (None, 0)),
    config(CLUSTER, ("", 0)),
    config(CLUSTER, ("worker", None)),
    config(CLUSTER, ("local", 0)),
    config({"worker": ["h1:1", "h2:1"]}, ("worker", 0)),
    config({"chief": ["h0:1", "h1:1"]}, ("chief", 0)),
    config({"chief": ["h0:1"]}, ("chief", 0)),
    config({"chief": ["h0:1"]}, ("evaluator", 0)),
    config({"chief": ["h0:1"], "ps": ["h1:1"]}, ("chief", 0)),
    config({"chief": ["h0:1"], "evaluator": ["h1:1"]}, ("evaluator", 0)),
    config({}, ("worker", 0)),
    config(None, ("worker", 0)),
    config(None, ("worker", 1)),
    config(None, ("worker", "0")),
    config(None, ("ps", 0)),
    config(None, ("chief", 0)),
    config(None, ("evaluator", 0)),
    *(config(MASTER, task) for task in (("master", 0), ("worker", 0), ("ps", 0), ("evaluator", 0), ("chief", 0))),
    config(MASTER | {"chief": ["h9:1"]}, ("master", 0)),
    config({"master": ["h0:1"]}, ("master", 0)),
    *(config(LATE, task) for task in (("chief", 0), ("worker", 1), ("other", 0), ("ps", 0))),
    config(CLUSTER, ("worker", 0), session_master="grpc://other:1", eval_session_master="grpc://eval:1"),
    config(CLUSTER, ("evaluator", 0), session_master="grpc://other:1", eval_session_master="grpc://eval:1"),
    config(session_master="grpc://other:1", eval_session_master="grpc://eval:1"),
    config(CLUSTER, ("chief", 0), service={"key": "value"}),
    config(service={"key": 1}),
    config(service=1),
    config(model_dir="/tmp/there"),
    config(model_dir=""),
]

ARGUMENTS = [
    "model_dir='/tmp/a'", "model_dir=''", "model_dir=PATH", "tf_random_seed=1", "tf_random_seed=1.5", "tf_random_seed='x'",
    "tf_random_seed=-1", "save_summary_steps=0", "save_summary_steps=-1", "save_summary_steps=None",
    "save_checkpoints_steps=0", "save_checkpoints_steps=-1", "save_checkpoints_steps=7", "save_checkpoints_steps=None",
    "save_checkpoints_secs=0", "save_checkpoints_secs=-1", "save_checkpoints_secs=7", "save_checkpoints_secs=None",
    "save_checkpoints_steps=7, save_checkpoints_secs=7", "save_checkpoints_steps=None, save_checkpoints_secs=None",
    "save_checkpoints_steps=7, save_checkpoints_secs=None", "session_config=1", "keep_checkpoint_max=0",
    "keep_checkpoint_max=None", "keep_checkpoint_max=-1", "keep_checkpoint_every_n_hours=0",
    "keep_checkpoint_every_n_hours=0.5", "log_step_count_steps=0", "log_step_count_steps=None", "log_step_count_steps=-1",
    "device_fn=1", "device_fn=lambda op: ''", "device_fn=lambda x: ''", "device_fn=lambda op, x: ''", "protocol='grpc'",
    "protocol='grpc+verbs'", "protocol='http'", "experimental_max_worker_delay_secs=1",
    "experimental_max_worker_delay_secs=1.5", "session_creation_timeout_secs=0", "session_creation_timeout_secs=3",
    "checkpoint_save_graph_def=False", "master='x'", "'/tmp/a', 3",
]  # fmt: skip

REPLACED = [
    *ARGUMENTS[:43],
    "cluster_spec=1", "is_chief=False", "task_type='ps'", "service={}", "num_ps_replicas=1", "master=''",
    "save_checkpoints_secs=None, save_checkpoints_steps=3", "nothing=1",
]  # fmt: skip

SPECS = [
    *(
        f"list(TrainSpec({arguments}))[1:]"
        for arguments in (
            "F", "1", "None", "F, 3", "F, 0", "F, -1", "F, max_steps=None", "F, hooks=[]", "F, hooks=[1]", "F, hooks=1",
            "F, hooks=[HOOK]", "F, 3, (HOOK, HOOK)", "F, saving_listeners=[1]", "F, saving_listeners=[LISTENER]",
            "F, saving_listeners=[HOOK]", "F, nothing=1", "",
        )
    ),
    *(
        f"list(EvalSpec({arguments}))[1:]"
        for arguments in (
            "F", "1", "F, 0", "F, -1", "F, None", "F, 3, 'x'", "F, name=1", "F, name=''", "F, hooks=[1]", "F, hooks=[HOOK]",
            "F, exporters=1", "F, exporters=[1]", "F, exporters=[None]", "F, exporters=EXPORTER('a')",
            "F, exporters=[EXPORTER('a'), EXPORTER('b')]", "F, exporters=[EXPORTER('a'), EXPORTER('a')]",
            "F, exporters=EXPORTER('')", "F, exporters=EXPORTER(None)", "F, exporters=EXPORTER(1)", "F, exporters=[]",
            "F, start_delay_secs=-1", "F, start_delay_secs=0", "F, throttle_secs=-1", "F, throttle_secs=0",
        )
    ),
    *(
        f"spec(EstimatorSpec({arguments}))"
        for arguments in (
            "'train'", "'train', loss=LOSS", "'train', train_op=OP", "'train', loss=LOSS, train_op=OP",
            "'train', loss=LOSS, train_op=TENSOR", "'train', loss=LOSS, train_op=1", "'train', loss=1.0, train_op=OP",
            "'train', loss=ONE, train_op=OP", "'train', loss=TENSOR, train_op=OP", "'train', loss=ARRAY, train_op=OP",
            "'eval'", "'eval', loss=LOSS", "'eval', loss='x'", "'eval', loss=LOSS, eval_metric_ops=1",
            "'eval', loss=LOSS, eval_metric_ops={}", "'eval', loss=LOSS, eval_metric_ops={'a': 1}",
            "'eval', loss=LOSS, eval_metric_ops={'a': (LOSS,)}", "'eval', loss=LOSS, eval_metric_ops={'a': [LOSS, OP]}",
            "'eval', loss=LOSS, eval_metric_ops={'a': (LOSS, OP)}", "'eval', {'p': TENSOR}, LOSS",
            "'infer'", "'infer', TENSOR", "'infer', {'p': TENSOR}", "'infer', {'p': 1}", "'infer', 1", "'infer', [TENSOR]",
            "'infer', ARRAY", "'infer', TENSOR, LOSS, OP", "'infer', TENSOR, export_outputs=1",
            "'infer', TENSOR, export_outputs={'a': 1}", "'eval', loss=LOSS, export_outputs=1", "'other'", "None",
            "'train', loss=LOSS, train_op=OP, training_hooks=[1]", "'train', loss=LOSS, train_op=OP, training_hooks=[HOOK]",
            "'train', loss=LOSS, train_op=OP, training_chief_hooks=[1]", "'eval', loss=LOSS, evaluation_hooks=[1]",
            "'eval', loss=LOSS, evaluation_hooks=(HOOK, HOOK)", "'infer', TENSOR, prediction_hooks=[1]",
            "'train', loss=LOSS, train_op=OP, scaffold=1", "'train', loss=LOSS, train_op=OP, nothing=1",
        )
    ),
    "spec(EstimatorSpec('eval', loss=LOSS)._replace(predictions=TENSOR))",
    "spec(EstimatorSpec('eval', loss=LOSS)._replace(loss=None))",
    "spec(EstimatorSpec('eval', loss=LOSS)._replace(mode='train'))",
    "spec(EstimatorSpec('eval', loss=LOSS)._replace(mode='eval'))",
    "[ModeKeys.TRAIN, ModeKeys.EVAL, ModeKeys.PREDICT]",
]  # fmt: skip

# TF_CONFIG and expression.
CASES = [
    *((text, "state(RunConfig())") for text in PLACES),
    (config(model_dir="/tmp/there"), "state(RunConfig('/tmp/there'))"),
    (config(model_dir="/tmp/there"), "state(RunConfig('/tmp/elsewhere'))"),
    *(("{}", f"state(RunConfig({arguments}))") for arguments in ARGUMENTS),
    *(("{}", f"state(RunConfig().replace({arguments}))") for arguments in REPLACED),
    *(("{}", f"state(RunConfig(save_checkpoints_steps=5).replace({arguments}))") for arguments in REPLACED[10:21]),
    (config(CLUSTER, ("worker", 2)), "state(RunConfig().replace(model_dir='/tmp/a'))"),
    *(("{}", expression) for expression in SPECS),
]

_PROPERTIES = [
    "model_dir", "tf_random_seed", "save_summary_steps", "save_checkpoints_steps", "save_checkpoints_secs",
    "keep_checkpoint_max", "keep_checkpoint_every_n_hours", "log_step_count_steps", "protocol",
    "experimental_max_worker_delay_secs", "session_creation_timeout_secs", "checkpoint_save_graph_def", "service",
    "task_type", "task_id", "global_id_in_cluster", "master", "evaluation_master", "is_chief", "num_ps_replicas",
    "num_worker_replicas",
]  # fmt: skip


def state(run_config: Any) -> list[Any]:
    """What the properties of a RunConfig say."""
    return [*(getattr(run_config, name) for name in _PROPERTIES), run_config.cluster_spec.as_dict()]


def spec(estimator_spec: Any) -> list[Any]:
    """What an EstimatorSpec has of each kind, and the shape of its loss."""
    s = estimator_spec
    hooks = [s.training_hooks, s.training_chief_hooks, s.evaluation_hooks, s.prediction_hooks]
    named = sorted(s.predictions) if isinstance(s.predictions, dict) else "tensor"
    loss = None if s.loss is None else list(s.loss.shape)
    return [
        s.mode,
        named,
        loss,
        s.train_op is None,
        sorted(s.eval_metric_ops),
        [len(h) for h in hooks],
        s.scaffold is None,
    ]


def key(environment: str, expression: str) -> str:
    """The name of a case."""
    return f"{environment} | {expression}"
