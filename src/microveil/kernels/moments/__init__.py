"""Means, covariances and scales that survive large shifts.

- `central`: `CentredMoments`, `PairMoments`, `row_blocks`, `centred_blocks`, `constant_columns`, `mean_and_covariance`,
  `centred_moments`, `finish_moments`, `column_means`, `standard_deviations`, `finish_deviations`,
  `deviations_in_groups`, `pair_moments`, `finish_pair_moments`, `scale_of_pairs`, `is_narrow`
- `into_range`: `has_mean_inside`, `shift_into`, `scale_into`
- `into_rules`: `project_into`
- `intervals`: `interval_overlap`
- `jitter`: `shift_of_fit`, `stretch_parts`
- `observed`: `Moments`
- `powers`: `PowerSums`
- `robust`: `robust_moments`, `squared_distances`
- `rounding`: `round_keeping_sums`
- `scales`: `standardise`
"""

__all__ = [
    "central",
    "intervals",
    "into_range",
    "into_rules",
    "jitter",
    "observed",
    "powers",
    "robust",
    "rounding",
    "scales",
]
