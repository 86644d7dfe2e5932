"""A run: steps, the state between them, promises and guarantees, and the release they end in."""

from microveil.core.names import public_names as _public_names
from microveil.run.contract import MethodContract as MethodContract
from microveil.run.contract import Step as Step
from microveil.run.contract import StepRecord as StepRecord
from microveil.run.engine import Engine as Engine
from microveil.run.engine import LocalEngine as LocalEngine
from microveil.run.job import Job as Job
from microveil.run.job import Outcome as Outcome
from microveil.run.method import Method as Method
from microveil.run.release import Release as Release
from microveil.run.steps import run_steps as run_steps


def __dir__() -> list[str]:
    return _public_names(globals())
