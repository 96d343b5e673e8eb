from onnxsim_core.cli.main import build_parser


def parsed(*words):
    return build_parser().parse(["a", "b", *words])


def test_bodies_are_simplified_unless_told_otherwise():
    assert parsed().include_subgraph and parsed("--include-subgraph").include_subgraph
    assert not parsed("--no-include-subgraph").include_subgraph


def test_output_names_may_be_numbers():
    args = parsed("--unused-output", "123", "/out/0")

    assert (args.unused_output, args.paths) == (["123", "/out/0"], ["a", "b"])


def test_many_inputs_go_into_a_folder():
    args = parsed("c", "-o", "out", "-j4")

    assert (args.paths, args.output_dir, args.jobs) == (["a", "b", "c"], "out", 4)
