"""Was somebody's record in the file?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from microveil.attack.membership import MembershipAttack
from microveil.attack.side_by_side import SideBySide
from microveil.core.arrays import Bools, Floats

_NEVER_ZERO = 1e-9  # standard deviations


@dataclass(frozen=True, kw_only=True)
class MembershipInference(MembershipAttack, name="membership-inference"):
    """Advantage, in per cent, of one who guesses from a release whether somebody's record was in the original.

    Use it for synthetic files above all, where no record is anybody's; being in a file may be the secret. A record
    looks like a member where the release is denser around it than the population is, told by nearest records of the
    release and of a reference sample (`density ratio`), or where the release shows its very values and the sample does
    not (`same values`). The plain distance to the closest record (`distance`) is a smoke test only: a release may leak
    much that it does not notice. The advantage is the share of members called members less the share of others
    called so. `holdout=` in the call gives records that were not in the original; without it the plan is run again on
    `shadows` halves. Sure claims are of records that the release shows as they are and the sample does not.
    """

    for_any_release: ClassVar[bool] = False
    verdict_limit: ClassVar[float] = 20_000  # more take longer than a verdict may
    follows_noise: ClassVar[bool] = False  # told from releases of halves, each with chance of its own
    title: ClassVar[str] = "Membership"
    reference: ClassVar[str] = "Homer et al. 2008; Stadler, Oprisanu & Troncoso 2022; van Breugel et al. 2023"
    advice: ClassVar[str] = (
        "The release is denser around those who were in the file, so that one can tell who was. Smooth what is "
        "drawn, or draw from larger leaves and groups."
    )

    def scores(self, files: SideBySide) -> tuple[Mapping[str, Floats], Bools]:
        """Nearness to the release beside nearness to the population, and values that occur verbatim."""
        if not files.tested.names:
            nothing = np.zeros(files.tested.rows)
            return {"distance": nothing}, nothing > 0
        near, usual = files.distances()
        shown, common = files.shown()
        readings = {
            "density ratio": np.log(usual + _NEVER_ZERO) - np.log(near + _NEVER_ZERO),
            "same values": shown - common,
            "distance": -near,
        }
        return readings, (near == 0) & (usual > 0)
