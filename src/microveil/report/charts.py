"""Charts as self-contained inline SVG text for reports, notebooks and the browser."""

from __future__ import annotations

from microveil.report.chart_bars import bars_pair
from microveil.report.chart_correlation import correlation_change
from microveil.report.chart_histogram import histogram_pair
from microveil.report.chart_map import MapPoint, risk_utility_map

__all__ = [
    "MapPoint",
    "bars_pair",
    "correlation_change",
    "histogram_pair",
    "risk_utility_map",
]
