"""Engines for files larger than memory: the same plans, and the same records, as in memory."""

from __future__ import annotations

from microveil.engines.block_engine import BlockEngine as BlockEngine
from microveil.engines.file_release import FileRelease as FileRelease
from microveil.engines.scanning import Scan as Scan
from microveil.engines.scanning import scan as scan
from microveil.engines.spark_engine import SparkEngine as SparkEngine
