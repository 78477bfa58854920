"""SavedModels that are damaged, of another kind, or made by an enemy are refused by name; nothing of them is run."""

import json
import random
import shutil
from pathlib import Path
from typing import Any

import jax
import numpy as np
import pytest
from jax import export

import stratagem as tf
from tests.checkpoints.faults import files_of, flip_a_bit
from tests.saved_models.stranger import description_of, replaced


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    module, path = tf.Module(), tmp_path_factory.mktemp("whole") / "model"
    module.factor = tf.Variable([2.0, 3.0])
    module.words = tf.saved_model.Asset(__file__)
    module.scaled = tf.function(lambda x: x * module.factor, input_signature=[tf.TensorSpec([None, 2])])
    tf.saved_model.save(module, path)
    return path


@pytest.fixture
def model(whole: Path, tmp_path: Path) -> Path:
    """A copy of it that may be damaged."""
    return Path(shutil.copytree(whole, tmp_path / "model"))


def refused(path: Path) -> str:
    with pytest.raises((tf.errors.DataLossError, ValueError, OSError)) as raised:
        tf.saved_model.load(path)
    return str(raised.value)


@pytest.mark.parametrize("seed", range(12))
def test_a_flipped_bit_is_noticed_and_its_file_named(seed: int, model: Path) -> None:
    file = flip_a_bit(model, seed)
    assert Path(file).name in refused(model)


@pytest.mark.parametrize("cut", ["half", "missing", "linked"])
def test_a_file_that_is_cut_missing_or_elsewhere_is_named(cut: str, model: Path, tmp_path: Path) -> None:
    for file in files_of(model):
        content = file.read_bytes()
        if cut == "half":
            file.write_bytes(content[: len(content) // 2])
        else:
            file.unlink()
            if cut == "linked":
                (tmp_path / "elsewhere").write_bytes(content)
                file.symlink_to(tmp_path / "elsewhere")
        assert (file.name if file.name != "manifest.json" or cut != "missing" else "does not exist") in refused(model)
        file.unlink(missing_ok=True)
        file.write_bytes(content)
    assert tf.saved_model.load(model).scaled([[1.0, 1.0]]).numpy().tolist() == [[2, 3]]


def test_a_description_of_an_earlier_version_is_read(model: Path) -> None:
    """Before version 3 there was one model, which was the first object."""
    file = description_of(model)
    content = json.loads(file.read_text())
    (alone,) = content.pop("models")
    replaced(model, file, json.dumps(content | {"version": 2, "signatures": alone["signatures"]}).encode())
    loaded = tf.saved_model.load(model, tags="serve")
    assert loaded.scaled([[1.0, 1.0]]).numpy().tolist() == [[2, 3]]
    assert [*loaded.signatures] == [*alone["signatures"]] == ["serving_default"]


def problem(path: Path) -> str | None:
    """Returns what is wrong, by an error that is meant for it; None if nothing is."""
    try:
        tf.saved_model.load(path)
    except (tf.errors.DataLossError, ValueError, OSError) as error:
        return str(error)
    return None


def test_a_description_of_a_stranger_is_refused(model: Path) -> None:
    file = description_of(model)
    text = file.read_text()
    for change in (
        text.replace('"version": 3', '"version": 4'),
        text.replace('"stratagem saved model"', '"another"'),
        text.replace('"kind": "variable"', '"kind": "object"'),
        text.replace('"kind": "variable"', '"kind": "pickle"'),
        text.replace("functions/", "../functions/"),
        text.replace("functions/", "/etc/"),
        text.replace('"float32"', '"float16"'),
        text.replace('"shape": [\n     2\n    ]', '"shape": [\n     1000000000000\n    ]'),
        text.replace('"x"', '""'),
        text.replace('"x"', '"x y"'),
        text.replace('"POSITIONAL_OR_KEYWORD"', '"__class__"'),
        text.replace('"float32"', '",float32"'),
        "{}",
        "[]",
        "",
        "[" * 100_000,
    ):
        assert change != text
        replaced(model, file, change.encode())
        assert str(model) in refused(model)


def test_a_description_with_other_numbers_is_refused_or_still_one(model: Path) -> None:
    file, rng = description_of(model), random.Random(7)
    text = file.read_text()
    found = []
    for _ in range(20):
        replaced(model, file, _with_a_number_changed(text, rng).encode())
        found.append(problem(model))
    assert all(str(model) in text for text in found if text is not None)
    assert any(found)


def _with_a_number_changed(text: str, rng: random.Random) -> str:
    places = [i for i, c in enumerate(text) if c.isdigit()]
    place = rng.choice(places)
    return text[:place] + str(rng.randrange(10)) + text[place + 1 :]


def test_a_program_that_calls_into_the_process_is_refused(model: Path) -> None:
    """Such calls run whatever is registered under their names, with arguments of the file's author."""
    function = next(model.glob("*/functions/*.stablehlo"))
    secret: list[Any] = []

    def calling(values: Any, tensors: Any) -> Any:
        return [jax.ffi.ffi_call("xla_ffi_python_cpu_callback", jax.ShapeDtypeStruct((2,), np.float32))(values[0])]

    specs = [jax.ShapeDtypeStruct((2,), np.float32)], [jax.ShapeDtypeStruct((3, 2), np.float32)]
    allowed = export.DisabledSafetyCheck.custom_call("xla_ffi_python_cpu_callback")
    program = export.export(jax.jit(calling), disabled_checks=[allowed])(*specs)
    replaced(model, function, bytes(program.serialize()))
    assert "calls xla_ffi_python_cpu_callback" in refused(model)
    assert not secret


def test_bytes_that_end_the_process_which_reads_them_are_refused(model: Path, capfd: Any) -> None:
    """XLA's reader of StableHLO has no defence against them: it ends by SIGSEGV or SIGABRT, in another process."""
    function = next(model.glob("*/functions/*.stablehlo"))
    code = function.read_bytes()
    module = export.deserialize(bytearray(code)).mlir_module_serialized
    found = []
    for place, value in ((-7, 1), (79, 0), (-12, 1)):  # which `scripts/fuzz_native.py` found
        changed = bytearray(module)
        changed[place] = value
        replaced(model, function, code.replace(module, bytes(changed)))
        found.append(refused(model))
    assert all(function.name in text and "this is no exported program" in text for text in found)
    assert any("it ended the process that read it, with SIG" in text for text in found)
    replaced(model, function, code)
    assert tf.saved_model.load(model).scaled([[1.0, 1.0]]).numpy().tolist() == [[2, 3]]
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("content", [b"", b"\0" * 100, bytes(range(256)) * 40])
def test_what_is_no_program_is_refused(content: bytes, model: Path) -> None:
    replaced(model, next(model.glob("*/functions/*.stablehlo")), content)
    assert "this is no exported program" in refused(model)


def test_what_is_no_saved_model_is_told_apart(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="SavedModel file does not exist at"):
        tf.saved_model.load(tmp_path)
    assert not tf.saved_model.contains_saved_model(tmp_path)
    tf.train.Checkpoint(v=tf.Variable(1.0)).write(str(tmp_path / "ckpt"))
    with pytest.raises(OSError, match="SavedModel file does not exist at"):
        tf.saved_model.load(tmp_path / "ckpt")
    (tmp_path / "saved_model.pb").write_bytes(b"\x08\x01")
    with pytest.raises(tf.errors.UnimplementedError, match="a SavedModel that TensorFlow wrote"):
        tf.saved_model.load(tmp_path)
