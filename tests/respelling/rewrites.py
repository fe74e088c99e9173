"""All rewrites."""

from tests.respelling.counting import COUNTING
from tests.respelling.flow import FLOW
from tests.respelling.functions import FUNCTIONS
from tests.respelling.noise import NOISE
from tests.respelling.selecting import SELECTING

REWRITES = (*NOISE, *COUNTING, *SELECTING, *FLOW, *FUNCTIONS)
