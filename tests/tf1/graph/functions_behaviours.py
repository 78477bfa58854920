"""Functions whose arguments, or meaning, are others in TensorFlow 1 than in 2."""

from typing import Any

from tests.tf1.graph.made import Made, wave


def functions(tf1: Any, x: Any, y: Any) -> Made:
    """Functions whose arguments, or meaning, are others than in TensorFlow 2."""
    sixes, pairs = tf1.reshape(tf1.range(6), [2, 3]), tf1.constant([[1.0, -2.0], [3.0, 0.5], [0.0, 4.0]])
    chosen = tf1.constant([True, False, True])
    counter = tf1.get_variable("counter", initializer=tf1.constant(5.0))
    total, count = tf1.nn.moments(x, [0], keep_dims=True)
    images = tf1.reshape(x, [1, 6, 4, 1])
    filters = tf1.constant(wave((2, 2, 1, 2)), tf1.float32)
    return Made(
        tensors={
            "sum": tf1.reduce_sum(pairs, reduction_indices=[0], keep_dims=True),
            "mean": tf1.reduce_mean(sixes, 1),
            "max": tf1.reduce_max(pairs, axis=1, keepdims=True),
            "any": tf1.reduce_any(pairs > 2.0, 1),
            "prod": tf1.reduce_prod(pairs, 0, True),
            "logsumexp": tf1.reduce_logsumexp(pairs, 1),
            "argmax": tf1.argmax(pairs, 1),
            "argmin": tf1.argmin(pairs, dimension=0, output_type=tf1.int32),
            "nonzero": tf1.count_nonzero(pairs, 1, keep_dims=True),
            "norm": tf1.norm(pairs, axis=1, keep_dims=True),
            "expanded": tf1.expand_dims(pairs, dim=1),
            "squeezed": tf1.squeeze(tf1.expand_dims(pairs, 0), squeeze_dims=[0]),
            "transposed": tf1.transpose(pairs, [1, 0], "name"),
            "shape": tf1.shape(pairs, "name", tf1.int64),
            "size": tf1.size(pairs),
            "gathered": tf1.gather(pairs, [2, 0], None, "name", 0),
            "gathered_nd": tf1.gather_nd(pairs, [[2, 1], [0, 0]], "name"),
            "padded": tf1.pad(pairs, [[1, 0], [0, 1]], "CONSTANT", "name", 7.0),
            "zeros": tf1.zeros_like(sixes, tf1.float64),
            "ones": tf1.ones_like(pairs),
            "where_rows": tf1.where(chosen, pairs, -pairs),
            "where": tf1.where(pairs > 0.0, pairs, tf1.zeros_like(pairs)),
            "div": tf1.div(tf1.constant([-7, 7]), tf1.constant([2, 2])),
            "div_float": tf1.div(7.0, 2.0),
            "floor_div": tf1.floor_div(tf1.constant([-7, 7]), 2),
            "to_float": tf1.to_float(sixes),
            "to_int32": tf1.to_int32(pairs),
            "to_int64": tf1.to_int64(pairs),
            "to_double": tf1.to_double(sixes),
            "confusion": tf1.confusion_matrix([0, 1, 1], [1, 1, 0], 2, tf1.int64),
            "average_norm": tf1.clip_by_average_norm(pairs, 0.1),
            "tuple": tf1.tuple([pairs, pairs])[1],
            "cond": tf1.cond(tf1.reduce_sum(pairs) > 0.0, fn1=lambda: pairs + 1.0, fn2=lambda: pairs),
            "while": tf1.while_loop(lambda i: i < 7, lambda i: i + 2, [tf1.constant(0)]),
            "softmax": tf1.nn.softmax(pairs, dim=0),
            "log_softmax": tf1.nn.log_softmax(pairs, 0),
            "l2": tf1.nn.l2_normalize(pairs, dim=1),
            "cross_entropy": tf1.nn.softmax_cross_entropy_with_logits(labels=tf1.one_hot(y, 4), logits=x),
            "cross_entropy_v2": tf1.nn.softmax_cross_entropy_with_logits_v2(tf1.one_hot(y, 4), x),
            "sparse_cross_entropy": tf1.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=x),
            "moments_mean": total,
            "moments_variance": count,
            "conv2d": tf1.nn.conv2d(images, filters, [1, 2, 1, 1], "SAME"),
            "max_pool": tf1.nn.max_pool(images, [1, 2, 2, 1], [1, 2, 2, 1], "VALID"),
            "avg_pool": tf1.nn.avg_pool(images, [1, 2, 2, 1], [1, 2, 2, 1], "SAME"),
            "in_top_k": tf1.nn.in_top_k(x, y, 2),
            "xw_plus_b": tf1.nn.xw_plus_b(pairs, tf1.transpose(pairs), [1.0, 2.0, 3.0]),
            "log": tf1.log(tf1.constant([1.0, 2.0])),
            "ceil": tf1.ceil(pairs - 0.3),
            "squared_difference": tf1.squared_difference(pairs, 1.0),
            "lin_space": tf1.lin_space(0.0, 1.0, 5),
            "div_no_nan": tf1.div_no_nan(pairs, tf1.constant([1.0, 0.0])),
            "inverse": tf1.matrix_inverse(tf1.constant([[2.0, 1.0], [1.0, 3.0]])),
            "tensor_scatter": tf1.tensor_scatter_update(pairs, [[1]], [[9.0, 9.0]]),
            "global_norm": tf1.global_norm([pairs, pairs]),
            "dropout_of_nothing": tf1.nn.dropout(pairs, keep_prob=1.0),
            "identity": tf1.identity(counter, name="the_counter"),
            "constant": tf1.get_variable("c", [2, 2], initializer=tf1.constant_initializer([1, 2, 3, 4])) + 0.0,
            "eye": tf1.get_variable("e", [2, 3], initializer=tf1.initializers.identity(2.0)) + 0.0,
        },
        operation=tf1.group(tf1.assign_sub(counter, 2.0), tf1.no_op()),
    )
