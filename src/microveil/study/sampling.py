"""Who draws the parameters of an arm: Optuna's sampler, which learns from what was told, or random streams."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Protocol

from microveil.core.streams import Streams
from microveil.plan.drawing import ByStreams, Chance, Decision
from microveil.study.measuring import Point

_FIRST = 6  # plans of an arm that the sampler must know before it draws by them
NO_SAMPLER = (
    "Optuna is not installed, so that parameters near the best plans are drawn at random: "
    "pip install 'microveil[search]' lets a sampler learn from what was tried."
)


class Sampler(Protocol):
    """Parameters of one arm: asked for again and again, told what became of them."""

    def ask(self) -> Chance:
        """Chance for the next plan."""

    def tell(self, chance: Chance, figures: Point) -> None:
        """Loss and risk of the plan that this chance came to, less being better."""

    def learn(self, decisions: Iterable[Decision], figures: Point) -> None:
        """Loss and risk of a plan that was not drawn here, with the decisions that would have led to it."""


def is_installed() -> bool:
    """Whether Optuna is there."""
    return importlib.util.find_spec("optuna") is not None


def sampler_for(arm: str, streams: Streams) -> Sampler:
    """The sampler of an arm: the same streams give the same one."""
    own = streams.at("arm", arm)
    return LearningSampler(own) if is_installed() else RandomSampler(own)


class RandomSampler:
    """Every draw by itself, whatever was told."""

    def __init__(self, streams: Streams) -> None:
        self._streams, self._asked = streams, 0

    def ask(self) -> Chance:
        """The next streams."""
        self._asked += 1
        return ByStreams(self._streams.at("draw", self._asked))

    def tell(self, chance: Chance, figures: Point) -> None:
        """Nothing is learnt."""

    def learn(self, decisions: Iterable[Decision], figures: Point) -> None:
        """Nothing is learnt."""


@dataclass(frozen=True)
class ByTrial:
    """Chance by a trial of Optuna: each decision is one of its parameters, called by its path."""

    trial: Any
    path: tuple[str | int, ...] = ()

    def at(self, *parts: str | int) -> ByTrial:
        """A decision further down."""
        return ByTrial(self.trial, (*self.path, *parts))

    def share(self) -> float:
        """A number of the unit interval."""
        return float(self.trial.suggest_float(_name_of(self.path), 0.0, 1.0))

    def pick(self, options: int) -> int:
        """One of the options; where their number changes with other parameters, it is another decision."""
        return int(self.trial.suggest_categorical(_name_of(self.path, options), list(range(options))))


def _name_of(path: tuple[str | int, ...], options: int | None = None) -> str:
    return "/".join(map(str, path if options is None else (*path, options)))


class LearningSampler:
    """A tree-structured Parzen estimator (Bergstra et al. 2011) for loss and risk, in memory alone.

    It is asked and told; storage, scheduling and pruning of Optuna are not used, and nothing of it is written anywhere.
    """

    def __init__(self, streams: Streams) -> None:
        import optuna

        optuna.logging.set_verbosity(optuna.logging.ERROR)
        seed = int(streams.words(0, 1)[0, 0] >> 33)
        sampler = optuna.samplers.TPESampler(seed=seed, n_startup_trials=_FIRST)
        self._study = optuna.create_study(sampler=sampler, directions=["minimize", "minimize"])

    def ask(self) -> Chance:
        """The next trial."""
        return ByTrial(self._study.ask())

    def tell(self, chance: Chance, figures: Point) -> None:
        """What became of a trial."""
        assert isinstance(chance, ByTrial)
        self._study.tell(chance.trial, list(figures))

    def learn(self, decisions: Iterable[Decision], figures: Point) -> None:
        """The same as if the plan had been drawn here."""
        from optuna.distributions import BaseDistribution, CategoricalDistribution, FloatDistribution
        from optuna.trial import create_trial

        settings: dict[str, float] = {}
        spaces: dict[str, BaseDistribution] = {}
        for one in decisions:
            if one.choice is not None:
                chosen, options = one.choice
                name = _name_of(one.path, options)
                settings[name], spaces[name] = chosen, CategoricalDistribution(list(range(options)))
            elif one.share is not None:
                name = _name_of(one.path)
                settings[name], spaces[name] = min(max(one.share, 0.0), 1.0), FloatDistribution(0.0, 1.0)
        self._study.add_trial(create_trial(params=settings, distributions=spaces, values=list(figures)))
