"""The names of tf.compat.v1 whose parameters are compared with TensorFlow's."""

_NAMES = """
    Print Variable add_to_collection add_to_collections argmax argmin assign assign_add assign_sub boolean_mask
    clip_by_average_norm cond confusion_matrix constant_initializer control_dependencies convert_to_tensor
    count_nonzero device disable_control_flow_v2 disable_eager_execution disable_resource_variables
    disable_tensor_equality disable_v2_behavior disable_v2_tensorshape div enable_control_flow_v2
    enable_eager_execution enable_resource_variables enable_tensor_equality enable_v2_behavior enable_v2_tensorshape
    executing_eagerly executing_eagerly_outside_functions expand_dims gather gather_nd get_collection
    get_collection_ref get_logger get_variable get_variable_scope global_variables glorot_normal_initializer
    glorot_uniform_initializer gradients group local_variables model_variables multinomial name_scope no_op norm
    ones_initializer ones_like orthogonal_initializer pad py_func random_normal_initializer
    random_uniform_initializer reduce_all reduce_any reduce_logsumexp reduce_max reduce_mean reduce_min reduce_prod
    reduce_sum resource_variables_enabled shape size squeeze to_bfloat16 to_double to_float to_int32 to_int64
    trainable_variables transpose truncated_normal_initializer tuple variable_scope variance_scaling_initializer
    where while_loop zeros_initializer zeros_like random_normal random_poisson random_uniform truncated_normal
    random.normal random.poisson random.truncated_normal random.uniform layers.AveragePooling1D layers.AveragePooling2D
    layers.AveragePooling3D layers.BatchNormalization layers.Conv1D layers.Conv2D layers.Conv2DTranspose
    layers.Conv3D layers.Conv3DTranspose layers.Dense layers.Dropout layers.Flatten layers.Layer layers.MaxPooling1D
    layers.MaxPooling2D layers.MaxPooling3D layers.SeparableConv1D layers.SeparableConv2D layers.average_pooling1d
    layers.average_pooling2d layers.average_pooling3d layers.batch_normalization layers.conv1d layers.conv2d
    layers.conv2d_transpose layers.conv3d layers.conv3d_transpose layers.dense layers.dropout layers.flatten
    layers.max_pooling1d layers.max_pooling2d layers.max_pooling3d layers.separable_conv1d layers.separable_conv2d
    losses.Reduction losses.absolute_difference losses.add_loss losses.compute_weighted_loss losses.cosine_distance
    losses.get_losses losses.get_regularization_loss losses.get_regularization_losses losses.get_total_loss
    losses.hinge_loss losses.huber_loss losses.log_loss losses.mean_pairwise_squared_error losses.mean_squared_error
    losses.sigmoid_cross_entropy losses.softmax_cross_entropy losses.sparse_softmax_cross_entropy metrics.accuracy
    metrics.auc metrics.false_negatives metrics.false_positives metrics.mean metrics.mean_absolute_error
    metrics.mean_cosine_distance metrics.mean_iou metrics.mean_per_class_accuracy metrics.mean_relative_error
    metrics.mean_squared_error metrics.mean_tensor metrics.percentage_below metrics.precision
    metrics.precision_at_thresholds metrics.recall metrics.recall_at_thresholds metrics.root_mean_squared_error
    metrics.true_negatives metrics.true_positives train.AdadeltaOptimizer train.AdagradOptimizer train.AdamOptimizer
    train.ExponentialMovingAverage train.FtrlOptimizer train.GradientDescentOptimizer train.MomentumOptimizer
    train.Optimizer train.ProximalAdagradOptimizer train.ProximalGradientDescentOptimizer train.RMSPropOptimizer
    train.assert_global_step train.cosine_decay train.cosine_decay_restarts train.create_global_step
    train.exponential_decay train.get_global_step train.get_or_create_global_step train.inverse_time_decay
    train.linear_cosine_decay train.natural_exp_decay train.piecewise_constant train.piecewise_constant_decay
    train.polynomial_decay nn.avg_pool nn.avg_pool2d nn.conv1d nn.conv2d nn.conv3d nn.depthwise_conv2d nn.dropout
    nn.embedding_lookup nn.in_top_k nn.l2_normalize nn.log_softmax nn.max_pool nn.moments
    nn.sigmoid_cross_entropy_with_logits nn.softmax nn.softmax_cross_entropy_with_logits
    nn.softmax_cross_entropy_with_logits_v2 nn.sparse_softmax_cross_entropy_with_logits
    nn.weighted_cross_entropy_with_logits nn.xw_plus_b summary.histogram summary.image summary.merge
    summary.merge_all summary.scalar summary.text initializers.constant initializers.glorot_normal
    initializers.glorot_uniform initializers.he_normal initializers.he_uniform initializers.identity
    initializers.lecun_normal initializers.lecun_uniform initializers.ones initializers.orthogonal
    initializers.random_normal initializers.random_uniform initializers.truncated_normal
    initializers.variance_scaling initializers.zeros logging.debug logging.error logging.fatal logging.flush
    logging.get_verbosity logging.info logging.log logging.log_every_n logging.log_first_n logging.log_if
    logging.set_verbosity logging.vlog logging.warn logging.warning batch_to_space reverse_sequence space_to_batch
    nn.space_to_batch strided_slice unravel_index batch_to_space_nd reverse_v2 where_v2
    image.crop_and_resize image.draw_bounding_boxes image.extract_glimpse image.extract_image_patches image.resize
    image.resize_area image.resize_bicubic image.resize_bilinear image.resize_image_with_crop_or_pad
    image.resize_image_with_pad image.resize_images image.resize_nearest_neighbor image.transpose_image extract_image_patches
"""
NAMES = _NAMES.split()
