"""A solution made better step by step: partitions by descent, annealing and recombination, cells by hill climbing.

- `anneal`: `anneal`
- `best`: `best`
- `descent`: `refine`
- `hill_climb`: `Aim`, `Rules`, `hill_climb`, `moments_about`, `squared_distances`

Parts of these: `groups`, `neighbours`, `recombine`.
"""

__all__ = ["anneal", "best", "descent", "groups", "hill_climb", "neighbours", "recombine"]
