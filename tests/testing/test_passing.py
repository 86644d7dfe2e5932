"""What the suite counts as unchanged."""

from __future__ import annotations

import microveil as mv
from microveil.testing.passing import _cells, check_every_column_changed, check_unchanged_told
from microveil.testing.runs import seen_in_domains, seen_on_sample


def test_an_amount_that_is_released_as_its_own_text_is_unchanged():
    release = seen_on_sample(mv.mask.KAnonymise()).release
    texts = release.narwhal.get_column("age").to_list()
    own = release.original.narwhal.get_column("age").to_list()
    same = sum(text == str(age) for text, age in zip(texts, own, strict=True))
    assert same > 0
    assert _cells(release, "age", range(len(release))).same == same


def test_the_release_counts_amounts_that_it_releases_as_text():
    release = seen_on_sample(mv.mask.KAnonymise()).release
    assert release.unchanged["age"] == _cells(release, "age", range(len(release))).share


def test_few_categories_may_come_back_in_a_subdomain_if_that_is_told():
    method = mv.mask.RankSwap(p=2.0)
    check_every_column_changed(method)
    check_unchanged_told(method)
    assert any("'place'" in note and "subdomain" in note for note in seen_in_domains(method).release.notes)
