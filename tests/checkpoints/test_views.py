"""Views of the objects below a root and of those in a checkpoint, and what they have in common."""

import gc
import weakref
from pathlib import Path

import pytest

import stratagem as tf


class Module(tf.Module):
    """Two variables and a list of two."""

    def __init__(self) -> None:
        super().__init__()
        self.a_var = tf.Variable(5.0)
        self.b_var = tf.Variable(4.0)
        self.vars = [tf.Variable(1.0), tf.Variable(2.0)]


def test_a_trackable_view_lists_objects_once_breadth_first() -> None:
    root = Module()
    root.leaf = Module()
    root.again = root.a_var
    view = tf.train.TrackableView(root)
    assert view.root is root
    assert {"a_var", "b_var", "vars", "leaf"} <= set(view.children(root))
    assert tf.train.TrackableView.children(root.leaf)["a_var"] is root.leaf.a_var
    found = view.descendants()
    assert found[0] is root
    variables = [each for each in found if isinstance(each, tf.Variable)]
    assert len(variables) == len({id(each) for each in variables}) == 8
    positions = {id(each): i for i, each in enumerate(found)}
    assert positions[id(root.b_var)] < positions[id(root.leaf.a_var)]


def test_a_view_does_not_keep_its_root_alive() -> None:
    root = Module()
    view, by_reference = tf.train.TrackableView(root), tf.train.TrackableView(weakref.ref(root))
    assert by_reference.root is root
    del root
    gc.collect()
    for each in (view, by_reference):
        with pytest.raises(AssertionError, match="keep a reference"):
            each.root  # noqa: B018


def test_a_checkpoint_view_shows_the_graph_that_was_saved(tmp_path: Path) -> None:
    root = Module()
    root.leaf = Module()
    view = tf.train.CheckpointView(tf.train.Checkpoint(root).save(str(tmp_path / "c")))
    children = view.children(0)
    assert set(children) == {"a_var", "b_var", "vars", "leaf", "save_counter"}
    assert set(view.children(children["vars"])) == {"0", "1"}
    assert view.children(children["a_var"]) == {}
    descendants = view.descendants()
    assert descendants[0] == 0
    assert sorted(descendants) == list(range(len(descendants)))


def test_match_and_diff_tell_what_a_restore_would_match(tmp_path: Path) -> None:
    saved = Module()
    saved.leaf = Module()
    view = tf.train.CheckpointView(tf.train.Checkpoint(saved).save(str(tmp_path / "c")))
    other = Module()
    other.leaf2 = Module()
    matched = view.match(other)
    numbers = view.children(0)
    assert matched[0] is other
    assert matched[numbers["a_var"]] is other.a_var
    assert matched[view.children(numbers["vars"])["1"]] is other.vars[1]
    overlap, only_saved, only_here = view.diff(other)
    assert overlap.keys() == matched.keys()
    leaf = {numbers["leaf"], *view.children(numbers["leaf"]).values()}
    assert leaf | {numbers["save_counter"]} <= set(only_saved)
    assert set(only_saved).isdisjoint(overlap)
    assert any(each is other.leaf2 for each in only_here)
    assert any(each is other.leaf2.vars[0] for each in only_here)
    assert not any(each is other.a_var for each in only_here)
    everything = view.diff(saved)
    assert everything[1:] == ([numbers["save_counter"]], [])


def test_what_is_no_object_and_no_checkpoint_is_refused(tmp_path: Path) -> None:
    path = tf.train.Checkpoint(Module()).write(str(tmp_path / "c"))
    for call in (tf.train.TrackableView, tf.train.CheckpointView(path).match, tf.train.TrackableView.children):
        with pytest.raises(ValueError, match="Expected a Trackable, got 3"):
            call(3)
    with pytest.raises(tf.errors.NotFoundError):
        tf.train.CheckpointView(str(tmp_path / "missing"))
    with pytest.raises(AttributeError, match="CheckpointView"):
        tf.compat.v1.train.CheckpointView  # noqa: B018
