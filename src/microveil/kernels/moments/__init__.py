"""Means, covariances and scales that survive large shifts.

- `central`: `PairMoments`, `row_blocks`, `centred_blocks`, `constant_columns`, `mean_and_covariance`,
  `centred_moments`, `standard_deviations`, `pair_moments`
- `jitter`: `fitted_shift`, `stretch`
- `scales`: `standardise`
"""

__all__ = ["central", "jitter", "scales"]
