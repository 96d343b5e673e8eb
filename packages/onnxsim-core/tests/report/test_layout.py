import random

import pytest

from onnxsim_core.report.layout import GAP_X, arrange, layers, ordered_rows, spread


def random_graph(seed, count):
    rng = random.Random(seed)
    edges = [(rng.randrange(to), to) for to in range(1, count) for _ in range(rng.choice((1, 1, 2)))]
    return [(rng.uniform(40, 200), rng.uniform(20, 60)) for _ in range(count)], list(dict.fromkeys(edges))


@pytest.mark.parametrize("seed", range(4))
def test_no_two_boxes_overlap_and_edges_go_down(seed):
    sizes, edges = random_graph(seed, 60)
    made = arrange(sizes, edges)

    for one in range(60):
        assert 0 <= made.x[one] - sizes[one][0] / 2 + 1e-6 and made.x[one] + sizes[one][0] / 2 <= made.width + 1e-6
        assert 0 <= made.y[one] - sizes[one][1] / 2 + 1e-6 and made.y[one] + sizes[one][1] / 2 <= made.height + 1e-6
        for other in range(one):
            apart_x = abs(made.x[one] - made.x[other]) >= (sizes[one][0] + sizes[other][0]) / 2 - 1e-6
            apart_y = abs(made.y[one] - made.y[other]) >= (sizes[one][1] + sizes[other][1]) / 2 - 1e-6
            assert apart_x or apart_y, (one, other)
    for (start, to), route in zip(edges, made.routes, strict=True):
        assert route[0] == (made.x[start], made.y[start] + sizes[start][1] / 2)
        assert route[-1] == (made.x[to], made.y[to] - sizes[to][1] / 2)
        assert all(before[1] < after[1] for before, after in zip(route, route[1:], strict=False))


def test_layers_follow_the_longest_way_and_sources_stand_near_their_readers():
    assert layers(4, [(0, 1), (1, 2), (0, 2)]) == [0, 1, 2, 0]
    assert layers(4, [(0, 1), (1, 2), (3, 2)]) == [0, 1, 2, 1]


def test_a_chain_is_straight():
    made = arrange([(50, 20)] * 4, [(0, 1), (1, 2), (2, 3)])

    assert len(set(made.x)) == 1 and made.y == sorted(made.y)


def test_crossings_are_removed():
    """Two chains whose second boxes are listed the wrong way round."""
    rows = ordered_rows([0, 0, 1, 1], [(0, 3), (1, 2)])

    assert rows == [[0, 1], [3, 2]]


def test_spread_keeps_wishes_that_do_not_overlap():
    assert spread([0.0, 200.0], [50, 50]) == [0.0, 200.0]


def test_spread_moves_boxes_apart_by_the_same_amount():
    assert spread([10.0, 10.0], [50, 50]) == pytest.approx([10 - (50 + GAP_X) / 2, 10 + (50 + GAP_X) / 2])


@pytest.mark.parametrize("seed", range(3))
def test_spread_is_nearest_to_the_wishes(seed):
    """Against many random placements that respect the gaps."""
    rng = random.Random(seed)
    wishes, widths = [rng.uniform(0, 100) for _ in range(5)], [rng.uniform(10, 40) for _ in range(5)]
    found = spread(wishes, widths)

    def cost(places):
        return sum((place - wish) ** 2 for place, wish in zip(places, wishes, strict=True))

    for left, right, first, second in zip(found, found[1:], widths, widths[1:], strict=False):
        assert right - left >= (first + second) / 2 + GAP_X - 1e-6
    for _ in range(2000):
        places = [found[0] + rng.gauss(0, 10)]
        for index in range(1, 5):
            least = places[-1] + (widths[index - 1] + widths[index]) / 2 + GAP_X
            places.append(max(least, found[index] + rng.gauss(0, 10)))
        assert cost(found) <= cost(places) + 1e-6


def test_very_long_edges_go_straight_when_there_are_too_many():
    count = 300
    edges = [(index, index + 1) for index in range(count - 1)] + [(index, count - 1) for index in range(count - 2)]
    made = arrange([(50, 20)] * count, edges)

    assert all(len(route) == 2 for route in made.routes)


def test_nothing_to_lay_out():
    made = arrange([], [])

    assert (made.width, made.height, made.x) == (0.0, 0.0, [])
