"""Steps of generated projects: every method with parameters drawn, on columns that suit it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any

Step = dict[str, Any]


@dataclass(frozen=True)
class Columns:
    """The columns of a project by what they hold."""

    amounts: list[str]
    whole: list[str]
    ordered: list[str]
    nominal: list[str]
    with_hierarchy: list[str]
    keys: list[str]
    rules: list[str]
    household: bool
    weight: bool

    @property
    def categories(self) -> list[str]:
        """Ordinal and nominal columns."""
        return [*self.ordered, *self.nominal]

    @property
    def numbers(self) -> list[str]:
        """Continuous columns."""
        return [*self.amounts, *self.whole]

    @property
    def all(self) -> list[str]:
        """Every column that a method may change."""
        return [*self.numbers, *self.categories]


def some(draw: Random, names: list[str], least: int = 1, most: int = 4) -> list[str]:
    """Draw some of these columns, in their order."""
    count = min(len(names), draw.randint(least, max(least, most)))
    taken = set(draw.sample(names, count))
    return [name for name in names if name in taken]


def spec(name: str, **settings: Any) -> Any:
    """Return a member as it stands in a project file."""
    return {name: settings} if settings else name


# -- partitions and models -------------------------------------------------------------------------


def _scale(draw: Random) -> dict[str, Any]:
    chosen = draw.choice(["", "", "zscore", "range", "robust"])
    return {"standardise": chosen} if chosen else {}


PARTITIONS: dict[str, Callable[[Random, int], Any]] = {
    "mdav": lambda draw, k: spec("mdav", k=k, **_scale(draw)),
    "vmdav": lambda draw, k: spec("vmdav", k=k, gamma=draw.choice([0.0, 0.2, 1.1]), split=draw.random() < 0.4),
    "mhm": lambda draw, k: spec("mhm", k=k, path=draw.choice(["mdav", "npn", "md", "cbfs"])),
    "mst": lambda draw, k: spec("mst", k=k, refinement=draw.choice(["diameter", "centroid", "none"])),
    "mu-approx": lambda draw, k: spec("mu-approx", k=k, **_scale(draw)),
    "optimal-univariate": lambda draw, k: spec(
        "optimal-univariate", k=k, column=0, **({"keep_ties": True} if draw.random() < 0.4 else {})
    ),
    "projection": lambda draw, k: spec(
        "projection", k=k, score=draw.choice(["pc1", "zsum", 0]), grouping=draw.choice(["consecutive", "optimal"])
    ),
    "condensation": lambda draw, k: spec("condensation", k=k, **_scale(draw)),
    "mondrian": lambda draw, k: spec(
        "mondrian", k=k, strict=draw.random() < 0.5, split=draw.choice(["range", "entropy"])
    ),
    "mixture": lambda draw, k: spec(
        "mixture", k=max(k, 15), max_groups=4, start=draw.choice(["hierarchical", "kmeans"])
    ),
    "refined": lambda draw, k: spec("refined", base={"mdav": {"k": k}}, sweeps=draw.choice([0, 3])),
    "best": lambda draw, k: spec("best", k=k, seconds=None, sweeps=4),
    "blocked": lambda draw, k: spec("blocked", base={"mdav": {"k": k}}, size=draw.choice([40, 20000])),
    "consensus": lambda draw, k: spec("consensus", k=k, partitions=[{"mdav": {"k": k}}, {"projection": {"k": k}}]),
    "k-modes": lambda draw, k: spec("k-modes", k=k, rounds=draw.choice([5, 20])),
}


def partition(draw: Random, k: int | None = None) -> Any:
    """Draw a partition."""
    name = draw.choice(sorted(PARTITIONS))
    return PARTITIONS[name](draw, k or draw.choice([3, 4, 5, 8]))


def model(draw: Random, columns: Columns, keys: list[str], of_classes: bool) -> Any:
    """Draw an anonymity model about these keys; `of_classes`: one that is judged class by class."""
    sensitive = [name for name in columns.categories if name not in keys]
    k = draw.choice([2, 3, 4])
    population = {"k": 2, "population": 40, **({} if columns.weight else {"population_size": 5000})}
    plain: list[dict[str, Any]] = [{"k": k}, {"k": k, "highest_risk": 0.25}, population]
    if not of_classes:
        plain += [{"k": 2, "average_risk": 0.2}, {"k": 2, "share_at_risk": 0.1, "at_risk": 0.34}]
        plain += [{"k": 1, "uniqueness": 0.05}]
    if len(keys) > 1 and not of_classes:
        plain.append({"k": k, "key_sets": [keys[:-1], keys[1:]]})
    if not sensitive:
        return spec("anonymity", **draw.choice(plain))
    told = {"k": k, "sensitive": [draw.choice(sensitive)]}
    deep: list[dict[str, Any]] = [
        {**told, "l": 2},
        {**told, "l": 2, "diversity": "entropy"},
        {**told, "l": 2, "diversity": "recursive", "c": 3},
        {
            **told,
            "t": 0.5,
            "distance": draw.choice(["equal", None]),
            "t_against": draw.choice(["both", "file", "release"]),
        },
        {**told, "beta": 3},
    ]
    return spec("anonymity", **draw.choice([*plain, *deep]))


# -- methods: each gives a step, or None where the columns do not suit ----------------------------------


def _on(method: Any, columns: list[str], **more: Any) -> Step:
    return {"method": method, "columns": columns, **more}


def _given(draw: Random, columns: Columns, replaced: list[str], most: int = 2) -> dict[str, Any]:
    rest = [name for name in columns.all if name not in replaced]
    chosen = draw.random()
    if chosen < 0.3 or not rest:
        return {"given": []}
    return {} if chosen < 0.45 else {"given": some(draw, rest, 1, most)}


def _given_numbers(draw: Random, columns: Columns, replaced: list[str]) -> dict[str, Any]:
    rest = [name for name in columns.numbers if name not in replaced]
    return {"given": some(draw, rest, 1, 2)} if rest and draw.random() < 0.6 else {"given": []}


def _simple_noise(name: str) -> Callable[[Random, Columns], Step]:
    return lambda draw, columns: _on(spec(name, p=draw.choice([0.1, 0.25, 0.5])), some(draw, columns.numbers))


def _uncorrelated(draw: Random, columns: Columns) -> Step:
    shape = draw.choice(["normal", "uniform", "laplace", "two-point"])
    more = draw.choice([{}, {"exact": True}, {"zero_stay": True}]) if shape == "normal" else {}
    return _on(
        spec("uncorrelated-noise", p=draw.choice([0.1, 0.3]), distribution=shape, **more), some(draw, columns.numbers)
    )


def _correlated(draw: Random, columns: Columns) -> Step:
    return _on(spec("correlated-noise", p=0.3, exact=draw.random() < 0.5), some(draw, columns.numbers))


def _multiplicative(draw: Random, columns: Columns) -> Step:
    kind = draw.choice(["plain", "hoehne", "balanced", "log"])
    return _on(spec("multiplicative-noise", p=draw.choice([0.05, 0.2]), kind=kind), some(draw, columns.amounts))


def _sullivan(draw: Random, columns: Columns) -> Step:
    names = some(draw, [*columns.numbers, *columns.ordered], 2)
    return _on(spec("sullivan-noise", p=0.3, marginal=draw.choice(["smooth", "exact"])), names)


def _orthogonal(draw: Random, columns: Columns) -> Step:
    names = some(draw, columns.numbers, 2)
    settings = {"distance": draw.choice([0.5, 1.0]), "decomposition": draw.choice(["svd", "qr"])}
    return _on(spec("random-orthogonal", **settings), names, **_given_numbers(draw, columns, names))


def _gadp(draw: Random, columns: Columns) -> Step:
    names = some(draw, columns.numbers, 1, 2)
    return _on(spec("gadp", exact=draw.random() < 0.5), names, **_given_numbers(draw, columns, names))


def _shuffle(draw: Random, columns: Columns) -> Step:
    names = some(draw, [*columns.numbers, *columns.ordered], 1, 3)
    return _on("data-shuffle", names, **_given(draw, columns, names))


def _microaggregation(draw: Random, columns: Columns) -> Step:
    names = some(draw, columns.all if draw.random() < 0.3 else columns.numbers)
    more: dict[str, Any] = {"operator": draw.choice(["mean", "mean", "median", "trimmed", "weighted"])}
    if draw.random() < 0.3:
        more["blocks"] = draw.choice([1, 2])
        if set(names) <= set(columns.numbers):
            more["order"] = draw.choice(["given", "correlation"])
    return _on(spec("microaggregation", partition=partition(draw), **more), names)


def _ranking(draw: Random, columns: Columns) -> Step:
    grouping = draw.choice(["consecutive", "optimal"])
    return _on(spec("individual-ranking", k=draw.choice([3, 5, 10]), grouping=grouping), some(draw, columns.numbers))


def _rank_swap(draw: Random, columns: Columns) -> Step:
    settings = {"p": draw.choice([5, 10, 20]), "pairing": draw.choice(["argus", "uniform"])}
    return _on(spec("rank-swap", **settings), some(draw, columns.all))


def _data_swap(draw: Random, columns: Columns) -> Step:
    names = some(draw, columns.categories, 1, 2)
    rest = [name for name in columns.categories if name not in names]
    more: dict[str, Any] = {"match": some(draw, rest, 1, 1)} if rest and draw.random() < 0.5 else {}
    if draw.random() < 0.3:
        more |= {"order": 2, "tolerance": draw.choice([0, 8])}
    return _on(spec("data-swap", rate=draw.choice([0.1, 0.3]), **more), names)


def _record_swap(draw: Random, columns: Columns) -> Step:
    names = some(draw, columns.categories, 1, 1)
    rest = [name for name in columns.categories if name not in names]
    more: dict[str, Any] = {"risk": some(draw, rest, 1, 2)} if rest else {}
    return _on(spec("record-swap", k=3, rate=draw.choice([0.1, 0.3]), households=draw.random() < 0.7, **more), names)


def _pram(name: str) -> Callable[[Random, Columns], Step]:
    def step(draw: Random, columns: Columns) -> Step:
        names = some(draw, columns.categories, 1, 2)
        settings: dict[str, Any] = {
            "stay": draw.choice([0.6, 0.8]),
            "pattern": draw.choice(["uniform", "frequency", "band"]),
        }
        if draw.random() < 0.25:
            settings["joint"] = True
        elif name == "invariant-pram" and draw.random() < 0.3:
            settings["controlled"] = True
        return _on(spec(name, **settings), names)

    return step


def _massc(draw: Random, columns: Columns) -> Step:
    names = some(draw, columns.categories, 1, 3)
    more: dict[str, Any] = {"calibrate": names[:1]} if columns.weight and draw.random() < 0.6 else {}
    if draw.random() < 0.3:
        more["target"] = 0.3
    return _on(spec("massc", curve=draw.choice(["raking", "linear"]), **more), names)


def _sample(draw: Random, columns: Columns) -> Step:
    settings: dict[str, Any] = {"design": draw.choice(["simple", "systematic", "risk"])}
    settings |= {"size": 40} if draw.random() < 0.3 else {"fraction": draw.choice([0.4, 0.7])}
    if columns.household and draw.random() < 0.5:
        settings["households"] = True
    return {"method": spec("sample", **settings)}


def _recode(draw: Random, columns: Columns) -> Step:
    if columns.with_hierarchy and draw.random() < 0.6:
        return _on(spec("global-recode", level=draw.choice([1, 1, 2])), some(draw, columns.with_hierarchy, 1, 2))
    if "age" in columns.whole and draw.random() < 0.5:
        rule = (
            {"rules": {"age": ["young: 0-34", "old: 35-120"]}}
            if draw.random() < 0.5
            else {"cuts": {"age": [30, 50, 65]}}
        )
        return _on(spec("global-recode", **rule), ["age"])
    settings = {"bins": draw.choice([4, 8]), "cut_by": draw.choice(["quantile", "width", "optimal"])}
    representative = draw.choice(["interval", "mean"])
    return _on(spec("global-recode", **settings, representative=representative), some(draw, columns.numbers, 1, 2))


def _top_bottom(draw: Random, columns: Columns) -> Step:
    settings: dict[str, Any] = draw.choice([{"share": 0.05}, {"share": 0.1}, {"count": 5}])
    settings = {**settings, "tails": draw.choice(["top", "bottom", "both"])}
    replacement = draw.choice(["threshold", "mean", "median"])
    return _on(spec("top-bottom-code", **settings, replacement=replacement), some(draw, columns.amounts))


def _suppression(draw: Random, columns: Columns) -> Step:
    names = some(draw, columns.categories, 2, 3)
    settings: dict[str, Any] = {"missing": draw.choice(["own", "wildcard"])}
    chosen = draw.random()
    if chosen < 0.2 and len(names) > 1:
        settings |= {"key_sets": [names[:1], names]}
    elif chosen < 0.4 and len(names) > 1:
        settings |= {"subsets": [[1, 4], [2, 2]]}
    else:
        settings |= {"k": draw.choice([2, 3])}
    if draw.random() < 0.3:
        settings["importance"] = names[::-1]
    elif draw.random() < 0.3:
        settings["cost"] = {names[0]: 3}
    return _on(spec("local-suppression", **settings), names)


def _keys(draw: Random, columns: Columns, wanted: list[str]) -> list[str]:
    return some(draw, wanted or columns.categories, 1, 3)


def _anonymise(draw: Random, columns: Columns) -> Step:
    names = _keys(draw, columns, columns.keys)
    more = draw.choice([{}, {"partition": "mondrian"}, {"partition": partition(draw, 3)}, {"release": "average"}])
    return _on(spec("k-anonymise", model=model(draw, columns, names, True), **more), names, given=[])


def _lattice(draw: Random, columns: Columns) -> Step:
    names = _keys(draw, columns, list(dict.fromkeys([*columns.with_hierarchy, *columns.nominal])))
    losses = [
        "ncp",
        "geometric",
        "entropy",
        "non-uniform-entropy",
        "precision",
        "height",
        "discernibility",
        "class-size",
    ]
    settings: dict[str, Any] = {"loss": draw.choice(losses)}
    found = model(draw, columns, names, False)
    if draw.random() < 0.7:
        of_file = {"average_risk", "share_at_risk", "uniqueness"} & set(found["anonymity"])
        ways = ["remove", "star", *([] if of_file else ["recode"])]
        settings |= {"max_dropped": draw.choice([0.05, 0.2]), "dropped": draw.choice(ways)}
    if draw.random() < 0.2:
        settings["weights"] = {names[0]: 2}
    return _on(spec("lattice", model=found, **settings), names, given=[])


def _in_groups(draw: Random, columns: Columns) -> Step:
    mechanism = draw.choice(["records", "columns"])
    return _on(spec("swap-in-groups", partition=partition(draw), mechanism=mechanism), some(draw, columns.all, 2))


def _round(draw: Random, columns: Columns) -> Step:
    mode = draw.choice(["nearest", "random", "controlled"])
    return _on(spec("round", base=draw.choice([5, 10, 100]), mode=mode), some(draw, columns.amounts))


def _points(draw: Random, columns: Columns) -> Step:
    return _on(spec("round-to-points", points=[0, 500, 1000, 2000, 4000]), some(draw, columns.amounts, 1, 2))


def _repair(draw: Random, columns: Columns) -> Step:
    if "total" in columns.amounts:
        sums = {"sums": {"total": ["goods", "services"]}, "adjust": draw.choice(["total", "parts"])}
        return _on(spec("repair", **sums), ["goods", "services", "total"])
    return _on(spec("repair", low=100, high=draw.choice([1500, 3000])), some(draw, columns.amounts, 1, 2))


def _matrix(draw: Random, columns: Columns) -> Step:
    names = some(draw, columns.amounts, 1, 2)
    size = len(names)
    factors = [[1.1 if row == place else 0.1 * (row < place) for place in range(size)] for row in range(size)]
    settings: dict[str, Any] = {"C": [[draw.choice([10, -25])]]} if draw.random() < 0.5 else {"B": factors}
    return _on(spec("matrix-mask", **settings), names)


def _rescale(draw: Random, columns: Columns) -> Step:
    mask = draw.choice([{"microaggregation": {"partition": {"mdav": {"k": 4}}}}, {"rank-swap": {"p": 15}}, "resample"])
    return _on(
        spec("rescale", mask=mask, level=draw.choice(["variance", "covariance"])), some(draw, columns.amounts, 2)
    )


def _pseudonymise(draw: Random, columns: Columns) -> Step:
    return _on(spec("pseudonymise", prefix=draw.choice(["", "P"]), digits=6), some(draw, columns.nominal, 1, 1))


def _records(draw: Random) -> dict[str, Any]:
    return {"records": draw.choice([50, 150])} if draw.random() < 0.25 else {}


def _cart(draw: Random, columns: Columns) -> Step:
    names = some(draw, columns.all, 1, 4)
    settings: dict[str, Any] = {"min_leaf": draw.choice([3, 5, 10]), "smooth": draw.random() < 0.5}
    settings["donors"] = draw.choice(["bayesian bootstrap", "bootstrap"])
    if "income" in names and draw.random() < 0.5:
        settings["bounds"] = {"income": [0, None]}
    if len(names) > 1 and draw.random() < 0.4:
        settings["visit"] = names[::-1]
    return _on(spec("cart", **settings), names, **_given(draw, columns, names, 3))


def _regression(draw: Random, columns: Columns) -> Step:
    names = some(draw, columns.all, 1, 3)
    settings: dict[str, Any] = {"scale": draw.choice(["ranks", "values"]), "proper": draw.random() < 0.5}
    settings["powers"] = draw.choice([1, 2])
    if "visits" in names and draw.random() < 0.7:
        settings["models"] = {"visits": "count"}
    return _on(spec("sequential-regression", **settings), names, **_given(draw, columns, names, 2))


def _imputation(draw: Random, columns: Columns) -> Step:
    names = some(draw, columns.all, 1, 3)
    inner = draw.choice([{}, {"model": "cart"}, {"model": {"sequential-regression": {"powers": 1}}}])
    return _on(spec("multiple-imputation", **inner), names, **_given(draw, columns, names, 2))


def _whole_file(
    name: str, settings: Callable[[Random], dict[str, Any]], kinds: str
) -> Callable[[Random, Columns], Step]:
    def step(draw: Random, columns: Columns) -> Step:
        names = {"all": columns.all, "numbers": columns.numbers, "ordered": [*columns.numbers, *columns.ordered]}[kinds]
        if draw.random() < 0.5:
            names = some(draw, names, 2)
        return _on(spec(name, **settings(draw)), names)

    return step


def _ipso(draw: Random, columns: Columns) -> Step:
    names = some(draw, columns.numbers, 1, 3)
    settings: dict[str, Any] = {"variant": draw.choice(["A0", "A", "B", "C", "C"])}
    return _on(spec("ipso", **settings), names, **_given(draw, columns, names))


def _model_based(draw: Random, columns: Columns) -> Step:
    names = some(draw, columns.numbers, 1, 2)
    return _on(
        spec("model-based", model=draw.choice(["linear", "tree"]), residual=draw.choice([0.0, 0.5])),
        names,
        **_given(draw, columns, names),
    )


def _rotation(draw: Random, columns: Columns) -> Step:
    names = some(draw, columns.amounts, 2, 3)
    return _on(
        spec("feasible-rotation", sweeps=draw.choice([3, 10]), zeros=draw.choice(["keep", "move"])),
        names,
        **_given_numbers(draw, columns, names),
    )


def _cholesky_hybrid(draw: Random, columns: Columns) -> Step:
    mask = draw.choice([{"rank-swap": {"p": 10}}, {"uncorrelated-noise": {"p": 0.3}}, "microaggregation"])
    cores = ["minimal", "polar", "paper", *(["feasible"] if columns.rules else [])]
    return _on(spec("cholesky-hybrid", mask=mask, core=draw.choice(cores)), some(draw, columns.numbers, 2))


def _combine(draw: Random, columns: Columns) -> Step:
    settings: dict[str, Any] = {
        "alpha": draw.choice([0.3, 0.5]),
        "pairing": draw.choice(["nearest", "greedy", "assignment"]),
    }
    return _on(spec("combine", **settings, restore=draw.random() < 0.5), some(draw, columns.numbers, 2))


def _local_masking(draw: Random, columns: Columns) -> Step:
    settings = {
        "partition": partition(draw, 15),
        "mask": draw.choice([{"exact-noise": {"p": 0.3}}, {"rank-swap": {"p": 20}}]),
    }
    return _on(spec("local-masking", **settings), some(draw, columns.numbers, 2, 3))


def _local_synthesis(draw: Random, columns: Columns) -> Step:
    names = some(draw, columns.all, 2)
    settings: dict[str, Any] = {"k": draw.choice([15, 25]), "max_groups": draw.choice([2, 4])}
    if draw.random() < 0.3:
        settings["counts"] = "exact"
    return _on(spec("local-synthesis", **settings), names, **_given(draw, columns, names))


def _micro_hybrid(draw: Random, columns: Columns) -> Step:
    names = some(draw, columns.all if draw.random() < 0.4 else columns.numbers, 2)
    settings: dict[str, Any] = {"partition": partition(draw, draw.choice([10, 20]))}
    if draw.random() < 0.3:
        settings["categories"] = draw.choice(["permute", "multinomial"])
    if draw.random() < 0.2:
        settings["synthesiser"] = "cart"
    else:
        settings["small_groups"] = draw.choice(["raise_k", "drop_kept", "pooled"])
    if draw.random() < 0.3:
        settings["degenerate"] = "merge"
    if draw.random() < 0.2:
        settings["kinds_together"] = draw.choice(["consensus", "separate"])
    return _on(spec("micro-hybrid", **settings), names, **_given(draw, columns, names))


def _muralidhar(draw: Random, columns: Columns) -> Step:
    names = some(draw, columns.numbers, 1, 3)
    return _on(spec("muralidhar-sarathy", alpha=draw.choice([0.3, 0.8])), names, **_given_numbers(draw, columns, names))


def _optimisation(draw: Random, columns: Columns) -> Step:
    settings: dict[str, Any] = {"mask": draw.choice([{"rank-swap": {"p": 10}}, {"uncorrelated-noise": {"p": 0.3}}])}
    settings |= draw.choice([{"moves": "exchanges"}, {"moves": "values", "values": "range"}, {"values": "range"}, {}])
    return _on(spec("post-masking-optimisation", **settings, budget=400), some(draw, columns.numbers, 1, 3))


METHODS: dict[str, Callable[[Random, Columns], Step]] = {
    "cart": _cart,
    "cholesky-hybrid": _cholesky_hybrid,
    "cholesky-synthesis": _whole_file("cholesky-synthesis", _records, "numbers"),
    "combine": _combine,
    "correlated-noise": _correlated,
    "data-shuffle": _shuffle,
    "data-swap": _data_swap,
    "exact-noise": _simple_noise("exact-noise"),
    "feasible-rotation": _rotation,
    "gadp": _gadp,
    "gaussian-copula": _whole_file(
        "gaussian-copula", lambda draw: draw.choice([_records(draw), {"margins": "exact"}]), "all"
    ),
    "global-recode": _recode,
    "individual-ranking": _ranking,
    "invariant-pram": _pram("invariant-pram"),
    "ipso": _ipso,
    "k-anonymise": _anonymise,
    "kim-noise": _simple_noise("kim-noise"),
    "latin-hypercube": _whole_file("latin-hypercube", lambda draw: {**_records(draw), "rounds": 5}, "ordered"),
    "lattice": _lattice,
    "local-masking": _local_masking,
    "local-suppression": _suppression,
    "local-synthesis": _local_synthesis,
    "massc": _massc,
    "matrix-mask": _matrix,
    "micro-hybrid": _micro_hybrid,
    "microaggregation": _microaggregation,
    "model-based": _model_based,
    "multiple-imputation": _imputation,
    "multiplicative-noise": _multiplicative,
    "muralidhar-sarathy": _muralidhar,
    "post-masking-optimisation": _optimisation,
    "pram": _pram("pram"),
    "pseudonymise": _pseudonymise,
    "random-orthogonal": _orthogonal,
    "rank-swap": _rank_swap,
    "record-swap": _record_swap,
    "repair": _repair,
    "resample": lambda draw, columns: _on(spec("resample", samples=draw.choice([3, 9])), some(draw, columns.numbers)),
    "rescale": _rescale,
    "round": _round,
    "round-to-points": _points,
    "sample": _sample,
    "sequential-regression": _regression,
    "smoothed-bootstrap": _whole_file(
        "smoothed-bootstrap", lambda draw: {**_records(draw), "smoothing": draw.choice([0.01, 0.2])}, "all"
    ),
    "sullivan-noise": _sullivan,
    "swap-in-groups": _in_groups,
    "top-bottom-code": _top_bottom,
    "uncorrelated-noise": _uncorrelated,
}
