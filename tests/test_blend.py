"""One score per chunk: channels standardized, bounded, weighed and summed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tobler_pack.evidence.blend import NATURAL, SPELT_OUT, SYMBOL, Blend, combine
from tobler_pack.weighing.weights import Floats, standardize

BLENDS = [pytest.param(NATURAL, id="natural"), pytest.param(SYMBOL, id="symbol")]

Channels = Mapping[str, Floats]


def some_channels(seed: int, chunks: int = 40) -> dict[str, Floats]:
    random = np.random.default_rng(seed)
    return {name: random.exponential(size=chunks) for name in NATURAL.weights}


def some_files(chunks: int = 40, files: int = 8) -> npt.NDArray[np.int32]:
    return np.sort(np.arange(chunks, dtype=np.int32) % files)


def quiet(files: int = 8) -> Floats:
    """No file is noise."""
    return np.ones(files)


def only(name: str, weight: float = 1.0, **dials: float) -> Blend:
    """A blend of one channel."""
    silent = dict.fromkeys(NATURAL.weights, 0.0)
    return Blend(silent | {name: weight}, dials.get("coherence", 0.0), dials.get("noise", 0.0))


def alone(channels: Channels, name: str) -> Floats:
    """What one channel adds at the weight 1."""
    return combine(channels, only(name), some_files(), quiet())


@pytest.mark.parametrize("blend", BLENDS)
def test_every_channel_is_weighed(blend: Blend) -> None:
    assert set(blend.weights) == set(NATURAL.weights)
    assert SPELT_OUT in blend.weights
    assert all(weight >= 0 for weight in blend.weights.values())
    assert blend.coherence >= 0
    assert 0 <= blend.noise <= 1


@pytest.mark.parametrize("blend", BLENDS)
def test_channels_that_say_nothing_give_no_score(blend: Blend) -> None:
    flat = {name: np.full(40, 3.0) for name in blend.weights}
    assert not combine(flat, blend, some_files(), quiet()).any()


@pytest.mark.parametrize("name", sorted(NATURAL.weights))
def test_a_channel_alone_keeps_its_order(name: str) -> None:
    channels = some_channels(1)
    standing = standardize(channels[name])
    found = alone(channels, name)
    assert (np.diff(found[np.argsort(standing)]) >= 0).all()
    below = standing <= 0
    np.testing.assert_allclose(found[below], standing[below], atol=1e-12)
    assert ((found > 0) == (standing > 0)).all()
    assert (found <= standing + 1e-12).all()


@pytest.mark.parametrize("name", sorted(NATURAL.weights))
@pytest.mark.parametrize("weight", [2.0, 0.5, 0.0])
def test_the_weight_of_a_channel(name: str, weight: float) -> None:
    channels = some_channels(1)
    found = combine(channels, only(name, weight), some_files(), quiet())
    np.testing.assert_allclose(found, weight * alone(channels, name), atol=1e-12)


def test_channels_add_up() -> None:
    channels = some_channels(2)
    blend = replace(NATURAL, coherence=0.0, noise=0.0)
    expected = sum(weight * alone(channels, name) for name, weight in blend.weights.items())
    np.testing.assert_allclose(combine(channels, blend, some_files(), quiet()), expected, atol=1e-12)


def lone_hit(name: str, coherence: float = 0.0) -> float:
    """The score of the one chunk of 30,000, each in a file of its own, that a channel knows; it stands at 173 σ."""
    chunks = 30_000
    channels = {each: np.zeros(chunks) for each in NATURAL.weights}
    channels[name][777] = 1.0
    files = np.arange(chunks, dtype=np.int32)
    found = combine(channels, only(name, 1.0, coherence=coherence), files, np.ones(chunks))
    assert found.argmax() == 777
    return float(found[777])


@pytest.mark.parametrize("name", sorted(NATURAL.weights))
def test_one_chunk_of_many_does_not_silence_the_other_channels(name: str) -> None:
    assert 4 < lone_hit(name) < 30


def test_nor_does_its_file() -> None:
    assert lone_hit("lexical") < lone_hit("lexical", coherence=0.5) < 45


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 1000), st.sampled_from([NATURAL, SYMBOL]), st.floats(0.1, 100), st.floats(-50, 50))
def test_neither_scale_nor_shift_of_a_channel_counts(seed: int, blend: Blend, scale: float, shift: float) -> None:
    channels = some_channels(seed)
    moved = {name: values * scale + shift for name, values in channels.items()}
    np.testing.assert_allclose(
        combine(moved, blend, some_files(), quiet()), combine(channels, blend, some_files(), quiet()), atol=1e-9
    )


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 1000), st.sampled_from([NATURAL, SYMBOL]), st.permutations(list(NATURAL.weights)))
def test_the_order_of_the_channels_changes_no_bit(seed: int, blend: Blend, order: list[str]) -> None:
    channels = some_channels(seed)
    keep = np.linspace(0.2, 1.0, 8)
    turned = {name: channels[name] for name in order}
    first, second = (combine(each, blend, some_files(), keep) for each in (channels, turned))
    assert (first == second).all()


@pytest.mark.parametrize("blend", BLENDS)
def test_the_same_evidence_gives_the_same_score(blend: Blend) -> None:
    """Two chunks that all channels see alike, in files of the same evidence."""
    channels = {name: np.tile(values, 2) for name, values in some_channels(3, 20).items()}
    found = combine(channels, blend, some_files(40, 8), quiet())
    np.testing.assert_allclose(found[:20], found[20:], atol=1e-12)


# noise and coherence


def test_noise_lowers_what_stands_out_and_lifts_nothing() -> None:
    channels = some_channels(4)
    keep = quiet()
    keep[3] = 0.3
    files = some_files()
    blend = only("lexical", 1.0, noise=1.0)
    plain, damped = combine(channels, blend, files, quiet()), combine(channels, blend, files, keep)
    noisy = files == 3
    assert (damped[~noisy] == plain[~noisy]).all()
    above = noisy & (plain > 0)
    assert above.any()
    np.testing.assert_allclose(damped[above], 0.3 * plain[above])
    assert (damped[noisy & (plain <= 0)] == plain[noisy & (plain <= 0)]).all()


def test_noise_does_not_hide_a_name_that_is_spelt_out() -> None:
    channels = some_channels(5)
    keep = np.full(8, 0.1)
    blend = only(SPELT_OUT, 1.0, noise=1.0)
    assert (combine(channels, blend, some_files(), keep) == combine(channels, blend, some_files(), quiet())).all()


def test_the_dial_of_noise() -> None:
    channels, files, keep = some_channels(6), some_files(), np.full(8, 0.25)
    best = [combine(channels, only("lexical", 1.0, noise=dial), files, keep).max() for dial in (0.0, 0.5, 1.0)]
    assert best[1] == pytest.approx(best[0] * 0.5)
    assert best[2] == pytest.approx(best[0] * 0.25)


def test_a_chunk_gains_by_its_neighbours_in_the_file() -> None:
    """Chunks 0 and 4 say the same; chunk 0 stands in a file whose other chunks answer, too."""
    channels = {name: np.zeros(8) for name in NATURAL.weights}
    channels["lexical"] = np.array([3.0, 2.0, 2.0, 0.0, 3.0, 0.0, 0.0, 0.0])
    files = np.array([0, 0, 0, 0, 1, 1, 1, 1], dtype=np.int32)
    apart = combine(channels, only("lexical"), files, np.ones(2))
    together = combine(channels, only("lexical", 1.0, coherence=0.5), files, np.ones(2))
    assert apart[0] == apart[4]
    assert together[0] > together[4]


# edges


@pytest.mark.parametrize("blend", BLENDS)
def test_an_empty_tree(blend: Blend) -> None:
    nothing = {name: np.zeros(0) for name in blend.weights}
    assert combine(nothing, blend, np.zeros(0, dtype=np.int32), np.zeros(0)).shape == (0,)


@pytest.mark.parametrize("blend", BLENDS)
def test_nothing_is_written_to(blend: Blend) -> None:
    channels, keep, files = some_channels(7), np.full(8, 0.5), some_files()
    for values in (*channels.values(), keep, files):
        values.setflags(write=False)
    combine(channels, blend, files, keep)
