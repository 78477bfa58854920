"""Canned Estimators of TensorFlow: models of columns, with heads that make losses, predictions and metrics of logits."""
