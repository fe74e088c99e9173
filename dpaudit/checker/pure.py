"""Pure functions of the libraries: the one table, with what each way of proving may do with them.

A function on the list gives the same result in every process and on every call: it draws nothing,
reads no clock, file, environment or hash seed, keeps no state and, but for an ``out`` that it is
given, changes nothing; the few that change what they are given are marked. What is not on the list
is not called, whichever library it is of. Operators and statements such as += have tables of their
own, and are computed.

repeatable
    The prover may call it for real on values that are known.
computed
    The checker runs it where it runs a program, as Python does: there it may be one that changes
    what it is given, or a number.
view
    Its result may share memory with an array that it is given.
at_once
    It goes through a list that it is given at once, and keeps no part of it.
shared
    Of values that both runs hold alike it makes such a value, though nobody runs it here.
unshared
    Of such values it is not taken to make one: it changes what it is given, calls it, or tells
    where it lies.

The modules of `_MODULES` need no list: each of their functions that names no generator among its
parameters makes of such values such a value (`is_of_values`), and so do the densities and the
distribution functions of the laws in `scipy.stats`.
"""

from __future__ import annotations

import importlib
import inspect
from functools import cache
from types import FunctionType
from typing import Any

from dpaudit.checker.operators import MEANING
from dpaudit.checker.writing import IN_PLACE

_TABLE = {
    "repeatable computed": """
base64: b32encode b64encode urlsafe_b64encode binascii: crc32 crc_hqx hexlify unhexlify zlib:
adler32 crc32 bisect: bisect bisect_left bisect_right builtins: abs bin chr complex enumerate filter
iter map ord pow range reversed round slice zip collections: Counter OrderedDict defaultdict deque
fractions: Fraction numbers: Integral Number Rational Real
numpy: all allclose amax amin any append apply_along_axis arange argmax argmin argpartition argsort
argwhere array array_equal array_equiv average bincount bool bool_ choose clip column_stack compress
concatenate copy corrcoef count_nonzero cov cumprod cumsum delete diff digitize dot dstack ediff1d
eye fix flatnonzero float32 float64 full full_like geomspace gradient histogram hstack identity in1d
indices inner insert int16 int32 int64 int8 interp intersect1d isclose iscomplexobj isin isrealobj
isscalar kron lexsort linspace logspace max mean median min nanargmax nanargmin nanmax nanmean
nanmedian nanmin nanpercentile nanprod nanquantile nanstd nansum nanvar ndim nonzero ones ones_like
outer packbits pad partition percentile piecewise polyval prod ptp quantile ravel_multi_index repeat
resize roll round searchsorted setdiff1d setxor1d shape size sort stack std str_ sum take
take_along_axis tensordot tile trace trapezoid tri tril triu uint16 uint32 uint64 uint8 union1d
unique unpackbits unravel_index unwrap var vdot vstack where zeros zeros_like scipy: linalg.hadamard
""",
    "repeatable computed view": """
numpy: array_split asarray ascontiguousarray atleast_1d atleast_2d broadcast_arrays broadcast_to
diag diagonal einsum expand_dims extract flip fliplr flipud hsplit ix_ meshgrid moveaxis nan_to_num
ravel reshape rollaxis rot90 select split squeeze swapaxes transpose trim_zeros vsplit
""",
    "repeatable computed at_once": """
builtins: all any bool bytes dict divmod float format frozenset int isinstance len list max min repr
set sorted str sum tuple
""",
    "repeatable": """
builtins: bytearray callable dict.fromkeys float.fromhex hex int.from_bytes issubclass oct copy:
copy deepcopy cvxpy: Parameter Problem Variable datetime: date datetime time timedelta decimal:
Decimal Decimal.from_float fractions: Fraction.from_decimal Fraction.from_float functools:
cmp_to_key hashlib: blake2b blake2s md5 new sha1 sha224 sha256 sha384 sha512 json: loads numbers:
Complex pandas: Interval MultiIndex Timedelta factorize get_dummies pivot_table qcut unique
value_counts re: compile escape findall finditer fullmatch match search split sub statistics:
NormalDist geometric_mean harmonic_mean median_high median_low mode multimode quantiles string:
capwords typing: cast
numpy: angle around array2string base_repr binary_repr blackman block bytes_ complex128 complex64
cross cumulative_sum diag_indices diagflat dtype finfo float16 floating generic hamming hanning i0
iinfo integer iscomplex isneginf isposinf isreal issubdtype longlong nancumprod nancumsum number
poly polyadd polyder polydiv polyint polymul polysub roots sinc timedelta64 tril_indices
tril_indices_from triu_indices triu_indices_from unique_counts unique_inverse unique_values vander
scipy: integrate.cumulative_trapezoid integrate.quad integrate.simpson integrate.trapezoid
optimize.bisect optimize.brenth optimize.brentq optimize.fminbound optimize.linear_sum_assignment
optimize.minimize_scalar optimize.newton optimize.root_scalar optimize.toms748 signal.convolve
signal.fftconvolve sparse.csr_matrix spatial.distance.cdist stats.gmean stats.hmean stats.iqr
stats.kurtosis stats.mode stats.rankdata stats.skew stats.trim_mean stats.zscore
""",
    "repeatable view": """
numpy: asanyarray asfarray astype atleast_3d imag permute_dims real unstack
""",
    "computed": """
collections: Counter.elements Counter.most_common
itertools: accumulate chain chain.from_iterable combinations combinations_with_replacement compress
count cycle dropwhile filterfalse groupby islice pairwise permutations product repeat starmap
takewhile zip_longest
numpy: add.accumulate add.outer add.reduce e euler_gamma fromiter inf linalg.det linalg.inv
linalg.norm linalg.solve logical_and.reduce logical_or.reduce mask_indices maximum.accumulate
maximum.reduce minimum.accumulate minimum.reduce multiply.reduce nan newaxis pi
operator: abs concat contains countOf getitem index indexOf inv truth
""",
    "computed view": """
numpy: frombuffer
""",
    "repeatable shared": """
json: dumps numpy: convolve correlate histogram2d histogram_bin_edges histogramdd polyfit pandas:
Categorical DataFrame Index Series concat crosstab cut isna isnull merge notna notnull to_numeric
statistics: fmean mean median pstdev pvariance stdev variance
""",
    "shared": """
pandas: CategoricalDtype MultiIndex.from_product MultiIndex.from_tuples
""",
    "repeatable unshared": """
numpy: may_share_memory result_type shares_memory vectorize
""",
    "repeatable computed unshared": """
builtins: next type functools: partial reduce
""",
    "computed unshared": """
bisect: insort insort_left insort_right builtins: object numpy: add.at place put operator:
itemgetter
""",
}


def _read() -> dict[str, frozenset[str]]:
    operators = (*(f"operator.{name}" for name in MEANING), *IN_PLACE)
    found = dict.fromkeys(operators, frozenset({"computed"}))
    for marks, words in _TABLE.items():
        library = ""
        for word in words.split():
            if word.endswith(":"):
                library = word[:-1]
            else:
                found[f"{library}.{word}"] = frozenset(marks.split())
    return found


_MODULES = frozenset(
    ["numpy.fft", "numpy.linalg", "scipy.linalg", "scipy.spatial.distance", "scipy.special"]
)
_OF_LAWS = frozenset(  # methods of a law that draw nothing
    ["cdf", "isf", "logcdf", "logpdf", "logpmf", "logsf", "pdf", "pmf", "ppf", "sf"]
)
_GENERATORS = frozenset({"rng", "random_state", "seed"})
_MARKS = _read()
_NONE: frozenset[str] = frozenset()


def marks(name: str) -> frozenset[str]:
    """Return what may be done with a function by its canonical name; nothing where it is unknown.

    Universal functions of NumPy are not in the table: see `is_ufunc`.
    """
    return _MARKS.get(name, _NONE)


def marked(*wanted: str) -> frozenset[str]:
    """Return the names of the functions that have all these marks."""
    return frozenset(name for name, its in _MARKS.items() if its.issuperset(wanted))


@cache
def is_ufunc(name: str, *, methods: bool = True) -> bool:
    """Return whether a name is one of a universal function, or of a method of one that writes none.

    Parameters
    ----------
    name : str
    methods : bool
        Whether methods count.
    """
    import numpy as np

    root, _, rest = name.partition(".")
    first, _, method = rest.partition(".")
    known = ("", "accumulate", "outer", "reduce", "reduceat") if methods else ("",)
    ufunc = root == "numpy" and isinstance(getattr(np, first, None), np.ufunc)
    return ufunc and method in known


@cache
def is_of_values(name: str) -> bool:
    """Return whether a function makes of values that both runs hold alike such a value.

    What changes the state of a module, is a class or another object, or may draw is none of these.
    """
    if {"shared", "repeatable"} & marks(name) and "unshared" not in marks(name):
        return name.startswith(("json.", "numpy.", "pandas.", "scipy.", "statistics."))
    module, _, word = name.rpartition(".")
    if module.startswith("scipy.stats.") and word in _OF_LAWS:
        from scipy import stats

        law = getattr(stats, module.removeprefix("scipy.stats."), None)
        return isinstance(law, stats.rv_continuous | stats.rv_discrete)
    if module not in _MODULES or word.startswith(("_", "get", "set")):
        return False
    import numpy as np

    found: Any = getattr(importlib.import_module(module), word, None)
    if isinstance(found, np.ufunc):
        return True
    plain = isinstance(found, FunctionType) or hasattr(found, "__wrapped__")
    return plain and _GENERATORS.isdisjoint(inspect.signature(found).parameters)
