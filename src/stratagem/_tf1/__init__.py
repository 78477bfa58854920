"""Programs of TensorFlow 1: what a model_fn makes, and Estimators. Readers of the other packages can skip it.

In: model_fns, input_fns, hooks, TF_CONFIG.
Out: `graph` has what code of TensorFlow 1 finds in its graph: names, collections, layers, losses, metrics, optimizers;
`estimator` trains, evaluates and predicts with it, and saves checkpoints by TensorFlow's names.
Never: builds a graph: a model_fn is traced like any step.
"""
