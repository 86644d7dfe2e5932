"""Random streams: keyed, positional, independent of chunking."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from microveil.core import BadInput, Key, Streams


def test_a_fresh_key_has_256_bits_and_never_repeats():
    keys = {Key.fresh().secret for _ in range(50)}
    assert len(keys) == 50
    assert all(len(secret) == 32 for secret in keys)


def test_a_seed_gives_its_key_again_and_other_seeds_other_keys():
    seeds = [0, 1, -1, 2, 3, "1", b"1", 2**200, "secret"]
    keys = [Key.of(seed).secret for seed in seeds]
    assert len(set(keys)) == len(seeds)
    assert [Key.of(seed).secret for seed in seeds] == keys


def test_the_hexadecimal_form_of_a_key_gives_that_key():
    key = Key.fresh()
    assert Key.of(key.hex) == key


def test_only_fresh_keys_and_random_hexadecimal_digits_are_strong():
    fresh = Key.of(None)
    assert fresh.strong
    assert Key.of(fresh.hex).strong
    assert Key.of(fresh.hex) == fresh


@pytest.mark.parametrize(
    "seed",
    [
        42,
        "secret",
        1 << 130,
        2**113,
        "a" * 17,
        "password12345678",
        b"x" * 64,
        "0" * 64,
        "0123456789abcdef" * 4,
        "0" * 55 + "123456789",
        "0123456789abcdef" * 2 + "fedcba9876543210" * 2,
        "20240101" * 7 + "abcdef99",
        bytes(range(32)).hex(),
    ],
)
def test_length_is_not_entropy(seed):
    assert not Key.of(seed).strong


@pytest.mark.parametrize(("different", "strong"), [(20, False), (21, True), (32, True)])
def test_of_drawn_bytes_hardly_any_occurs_twice(different, strong):
    drawn = np.random.default_rng(5).permutation(256)[:different].tolist()
    assert Key.of(bytes((drawn * 2)[:32]).hex()).strong is strong


@pytest.mark.parametrize(("steps", "strong"), [((3,), False), ((3, 5), False), ((3, 5, 7), True)])
def test_of_drawn_bytes_none_follows_from_the_last(steps, strong):
    found, place = [], 200
    for number in range(32):
        found.append(place % 256)
        place += steps[number % len(steps)]
    assert Key.of(bytes(found).hex()).strong is strong


def test_numbers_of_one_key_are_those_of_another_machine():
    """Fixed once and for all: a release of a key is found again by any version."""
    streams, words = Streams(Key.of(7)).at("noise", 3), [12106794020965877398, 15410210182249259242]
    assert streams.words(2, 4)[:, 0].tolist() == words
    assert (streams.uniforms(2, 4)[:, 0] == (np.array(words, dtype=object) // 2**12 + 0.5) / 2**52).all()
    seeds = {
        0: "6c6900e9",
        1: "493d2a5a",
        -1: "27bf27c2",
        255: "7f74dc9e",
        256: "abc8c281",
        -256: "a10bc5c0",
        "1": "fcdaec3c",
        b"1": "f1b53b11",
    }
    assert {seed: Key.of(seed).hex[:8] for seed in seeds} == seeds


def test_one_number_for_each_record_unless_more_are_asked_for():
    streams = Streams(Key.of(1))
    for draw in (streams.words, streams.uniforms, streams.normals):
        assert draw(3, 7).shape == (4, 1)
        assert draw(3, 7, 2).shape == (4, 2)


def test_a_key_is_its_own_seed():
    key = Key.of(5)
    assert Key.of(key) is key


def test_a_key_does_not_show_itself():
    assert str(Key.of(12345).secret) not in repr(Key.of(12345))
    key = Key.of(12345)
    assert key.hex not in repr(key)
    assert key.hex not in repr(Streams(key))


@pytest.mark.parametrize("wrong", [1.5, True, [1], object()])
def test_other_seeds_are_refused(wrong):
    with pytest.raises(BadInput, match="give a whole number, text, bytes or None"):
        Key.of(wrong)


@given(st.integers(0, 50), st.integers(0, 50), st.integers(1, 5))
def test_any_chunk_is_a_part_of_the_whole(start, length, width):
    streams = Streams(Key.of(7)).at("noise", "income")
    whole = streams.normals(0, start + length, width)
    assert np.array_equal(streams.normals(start, start + length, width), whole[start:])


def test_paths_do_not_meet():
    root = Streams(Key.of(1))
    paths = [("ab", "c"), ("a", "bc"), ("abc",), ("a", "b", "c"), (1,), ("1",), (11,), (1, 1)]
    drawn = [root.at(*path).uniforms(0, 1)[0, 0] for path in paths]
    assert len(set(drawn)) == len(paths)


def test_uniforms_stay_inside_and_are_uniform():
    u = Streams(Key.of(3)).uniforms(0, 200_000)[:, 0]
    assert 0 < u.min() < u.max() < 1
    counts = np.histogram(u, bins=20, range=(0, 1))[0]
    # chi-square with 19 degrees of freedom: 43.8 is its 99.9 % point
    assert ((counts - 10_000) ** 2 / 10_000).sum() < 43.8


def test_normals_have_the_right_moments_and_are_uncorrelated_across_columns():
    z = Streams(Key.of(4)).normals(0, 100_000, 3)
    assert np.abs(z.mean(axis=0)).max() < 4 / np.sqrt(1e5)
    assert np.abs(z.var(axis=0) - 1).max() < 4 * np.sqrt(2 / 1e5)
    assert np.abs(np.corrcoef(z, rowvar=False) - np.eye(3)).max() < 4 / np.sqrt(1e5)


def test_generators_of_one_path_repeat_and_of_two_paths_differ():
    root = Streams(Key.of(5))
    first = root.at("a").generator().permutation(100)
    assert np.array_equal(first, root.at("a").generator().permutation(100))
    assert not np.array_equal(first, root.at("b").generator().permutation(100))


def test_a_run_of_records_draws_what_it_draws_in_the_file():
    streams = Streams(Key.of(6)).at("noise")
    run = streams.of_rows(np.arange(5, 12))
    assert run.positions is None  # drawn in order, which is many times faster
    assert np.array_equal(run.words(0, 7, 2), streams.words(5, 12, 2))
    assert np.array_equal(run.at("x").words(2, 4), streams.at("x").words(7, 9))
    assert run.places(7).tolist() == list(range(5, 12))
    again = run.of_rows(np.array([0, 3]))
    assert np.array_equal(again.words(0, 2), streams.words(0, 12)[[5, 8]])
    assert np.array_equal(again.of_rows(np.array([1])).words(0, 1), streams.words(8, 9))
