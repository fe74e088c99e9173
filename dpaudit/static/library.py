"""What calls of well-known names do: draw, clip, add up, ask for a shape."""

from __future__ import annotations

import re

# Families of noise: the name of the width among the arguments, in NumPy's order.
FAMILIES: dict[str, tuple[str, ...]] = {
    "laplace": ("loc", "scale", "size"),
    "normal": ("loc", "scale", "size"),
    "logistic": ("loc", "scale", "size"),
    "gumbel": ("loc", "scale", "size"),
    "exponential": ("scale", "size"),
    "gamma": ("shape", "scale", "size"),
    "rayleigh": ("scale", "size"),
    "uniform": ("low", "high", "size"),
    "geometric": ("p", "size"),
    "binomial": ("n", "p", "size"),
    "poisson": ("lam", "size"),
    "multivariate_normal": ("mean", "cov", "size"),
    "standard_normal": ("size",),
    "standard_cauchy": ("size",),
    "standard_exponential": ("size",),
    "standard_gamma": ("shape", "size"),
    "random": ("size",),
    "random_sample": ("size",),
    "integers": ("low", "high", "size"),
    "randint": ("low", "high", "size"),
    "bytes": ("length",),
    "permutation": ("x",),
    "choice": ("a", "size", "replace", "p"),
    "shuffle": ("x",),
}
# The `random` module of Python has names of its own.
PYTHON_FAMILIES: dict[str, tuple[str, tuple[str, ...]]] = {
    "gauss": ("normal", ("loc", "scale")),
    "normalvariate": ("normal", ("loc", "scale")),
    "expovariate": ("exponential", ("rate",)),
    "random": ("random", ()),
    "uniform": ("uniform", ("low", "high")),
    "randint": ("integers", ("low", "high")),
    "randrange": ("integers", ("low", "high")),
    "getrandbits": ("integers", ("bits",)),
    "choice": ("choice", ("a",)),
    "choices": ("choice", ("a", "p")),
    "sample": ("permutation", ("x",)),
    "shuffle": ("shuffle", ("x",)),
}
# Noise that hides a number by being added to it.
ADDITIVE = frozenset(
    {
        "laplace", "normal", "standard_normal", "multivariate_normal", "logistic", "gumbel",
        "exponential", "standard_exponential", "standard_cauchy", "geometric", "gamma",
    }
)  # fmt: skip
# Families whose `scale` is the width of the noise.
SCALED = frozenset({"laplace", "normal", "logistic", "gumbel", "exponential"})
RESAMPLING = frozenset({"permutation", "choice", "shuffle"})

SCIPY = {
    "laplace": ("laplace", ("loc", "scale", "size")),
    "norm": ("normal", ("loc", "scale", "size")),
    "gumbel_r": ("gumbel", ("loc", "scale", "size")),
    "expon": ("exponential", ("loc", "scale", "size")),
    "cauchy": ("standard_cauchy", ("loc", "scale", "size")),
    "uniform": ("uniform", ("low", "width", "size")),
    "dlaplace": ("geometric", ("a", "loc", "size")),
    "geom": ("geometric", ("p", "loc", "size")),
}
MAKERS = frozenset(
    {
        "numpy.random.default_rng", "numpy.random.Generator", "numpy.random.RandomState",
        "numpy.random.PCG64", "numpy.random.PCG64DXSM", "numpy.random.Philox",
        "numpy.random.MT19937", "numpy.random.SFC64", "numpy.random.SeedSequence",
        "random.Random", "sklearn.utils.check_random_state",
    }
)  # fmt: skip
SECURE_MAKERS = frozenset({"random.SystemRandom", "secrets.SystemRandom"})
# Draws from the random numbers of the system.
SYSTEM_DRAWS = frozenset(
    {
        "secrets.randbelow", "secrets.randbits", "secrets.choice", "secrets.token_bytes",
        "secrets.token_hex", "secrets.token_urlsafe", "os.urandom", "os.getrandom", "uuid.uuid4",
        "ssl.RAND_bytes", "Crypto.Random.get_random_bytes", "nacl.utils.random",
    }
)  # fmt: skip
SYSTEM_DEVICES = frozenset({"/dev/urandom", "/dev/random", "/dev/hwrng"})
# Whole numbers that a generator gives without a distribution; the bytes that a device gives.
RAW_DRAWS = frozenset({"random_raw", "generate_state", "read"})
SEEDERS = frozenset({"numpy.random.seed", "random.seed", "torch.manual_seed"})
GENERATOR_NAMES = re.compile(r"rng|random|generator|prng|coins|\brand\b|\brs\b|\bgen\b", re.I)

AGGREGATES = frozenset(
    {
        "sum", "nansum", "fsum", "mean", "nanmean", "average", "fmean", "median", "nanmedian",
        "max", "min", "nanmax", "nanmin", "amax", "amin", "ptp", "std", "var", "nanstd", "nanvar",
        "count_nonzero", "any", "all", "prod", "quantile", "percentile", "nanquantile", "argmax",
        "argmin", "dot", "norm", "logsumexp", "stdev", "variance", "pstdev", "pvariance", "mode",
    }
)  # fmt: skip
# What one record moves no further than the record itself, however many others there are.
SUMS = frozenset({"sum", "nansum", "fsum", "mean", "nanmean", "average", "fmean"})
EXTREMES = frozenset({"max", "min", "nanmax", "nanmin", "amax", "amin", "ptp", "percentile",
                      "quantile", "nanquantile", "median", "nanmedian"})  # fmt: skip
# Calls whose result is what it is called on, in other clothes.
CONVERSIONS = frozenset(
    {
        "float", "asarray", "array", "astype", "tolist", "to_numpy", "copy", "list", "tuple",
        "ravel", "flatten", "reshape", "squeeze", "ascontiguousarray", "asanyarray", "int",
        "item", "deepcopy", "Series", "dropna", "view", "atleast_1d", "values", "iter", "float64",
        "check_array", "expand_dims", "transpose", "T", "DataFrame", "stack", "hstack",
        "concatenate", "vstack", "Fraction", "Decimal", "reset_index",
        "limit_denominator", "float32", "to_list", "to_dict", "str",
    }
)  # fmt: skip
PUBLIC_ATTRIBUTES = frozenset(
    {"ndim", "dtype", "dtypes", "columns", "names", "finished", "__name__", "__class__"}
)
ASKS_NOTHING = frozenset(
    {
        "isinstance",
        "issubclass",
        "callable",
        "hasattr",
        "type",
        "id",
        "iscoroutine",
        "issparse",
        "is_numeric_dtype",
        "is_string_dtype",
        "is_object_dtype",
        "is_bool_dtype",
    }
)
# A collection with an entry for each value that occurs.
KEYED = frozenset(
    {
        "unique", "Counter", "set", "frozenset", "value_counts", "groupby", "factorize",
        "crosstab", "get_dummies", "most_common",
    }
)  # fmt: skip
LOGGERS = frozenset({"debug", "info", "warning", "error", "critical", "exception", "log"})
# Names of calls that add noise, whatever else they do.
ADDERS = re.compile(r"^_?(randomi[sz]e|add_noise|privati[sz]e|add_\w+_noise)$")
# Names of calls that, for all one can tell, add noise or choose by chance.
SANITIZERS = re.compile(
    r"randomi[sz]e|noise|noisy|privati[sz]e|perturb|sanitize|laplace|gauss|geometric|gumbel|"
    r"exponential|staircase|snapping|bingham|vector|release|mechanism|_dp\b|dp_|\bdp|rappor|"
    r"invoke|make_|private|sample|\bmeas(urement)?\b",
    re.I,
)
# Names of functions that return noise, by ways that need not be understood.
NOISE_NAMES = re.compile(r"(laplace|laplacian|gaussian|gauss|geometric|noise)(_sample)?$", re.I)
EPSILON = frozenset({"epsilon", "eps", "self.epsilon", "self._epsilon", "self.eps", "epsilon_",
                     "local_epsilon", "per_answer"})  # fmt: skip
SENSITIVITY = re.compile(r"sensitivity|\bdelta_?f|\bsens\b|lipschitz", re.I)
VARIANCES = re.compile(r"^(self\._?)?(variance|var|sigma_?(2|sq|squared)|sigma2)$", re.I)
DEVIATIONS = re.compile(r"^(self\._?)?(sigma|std|stddev|std_?dev|deviation|stdev)$", re.I)
CLIP_NAMES = re.compile(r"^(self\._?)?(clip|clip_?norm|max_?grad_?norm|clipping_?(norm|bound|"
                        r"threshold)?|l2_norm_clip|max_?norm)$", re.I)  # fmt: skip
DOMAIN_NAMES = re.compile(
    r"^(low|lower|high|upper|bounds?|range|edges|bins|bin_edges|keys|categories|candidates|"
    r"cent(re|er)s|domain|grid|bounds_[xXy]|thresholds?|x_range|y_range|data_norm|minimum|maximum|"
    r"init|initial_cent(re|er)s)$"
)
PRIVACY_WORDS = re.compile(
    r"differential|\bepsilon\b|\beps\b|privacy|sensitivity|\bdp\b|_dp\b|\bdp_|noise_multiplier|"
    r"\brho\b|zcdp|\bpate\b",
    re.I,
)
