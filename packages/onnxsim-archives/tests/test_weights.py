import gguf
import ml_dtypes
import numpy as np
import onnx
import pytest
from archiving import arrays, canonical, model_of, raw_tensor
from gguf.constants import GGMLQuantizationType
from onnx import numpy_helper

from onnxsim_archives import ArchiveError, export_gguf, import_gguf_weights
from onnxsim_core import ModelError

WEIGHT = np.random.default_rng(3).standard_normal((4, 64)).astype(np.float32)


@pytest.fixture
def weights(tmp_path):
    """Write a GGUF file of these tensors, quantised where a type is named, and give its path."""

    def make(**tensors):
        writer = gguf.GGUFWriter(tmp_path / "w.gguf", "llama")
        for name, value in tensors.items():
            array, kind = value if isinstance(value, tuple) else (value, None)
            if kind is None:
                writer.add_tensor(name, array)
            else:
                writer.add_tensor(name, gguf.quants.quantize(array, kind), raw_dtype=kind)
        writer.write_header_to_file()
        writer.write_kv_data_to_file()
        writer.write_tensors_to_file()
        writer.close()
        return tmp_path / "w.gguf"

    return make


def zeros(**types):
    return model_of(*arrays(**{name: np.zeros(WEIGHT.shape, dtype) for name, dtype in types.items()}))


def values(model):
    return {one.name: numpy_helper.to_array(one) for one in model.graph.initializer}


def test_equal_types_are_copied_and_other_names_left_alone(weights):
    path = weights(w=WEIGHT, h=WEIGHT.astype(np.float16), n=np.int32([[5]]), absent=WEIGHT)
    model = zeros(w=np.float32, h=np.float16, own=np.float32)
    model.graph.initializer.extend(arrays(n=np.zeros((1, 1), np.int32)))
    before = model.SerializeToString()
    loaded, skipped = import_gguf_weights(model, path)

    found = values(loaded)
    assert skipped == []
    assert np.array_equal(found["w"], WEIGHT) and np.array_equal(found["h"], WEIGHT.astype(np.float16))
    assert found["n"].tolist() == [[5]] and not found["own"].any()
    assert model.SerializeToString() == before


@pytest.mark.parametrize("kind", ["Q4_0", "Q5_1", "Q8_0", "BF16"])
def test_quantised_weights_become_the_initializers_own_floating_point_type(weights, kind):
    kind = GGMLQuantizationType[kind]
    path = weights(w=(WEIGHT, kind), h=(WEIGHT, kind), d=(WEIGHT, kind), b=(WEIGHT, kind))
    model = zeros(w=np.float32, h=np.float16, d=np.float64, b=ml_dtypes.bfloat16)
    expected = gguf.quants.dequantize(gguf.quants.quantize(WEIGHT, kind), kind).reshape(WEIGHT.shape)
    loaded, skipped = import_gguf_weights(model, path)

    assert skipped == []
    for name, array in values(loaded).items():
        assert array.dtype == values(model)[name].dtype
        assert np.array_equal(array, expected.astype(array.dtype))


def test_what_does_not_fit_is_left_alone_and_named(weights):
    # IQ2_S is a code-book type; the file says so of numbers that are none.
    path = weights(shape=WEIGHT, turned=WEIGHT, ints=WEIGHT, floats=np.ones(WEIGHT.shape, np.int32), wide=WEIGHT,
                   code=np.ones((4, 64), np.float32), fits=WEIGHT)
    model = zeros(ints=np.int32, floats=np.float32, wide=np.uint8, fits=np.float32)
    model.graph.initializer.extend(arrays(shape=np.ones((4, 65), np.float32), turned=np.ones((64, 4), np.float32)))
    loaded, skipped = import_gguf_weights(model, path)

    assert {*skipped} == {"shape", "turned", "ints", "floats", "wide"}
    assert canonical(model_of(*[one for one in loaded.graph.initializer if one.name in skipped])) == canonical(
        model_of(*[one for one in model.graph.initializer if one.name in skipped]))
    assert np.array_equal(values(loaded)["fits"], WEIGHT)


def test_a_quantisation_that_cannot_be_read_is_named(tmp_path, weights):
    path = weights(w=(np.ones((1, 256), np.float32), GGMLQuantizationType.TQ2_0))
    data = bytearray(path.read_bytes())
    at = data.index(b"w" + (2).to_bytes(4, "little")) + 1 + 4 + 16
    assert int.from_bytes(data[at : at + 4], "little") == GGMLQuantizationType.TQ2_0
    data[at : at + 4] = int(GGMLQuantizationType.IQ2_XXS).to_bytes(4, "little")
    path.write_bytes(data)

    loaded, skipped = import_gguf_weights(model_of(*arrays(w=np.zeros((1, 256), np.float32))), path)
    assert skipped == ["w"] and not values(loaded)["w"].any()


def test_leading_axes_of_one_do_not_matter(weights):
    path = weights(w=WEIGHT[:1].reshape(64), v=WEIGHT.reshape(1, 4, 64))
    model = model_of(*arrays(w=np.zeros((1, 64), np.float32), v=np.zeros((4, 64), np.float32)))
    loaded, skipped = import_gguf_weights(model, path)

    assert skipped == []
    assert np.array_equal(values(loaded)["w"], WEIGHT[:1]) and np.array_equal(values(loaded)["v"], WEIGHT)


def test_external_data_that_the_file_replaces_need_not_exist(tmp_path, weights):
    model = zeros(w=np.float32, own=np.float32)
    onnx.save(model, tmp_path / "m.onnx", save_as_external_data=True, size_threshold=0, location="gone",
              all_tensors_to_one_file=True)
    (tmp_path / "gone").unlink()
    with pytest.raises(ModelError, match="'own'"):
        import_gguf_weights(tmp_path / "m.onnx", weights(w=WEIGHT))
    loaded, skipped = import_gguf_weights(tmp_path / "m.onnx", weights(w=WEIGHT, own=WEIGHT))

    assert skipped == []
    assert np.array_equal(values(loaded)["w"], WEIGHT) and np.array_equal(values(loaded)["own"], WEIGHT)


def test_typed_numbers_are_replaced_and_kept(weights):
    model = model_of(onnx.helper.make_tensor("w", 1, [2], [1.0, 2.0]), onnx.helper.make_tensor("o", 1, [1], [3.0]))
    loaded, _ = import_gguf_weights(model, weights(w=np.float32([8, 9])))

    assert values(loaded)["w"].tolist() == [8, 9] and not loaded.graph.initializer[0].float_data
    assert values(loaded)["o"].tolist() == [3]


def test_the_graph_of_an_archive_is_no_weight(tmp_path):
    export_gguf(model_of(raw_tensor("w", 1, (1,), bytes(4))), tmp_path / "a.gguf")
    model = model_of(raw_tensor("model.onnx", 3, (1,), b"\1"))

    assert import_gguf_weights(model, tmp_path / "a.gguf") == (model, [])


def test_another_file_is_an_error(tmp_path):
    (tmp_path / "w.gguf").write_bytes(b"GGUF")
    with pytest.raises(ArchiveError, match="ends within its header"):
        import_gguf_weights(zeros(w=np.float32), tmp_path / "w.gguf")
