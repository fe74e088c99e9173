"""What only reads its arguments: the calls after which an object is certainly what it was.

A function or a method that is not listed here may change whatever it is given.
"""

from __future__ import annotations

from dpaudit.checker.pure import marked
from dpaudit.checker.writing import READS
from dpaudit.formal.lifting.canonical import LIBRARIES
from dpaudit.formal.lifting.deterministic import is_deterministic, is_in_place

_HARMLESS_WORDS = """
builtins.print builtins.getattr builtins.hasattr builtins.hash builtins.id builtins.super
builtins.isinstance builtins.issubclass builtins.type builtins.callable builtins.repr
builtins.sorted math.fsum numpy.random.default_rng numpy.random.RandomState
numpy.random.Generator numpy.random.SeedSequence random.Random random.SystemRandom
logging.getLogger warnings.warn types.MappingProxyType collections.ChainMap
dataclasses.dataclass dataclasses.field dataclasses.replace dataclasses.asdict typing.NamedTuple
typing.TypeVar functools.lru_cache functools.cache functools.wraps contextlib.contextmanager
"""
_HARMLESS = frozenset(_HARMLESS_WORDS.split())
_COPYING_WORDS = """
builtins.list builtins.tuple builtins.dict builtins.set builtins.frozenset builtins.sorted
builtins.sum builtins.reversed builtins.enumerate builtins.zip builtins.iter copy.copy
collections.Counter collections.OrderedDict collections.deque
"""
COPYING = frozenset(_COPYING_WORDS.split())  # what the result holds of an argument are its parts
_HANDING_WORDS = """
builtins.getattr builtins.next builtins.max builtins.min builtins.map builtins.filter builtins.slice
builtins.super types.MappingProxyType typing.cast dataclasses.dataclass dataclasses.field
dataclasses.replace contextlib.contextmanager numpy.block
numpy.choose numpy.vectorize
"""
_PIECES_WORDS = """
array_split split hsplit vsplit broadcast_arrays unstack ix_ meshgrid vectorize select choose
"""
_PIECES = frozenset(f"numpy.{name}" for name in _PIECES_WORDS.split())
_SOMETIMES_WORDS = """
bool bool_ complex128 diff float32 float64 histogram histogram_bin_edges histogramdd int16 int32
int64 int8 longlong polyder polyint uint16 uint32 uint64 uint8 linalg.diagonal linalg.matrix_power
linalg.matrix_transpose fft.fft2 fft.fftn fft.ifft2 fft.ifftn
"""
SOMETIMES_VIEWS = frozenset(f"numpy.{name}" for name in _SOMETIMES_WORDS.split())
_SHARING = COPYING | frozenset(_HANDING_WORDS.split()) | marked("view") | SOMETIMES_VIEWS
_SHARING_ROOTS = ("pandas", "polars", "collections", "itertools", "operator", "cvxpy", "functools")
_APPLYING_WORDS = """
builtins.map builtins.filter functools.reduce functools.partial functools.cmp_to_key
itertools.starmap itertools.takewhile itertools.dropwhile itertools.filterfalse
numpy.apply_along_axis numpy.vectorize numpy.piecewise scipy.integrate.quad
scipy.optimize.bisect scipy.optimize.brenth scipy.optimize.brentq scipy.optimize.fminbound
scipy.optimize.minimize_scalar scipy.optimize.newton scipy.optimize.root_scalar
scipy.optimize.toms748
"""
_APPLYING = frozenset(_APPLYING_WORDS.split())
_PASSIVE_WORDS = """
builtins.zip builtins.enumerate builtins.print builtins.range builtins.abs builtins.round
builtins.type builtins.callable builtins.hasattr builtins.getattr dataclasses.field
"""
_BY_KEY = ("builtins.max", "builtins.min", "builtins.sorted")  # they call what orders the values
_PASSIVE = frozenset(_PASSIVE_WORDS.split()) | marked("at_once").difference(_BY_KEY)
_PASSIVE_ROOTS = ("math", "random", "logging", "statistics")
_STATED_WORDS = """
AddRemove AnyPair ApproxDP Categorical GaussianDP Integer PureDP QueryAnswers Real RenyiDP
ReplaceOne Row ZeroConcentratedDP
"""
_STATED = frozenset(_STATED_WORDS.split())
_METHODS_WORDS = """
decode union intersection difference symmetric_difference issubset issuperset isdisjoint ravel
conjugate diagonal view choose compress tobytes merge assign where mask iterrows itertuples random
integers choice laplace normal standard_normal gumbel exponential geometric poisson binomial
uniform permutation gamma multivariate_normal logistic standard_exponential spawn beta dirichlet
multinomial randint rvs gauss getrandbits randrange sample choices expovariate vonmisesvariate
triangular betavariate normalvariate lognormvariate gammavariate paretovariate weibullvariate
randbytes bytes rand randn random_sample zipf rayleigh weibull pareto power chisquare
negative_binomial hypergeometric standard_cauchy standard_t standard_gamma lognormal
noncentral_chisquare vonmises wald f pdf cdf ppf sf logpdf logcdf logsf pmf logpmf isf info debug
warning error critical exception log write writerow writelines bit_count as_integer_ratio as_tuple
ln log10 exp sqrt quantize compare to_integral_value limit_denominator total_seconds group groups
match search fullmatch findall expanding map agg set_categories cumcount ngroup get_group
"""
_METHODS = READS | frozenset(_METHODS_WORDS.split())
_OF_FRAMES_WORDS = """
groupby fillna dropna merge set_index reset_index sort_values reindex rename assign iterrows
itertuples to_numpy astype rolling expanding pivot_table melt unstack agg set_categories get_group
drop_duplicates
"""
_OF_FRAMES = frozenset(_OF_FRAMES_WORDS.split())  # methods of nothing else
_CALLED = frozenset({"numpy.vectorize", "numpy.frompyfunc", "numpy.piecewise"})
_SHARING_METHODS_WORDS = """
get items values keys copy union intersection difference symmetric_difference reshape ravel
transpose squeeze view swapaxes diagonal conj conjugate astype to_numpy head tail groupby fillna
dropna merge set_index reset_index sort_values reindex rename assign drop where mask iterrows
itertuples choose choice choices sample elements most_common nlargest nsmallest rolling expanding
pivot pivot_table melt stack unstack query map agg set_categories get_group drop_duplicates shift
"""
_SHARING_METHODS = frozenset(_SHARING_METHODS_WORDS.split())
_CHANGING_WORDS = """
append appendleft extend extendleft insert pop popleft popitem remove discard clear update
setdefault sort reverse add fill put resize itemset subtract rotate partition byteswap setfield
setflags shuffle intersection_update difference_update symmetric_difference_update move_to_end
__setitem__ __delitem__ __setattr__ __delattr__ __iadd__ __isub__ __imul__ __itruediv__
__ifloordiv__ __imod__ __ipow__ __imatmul__ __iand__ __ior__ __ixor__ __ilshift__ __irshift__
"""
CHANGING = frozenset(_CHANGING_WORDS.split())  # methods, where they are not called but kept
_WRITING = ("out", "inplace", "overwrite")  # how keywords begin that name what is written to


def only_reads(name: str) -> bool:
    """Return whether a library function of this name changes nothing that it is given."""
    if is_in_place(name):
        return False
    if is_deterministic(name) or name in _HARMLESS:
        return True
    root, _, last = name.partition(".")[0], *name.rpartition(".")[1:]
    if root == "pandas":  # a frame is what it copies, an index too; methods have other names
        return last not in CHANGING
    return root in LIBRARIES and root != "builtins" and last in _METHODS


def is_reading_method(name: str) -> bool:
    """Return whether a method of this name changes neither its object nor its arguments."""
    return name in _METHODS


def calls_functions(method: str) -> bool:
    """Return whether all that a method does with functions is to call them with its parts."""
    return method in ("apply", "applymap", "aggregate", "transform", "pipe")


def yields_argument(name: str) -> bool:
    """Return whether what a listed function returns may be, hold or show what it was given."""
    if name in _SHARING or name.partition(".")[0] in _SHARING_ROOTS:
        return True
    return not is_deterministic(name) and name.rpartition(".")[2] in _SHARING_METHODS


def yields_view(name: str) -> bool:
    """Return whether what a listed function returns may be the argument itself, or a view of it."""
    return name.startswith("numpy.") and name in _SHARING and name not in _PIECES


def yields_array(name: str) -> bool:
    """Return whether a listed function or method returns no list or dict that it was given."""
    root = name.partition(".")[0]
    return name in _OF_FRAMES or (root in ("numpy", "pandas") and name not in _CALLED)


def fills(name: str) -> bool:
    """Return whether a frame or an index is made, whose cells and labels are what lists hold."""
    return name in _OF_FRAMES or name.startswith("pandas.")


def yields_contents(name: str) -> bool:
    """Return whether what a function or method returns is new, and holds what its object held."""
    return name in COPYING or name in ("copy", "item", "tolist", "to_list", "to_dict")


def yields_object(method: str) -> bool:
    """Return whether what a listed method returns may share memory with its object."""
    return method in _SHARING_METHODS


def applies(name: str) -> bool:
    """Return whether a library function calls its first argument."""
    return name in _APPLYING


def calls_nothing(name: str) -> bool:
    """Return whether a library function gives none of its arguments to another one that is given.

    Its result may hold functions; where they are called later is another call.
    """
    of_numpy = name.startswith("numpy.random.")
    return of_numpy or name in _PASSIVE or name.partition(".")[0] in _PASSIVE_ROOTS


def states(name: str) -> bool:
    """Return whether a call makes a claim or neighbors, which copy what they are given."""
    root, _, last = name.partition(".")[0], *name.rpartition(".")[1:]
    return root == "dpaudit" and last in _STATED


def is_writing(keyword: str | None) -> bool:
    """Return whether a keyword names what a function writes to."""
    return keyword is not None and keyword.startswith(_WRITING)
