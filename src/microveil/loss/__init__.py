"""Information loss: what analyses lose when they use the protected file."""

from typing import TYPE_CHECKING as _TYPE_CHECKING

from microveil.core.names import public_names as _public_names
from microveil.core.typos import suggesting as _suggesting
from microveil.loss.average_class_size import AverageClassSize as AverageClassSize
from microveil.loss.base import Loss as Loss
from microveil.loss.contingency import ContingencyLoss as ContingencyLoss
from microveil.loss.discernibility import Discernibility as Discernibility
from microveil.loss.distribution_distance import DistributionDistance as DistributionDistance
from microveil.loss.edit_violations import EditViolations as EditViolations
from microveil.loss.eigenvalues import Eigenvalues as Eigenvalues
from microveil.loss.entropy import EntropyLoss as EntropyLoss
from microveil.loss.geometric_loss import GeometricLoss as GeometricLoss
from microveil.loss.height import Height as Height
from microveil.loss.information_loss import InformationLoss as InformationLoss
from microveil.loss.interval_overlap import IntervalOverlap as IntervalOverlap
from microveil.loss.matrix_loss import MatrixLoss as MatrixLoss
from microveil.loss.moment_change import MomentChange as MomentChange
from microveil.loss.ncp import NCP as NCP
from microveil.loss.non_uniform_entropy import NonUniformEntropy as NonUniformEntropy
from microveil.loss.pil import PIL as PIL
from microveil.loss.precision import Precision as Precision
from microveil.loss.propensity import Propensity as Propensity
from microveil.loss.regression_change import RegressionChange as RegressionChange
from microveil.loss.sse import SSE as SSE
from microveil.loss.truncated import Truncated as Truncated
from microveil.loss.user_indicator import UserIndicator as UserIndicator
from microveil.loss.value_change import ValueChange as ValueChange
from microveil.loss.yancey import YanceyLoss as YanceyLoss


def __dir__() -> list[str]:
    return _public_names(globals())


if not _TYPE_CHECKING:  # where it would let every name pass
    __getattr__ = _suggesting(__name__)
