"""Deterministic functions of the libraries: those that an evaluator may call for real.

A function on the list gives the same result in every process and on every call: it draws nothing,
reads no clock, file, environment or hash seed, keeps no state and, but for an ``out`` that it is
given, changes nothing. What is not on the list is not
called, whichever library it is of.
"""

from __future__ import annotations

from dpaudit.checker.writing import IN_PLACE

_BUILTINS = """
abs all any bool bytes bytearray callable chr complex dict divmod enumerate filter float format
frozenset int isinstance issubclass iter len list map max min next ord pow range repr reversed round
set slice sorted str sum tuple type zip bin hex oct int.from_bytes float.fromhex dict.fromkeys
"""
_NUMPY = """
abs absolute all allclose amax amin angle any array2string append apply_along_axis argmax argmin
argpartition argsort argwhere arange around array array_equal array_split asarray ascontiguousarray
asfarray astype atleast_1d atleast_2d average bincount block broadcast_arrays broadcast_to bool
bool_ ceil choose clip column_stack compress concatenate convolve copy corrcoef correlate
count_nonzero cov cross cumprod cumsum cumulative_sum deg2rad delete diag diagflat diagonal diff
digitize divmod dot dstack dtype ediff1d einsum expand_dims extract eye fix
flatnonzero flip fliplr flipud float32 float64 float16 floor full full_like geomspace gradient
hanning heaviside histogram histogram2d histogram_bin_edges histogramdd hsplit hstack identity
iinfo finfo in1d indices inner insert int16 int32 int64 int8 interp intersect1d isclose isin isnan
isfinite isinf isscalar issubdtype ix_ kron lexsort linspace logspace matmul max maximum mean
median meshgrid min minimum moveaxis nan_to_num nanmax nanmean nanmedian nanmin nanstd nansum
nanvar ndim nonzero ones ones_like outer pad partition percentile permute_dims piecewise
polyfit polyval prod ptp quantile ravel ravel_multi_index real imag repeat reshape
resize result_type roll rollaxis roots rot90 round searchsorted select setdiff1d setxor1d shape
sign sinc size sort split sqrt squeeze stack std subtract sum swapaxes take take_along_axis
tensordot tile trace transpose trapezoid tri tril tril_indices trim_zeros triu triu_indices
true_divide trunc uint16 uint32 uint64 uint8 union1d unique unravel_index unstack vander var vdot
vectorize vsplit vstack where zeros zeros_like number integer floating generic isrealobj
iscomplexobj unwrap may_share_memory shares_memory asanyarray atleast_3d isneginf isposinf isreal
iscomplex nanargmax nanargmin nancumsum nancumprod nanpercentile nanprod nanquantile
tril_indices_from triu_indices_from diag_indices poly polyadd polymul polysub polyder polyint
polydiv complex128 complex64 str_ bytes_ unique_counts unique_values unique_inverse i0 blackman
hamming array_equiv timedelta64 base_repr binary_repr packbits unpackbits longlong
"""
_OTHERS = """
bisect.bisect bisect.bisect_left bisect.bisect_right collections.Counter collections.OrderedDict
collections.defaultdict collections.deque copy.copy copy.deepcopy decimal.Decimal
decimal.Decimal.from_float fractions.Fraction fractions.Fraction.from_float
fractions.Fraction.from_decimal functools.partial functools.reduce functools.cmp_to_key
hashlib.blake2b hashlib.blake2s hashlib.md5 hashlib.sha1 hashlib.sha224 hashlib.sha256
hashlib.sha384 hashlib.sha512 hashlib.new json.dumps json.loads pandas.Categorical pandas.DataFrame
pandas.Index pandas.MultiIndex pandas.Series pandas.concat pandas.crosstab pandas.cut
pandas.factorize pandas.get_dummies pandas.isna pandas.isnull pandas.merge pandas.notna
pandas.notnull pandas.pivot_table pandas.qcut pandas.to_numeric pandas.unique pandas.value_counts
pandas.Interval pandas.Timedelta re.compile re.escape re.findall re.finditer re.fullmatch re.match
re.search re.split re.sub datetime.date datetime.datetime datetime.time datetime.timedelta
string.capwords scipy.integrate.cumulative_trapezoid scipy.integrate.quad scipy.integrate.simpson
scipy.integrate.trapezoid scipy.optimize.bisect scipy.optimize.brenth scipy.optimize.brentq
scipy.optimize.fminbound scipy.optimize.linear_sum_assignment scipy.optimize.minimize_scalar
scipy.optimize.newton scipy.optimize.root_scalar scipy.optimize.toms748 scipy.signal.convolve
scipy.signal.fftconvolve scipy.sparse.csr_matrix scipy.spatial.distance.cdist scipy.stats.gmean
scipy.stats.hmean scipy.stats.iqr scipy.stats.kurtosis scipy.stats.mode scipy.stats.rankdata
scipy.stats.skew scipy.stats.trim_mean scipy.stats.zscore statistics.NormalDist statistics.fmean
statistics.geometric_mean statistics.harmonic_mean statistics.mean statistics.median
statistics.median_high statistics.median_low statistics.mode statistics.multimode statistics.pstdev
statistics.pvariance statistics.quantiles statistics.stdev statistics.variance cvxpy.Parameter
cvxpy.Problem cvxpy.Variable numbers.Number numbers.Real numbers.Integral numbers.Rational
numbers.Complex typing.cast
"""
_WHOLE = frozenset({"cmath", "itertools", "math", "operator"})
_WHOLE_PARTS = ("numpy.linalg.", "numpy.fft.", "scipy.special.", "scipy.linalg.", "scipy.fft.")
_DISTRIBUTIONS_WORDS = """
cdf entropy interval isf logcdf logpdf logpmf logsf mean median pdf pmf ppf sf stats std support
var
"""
_DISTRIBUTIONS = frozenset(_DISTRIBUTIONS_WORDS.split())
_ACTS = frozenset({"operator.attrgetter", "operator.call", "operator.methodcaller"})
_DRAWING = ("scipy.linalg.clarkson_woodruff_transform", "scipy.linalg.interpolative.")
_NAMED = frozenset(
    (
        *(f"builtins.{name}" for name in _BUILTINS.split()),
        *(f"numpy.{name}" for name in _NUMPY.split()),
        *_OTHERS.split(),
    )
)


def is_deterministic(name: str) -> bool:
    """Return whether the library function of a canonical name is on the list."""
    root, _, rest = name.partition(".")
    if name in _NAMED:
        return True
    if name in _ACTS or "__" in name or name.startswith(_DRAWING):
        return False
    if root in _WHOLE and "." not in rest:
        return True
    if any(name.startswith(part) for part in _WHOLE_PARTS):
        return True
    if root == "numpy":
        return _is_of_ufunc(rest)
    if name.startswith("scipy.stats."):
        parts = name.split(".")
        return len(parts) == 4 and parts[3] in _DISTRIBUTIONS
    return root == "builtins" and rest.endswith(("Error", "Exception", "Warning", "Iteration"))


def is_in_place(name: str) -> bool:
    """Return whether a name is one of a function that does what a statement such as += does.

    Evaluators call it for such statements; no program names it.
    """
    return name in IN_PLACE


def is_ufunc(name: str) -> bool:
    """Return whether a name is one of a universal function, or of a method of one."""
    root, _, rest = name.partition(".")
    return root == "numpy" and _is_of_ufunc(rest)


def _is_of_ufunc(rest: str) -> bool:
    """Return whether a name in NumPy is a universal function, or a method of one."""
    import numpy as np

    first, _, method = rest.partition(".")
    known = ("", "accumulate", "outer", "reduce", "reduceat")
    return isinstance(getattr(np, first, None), np.ufunc) and method in known
