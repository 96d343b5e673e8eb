import json

import onnx

import onnxsim
from onnxsim.model_memory import annotate_memory_plan, plan_activation_memory, print_memory_plan
from onnxsim_testkit import model

CHAIN = model("g (float[256] x) => (float[256] y) { a = Relu(x) b = Relu(a) y = Relu(b) }")


def test_what_is_free_is_used_again():
    plan = plan_activation_memory(CHAIN)

    assert (plan.arena_bytes, plan.naive_bytes) == (2 * 1024, 4 * 1024)
    assert plan.tensor_offsets.keys() == {"x", "a", "b", "y"}
    assert onnxsim.plan_activation_memory is plan_activation_memory


def test_without_inference_only_stated_types_count():
    assert plan_activation_memory(CHAIN, run_shape_inference=False).unplanned == ["a", "b"]


def test_it_is_printed(capsys):
    print_memory_plan(plan_activation_memory(CHAIN))
    lines = capsys.readouterr().out.splitlines()

    assert lines[0] == "arena: 2.0KiB, without reuse: 4.0KiB"
    assert [line.split()[-1] for line in lines[1:]] == ["x", "b", "a", "y"] and len(lines) == 5


def test_it_is_written_to_a_copy_and_replaced_there():
    before = CHAIN.SerializeToString()
    once = annotate_memory_plan(CHAIN)
    twice = annotate_memory_plan(once)
    found = {entry.key: entry.value for entry in twice.metadata_props}

    assert CHAIN.SerializeToString() == before
    assert found["onnxsim.memory.arena_bytes"] == "2048" and len(found) == 3
    assert json.loads(found["onnxsim.memory.tensor_offsets"])["x"] == [0, 1024]
    onnx.checker.check_model(once)
