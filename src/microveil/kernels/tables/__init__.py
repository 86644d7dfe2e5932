"""Tables of coded records: classes of equal rows, exchanges, calibration, log-linear models.

- `classes`: `group_rows`, `class_sizes`, `discounted_class_sizes`
- `equal_rows`: `first_equal_rows`
- `log_linear`: `check_cells`, `fit_log_linear`, `smoothed_probabilities`, `draw_cells`, `walk_fixed_margins`
- `rake`: `rake`, `margin_columns`, `calibrate_linear`, `calibrate_raking`, `calibrate_logit`, `calibrate_truncated`
- `swap`: `swap_keeping_tables`
"""

__all__ = ["classes", "equal_rows", "log_linear", "rake", "swap"]
