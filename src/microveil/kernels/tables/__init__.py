"""Tables of coded records: classes of equal rows, what they leave open, exchanges, calibration, log-linear models.

- `classes`: `ValueCounts`, `group_rows`, `class_counts`, `first_rows`, `count_up`, `value_counts`
- `closeness`: `class_distance`, `class_distance_in_tree`, `distance_of_counts`, `distance_of_counts_in_tree`
- `containing`: `Holding`, `Records`, `Released`, `Agreement`, `agreement`
- `diversity`: `class_diversity`, `diversity_of_counts`
- `equal_rows`: `first_equal_rows`
- `individual`: `individual_risk`
- `log_linear`: `check_cells`, `fit_log_linear`, `smoothed_probabilities`, `draw_cells`, `walk_fixed_margins`
- `minimal_uniques`: `MinimalUniques`, `minimal_uniques`
- `one_class`: `is_diverse`, `distance_from`, `distance_in_tree`, `gain_over`
- `over_records`: `count_records`, `all_records`, `sum_over_records`, `share_of_records`, `mean_over_records`
- `patterns`: `nearest_patterns`
- `rake`: `MarginColumns`, `rake`, `margin_columns`, `calibrate_linear`, `calibrate_logit`
- `sizes`: `class_sizes`, `gaps_as_values`
- `swap`: `swap_keeping_tables`
"""

__all__ = [
    "classes",
    "closeness",
    "containing",
    "diversity",
    "equal_rows",
    "individual",
    "log_linear",
    "minimal_uniques",
    "one_class",
    "over_records",
    "patterns",
    "rake",
    "sizes",
    "swap",
]
