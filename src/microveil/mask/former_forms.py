"""Old forms of masks: `algorithm` of k-anonymise and the models among its settings, microaggregation of categories."""

from __future__ import annotations

from microveil.core.former import Former, Said

_MODEL = (
    Said("model.anonymity.k", "k"),
    Said("model.anonymity.sensitive", "sensitive"),
    Said("model.anonymity.l", "l"),
    Said("model.anonymity.diversity", "diversity", needs={"l": ()}),
    Said("model.anonymity.c", "c", needs={"l": (), "diversity": ("recursive",)}),
    Said("model.anonymity.t", "t"),
    Said("model.anonymity.distance", "distance", needs={"t": ()}),
    Said("model.anonymity.population", "k_map"),
)
_MARKS = frozenset(
    (
        "algorithm",
        "sensitive",
        "l",
        "diversity",
        "c",
        "t",
        "distance",
        "k_map",
        "max_dropped",
        "loss",
        "strict",
        "output",
    )
)
_NOTHING_DROPPED = {"max_dropped": (0,)}
_RELAXED = {"strict": (False,)}

_K_ANONYMISE = (
    Former(
        "k-anonymise",
        "k-anonymise",
        (
            *_MODEL,
            Said("partition.mondrian.k", value=2, needs=_RELAXED),
            Said("partition.mondrian.variant", value="published", needs=_RELAXED),
            Said("partition.mondrian.strict", "strict", needs=_RELAXED),
            Said("release", "output"),
        ),
        when={"algorithm": ("mondrian",), **_NOTHING_DROPPED},
        marks=_MARKS,
        silent=frozenset({"loss"}),
    ),
    Former(
        "k-anonymise",
        "lattice",
        (*_MODEL, Said("max_dropped", "max_dropped"), Said("loss", "loss")),
        when={"algorithm": ("lattice",), "output": (None, "range")},
        marks=_MARKS,
        silent=frozenset({"strict"}),
    ),
    Former(
        "k-anonymise",
        "k-anonymise",
        (*_MODEL, Said("partition.mdav.k", value=2), Said("release", "output", "average")),
        when={"algorithm": ("microaggregation",), **_NOTHING_DROPPED},
        marks=_MARKS,
        silent=frozenset({"loss", "strict"}),
    ),
)

_BLOCKS = "with blocks acted on the keys; write microaggregation with these blocks and name the keys in columns"


def _of_categories(partition: str, when: dict[str, tuple[str | None, ...]]) -> tuple[Former, Former]:
    """Keys grouped all at once are k-anonymised by averages; so many columns at a time have no form of their own."""
    rounds = (Said("partition.k-modes.rounds", "rounds"),) if partition == "k-modes" else ()
    distance = (Said(f"partition.{partition}.weights", "weights"), *rounds)
    group = Said(f"partition.{partition}.k", "k", 3)
    name, silent = "categorical-microaggregation", frozenset({"rounds"})
    at_once = (Said("k", "k"), Said(f"partition.{partition}.k", value=2), *distance, Said("release", value="average"))
    return (
        Former(name, "k-anonymise", at_once, when={**when, "blocks": (None,)}, silent=silent),
        # microaggregation acts on confidential columns where none are named: keys would be left as they are
        Former(name, "", (group, *distance, Said("blocks", "blocks")), when=when, silent=silent, refused=_BLOCKS),
    )


FORMER_FORMS = (
    *_K_ANONYMISE,
    *_of_categories("mdav", {"algorithm": ("mdav",)}),
    *_of_categories("k-modes", {"algorithm": ("k-modes",)}),
)
