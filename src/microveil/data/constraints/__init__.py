"""What an anonymity model asks of classes of equal keys, one thing in each file.

A constraint tells which classes break it and declares what its proof allows a search to conclude (`base`); a limit
speaks of all classes that are released together.
"""

from microveil.data.constraints.base import ClassConstraint as ClassConstraint
from microveil.data.constraints.base import FileLimit as FileLimit
from microveil.data.constraints.closeness import Closeness as Closeness
from microveil.data.constraints.diverse import Diverse as Diverse
from microveil.data.constraints.likeness import Likeness as Likeness
from microveil.data.constraints.people import People as People
from microveil.data.constraints.register import FewAlone as FewAlone
from microveil.data.constraints.register import InRegister as InRegister
from microveil.data.constraints.register import Presence as Presence
from microveil.data.constraints.risks import AverageRisk as AverageRisk
from microveil.data.constraints.risks import ShareAtRisk as ShareAtRisk
from microveil.data.constraints.size import Size as Size
