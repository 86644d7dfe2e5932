"""Means, covariances and scales that survive large shifts.

- `bounded_shift`: `has_mean_inside`, `shifted_into`
- `central`: `PairMoments`, `row_blocks`, `centred_blocks`, `constant_columns`, `mean_and_covariance`,
  `centred_moments`, `column_means`, `standard_deviations`, `pair_moments`
- `jitter`: `shift_of_fit`, `stretched`
- `observed`: `Moments`
- `scales`: `standardise`
"""

__all__ = ["bounded_shift", "central", "jitter", "observed", "scales"]
