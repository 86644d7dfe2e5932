"""A run: steps, the state between them, promises and guarantees, and the release they end in."""

from microveil.run.method import Job as Job
from microveil.run.method import Method as Method
from microveil.run.method import Outcome as Outcome
from microveil.run.release import Release as Release
