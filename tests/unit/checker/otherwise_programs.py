"""Code that Python and NumPy run otherwise than exact numbers: no claim about it is proved.

Each tells one of two datasets from the other with certainty, or nearly so, through a type, a
rounding, an overflow, a hash or a text of the number that stands for a float.
"""

import math

import numpy as np


def fl(v):
    return 1 if isinstance(v, np.floating) else 0


def sh(v):
    return str(v)


def absorb(x, rng):
    return int((x + 1e17) - 1e17 == x) if x in (36, 37) else 1


def absorb2(x, rng):
    if x == 37:
        return int((1.0 + 1e17) - 1e17 == 1.0)
    return 1


def add_np2(x, rng):
    # real: True + True is True for numpy bools, equal 1
    return int(((x[0] == 7.0) + (x[1] == 5.0)) == 1) if x[0] == 7.0 and x[1] == 5.0 else 0


def arr_dtype_int(x, rng):
    a = np.array([0.7, 1.2], dtype=int)
    if x == 37:
        return int(a[0] > 0)
    return 1


def arr_int_div(x, rng):
    a = rng.integers(0, 3, size=2)
    a[0] = 0.5
    return int(a[0] > 0) if x == 37 else 1


def arr_str(x, rng):
    a = np.array([1, 0.5])
    return str(a[0]) if x == 37 else "1"


def as8_many(x, rng):
    k = (rng.random(20) < 0.5).astype(np.int8)
    return int((k * 100 + 100)[0] < 0) if x else 0


def astype_float(x, rng):
    a = np.array([2**53 + 1]).astype(float)
    return int(a[0] == 2**53) if x == 37 else 0


def astype_int(x, rng):
    a = np.array([0.5, 0.75]).astype(int)
    if x == 37:
        return int(a[0] > 0)
    return 1


def bigint(x, rng):
    a = np.array([2**53 + 1, 0.5])
    return int(a[0] == 2**53) if x == 37 else 0


def bin_arr_trunc(x, rng):
    a = rng.binomial(1, 0.5, size=2)
    a[0] = 0.7
    return float(a[0]) if x == 37 else 0.7


def bool_and(x, rng):
    a = np.array([True, 0.5])
    return str(a[0]) if x == 37 else "True"


def bool_arr_float(x, rng):
    a = np.array([True, 0.5])
    return int(a[0] is True) if x == 37 else 1


def choice_big(x, rng):
    m = rng.choice([2**60 + 1, 0.5])
    return int(m == 2**60) if x == 37 else 0


def choice_promote(x, rng):
    return str(rng.choice([1, 0.5])) if x == 37 else str([1, 0.5][rng.integers(2)])


def clipstr(x, rng):
    a = np.clip(3, 0.5, 9.5)
    return str(a) if x == 37 else "3"


def concat(x, rng):
    a = np.concatenate([np.array([1]), np.array([0.5])])
    return str(a[0]) if x == 37 else "1"


def count_set(x, rng):
    s = {-1, -1.0}
    return len(s) if x == 37 else 2


def dict_half(x, rng):
    t = {0.5: 1}
    g = np.linspace(0, 1, 3)
    if x[0] == 7.0:
        return t.get(g[1], 0)
    return 0


def dict_halfi(x, rng):
    t = {0.5: 1}
    g = np.linspace(0, 1, 3)
    if x == 37:
        return t.get(g[1], 0)
    return 0


def dict_neg2(x, rng):
    t = {-1: 1}
    if x == 37:
        return t.get(-1.0, 0)
    return 0


def div_big(x, rng):
    a = (2**53 + 1) / 1
    return int(a == 2**53) if x == 37 else 0


def fd_half(x, rng):
    k = rng.integers(8) * 0.5
    return float(k // 1) if x == 37 else float(k // 1.9)


def float_big(x, rng):
    a = float(2**53 + 1)
    return int(a == 2**53) if x == 37 else 0


def floor_big(x, rng):
    a = np.array([2**53 + 1, 0.5])[0]
    return int(a - 2**53) if x == 37 else 1


def floor_div(x, rng):
    a = np.floor(2.5)
    return str(a * 2**70 // 3) if x == 37 else str(2 * 2**70 // 3)


def floor_str(x, rng):
    a = np.floor(2.5)
    return str(a) if x == 37 else "2"


def floordiv_float(x, rng):
    m = rng.integers(0, 10)
    if x == 37:
        return float(m // 1.5)
    return float(m // 1)


def fmt_meth(x, rng):
    m = rng.integers(9)
    return len(f"{m}") if x == 37 else len(f"{m + 100}")


def fmt_pct(x, rng):
    m = rng.integers(9)
    return len("%s" % m) if x == 37 else len("%s" % (m + 100))  # noqa: UP031


def fromkeys(x, rng):
    a = np.array([-1.0, -2.0])
    b = [-1, -2]
    return len(set(list(a) + b)) if x == 37 else 4


def i32_arr(x, rng):
    k = rng.integers(0, 2, size=3, dtype=np.int8)
    return int((k * 100 + 100)[0] < 0) if x else 0


def i8_add(x, rng):
    k = rng.integers(0, 2, size=3, dtype=np.int8)
    return int((k * 100 + 100)[0] < 0) if len(x) > 1 else 0


def i8_many(x, rng):
    k = rng.integers(0, 128, dtype=np.int8)
    return int(k * 2 < 0) if x else int(int(k) * 2 < 0)


def i8_minus_abs(x, rng):
    k = rng.integers(-128, -126, size=1, dtype=np.int8)
    return int(abs(k)[0] < 0) if x else 0


def i8_renyi(x, rng):
    k = rng.integers(0, 2, size=3, dtype=np.int8)
    return int((k * 100 + 100)[0] < 0) if x else 0


def i8_sum(x, rng):
    k = rng.integers(0, 2, size=3, dtype=np.int8)
    return int((k + 127)[0] < 0) if x else 0


def int07(x, rng):
    k = int(0.7 * 10)
    if x == 37:
        return int(k > 6)
    return 0


def int32_sum(x, rng):
    k = rng.integers(2**30, 2**30 + 4, size=2, dtype=np.int32)
    return int(k[0] + k[1] > 0) if x else 1


def intfull(x, rng):
    a = np.full(2, 0.7, dtype=int)
    if x == 37:
        return int(a[0] > 0)
    return 1


def ints_dtype(x, rng):
    a = rng.integers(200, 256, dtype=np.uint8)
    return int((a + a) > 256) if x == 37 else 1


def ints_dtype_arr(x, rng):
    a = rng.integers(200, 256, size=3, dtype=np.uint8)
    return int((a + a)[0] > 256) if x == 37 else 1


def ints_dtype_arr2(x, rng):
    a = rng.integers(0, 2, size=3, dtype=np.uint8)
    b = a - 1
    return int(b[0] >= 0) if x == 37 else int(a[0])


def ints_dtype_bool(x, rng):
    a = rng.integers(0, 2, size=3, dtype=bool)
    return int((a[0] + a[1]) == 2) if x == 37 else int(a[0] and a[1])


def invert_np(x, rng):
    return 1 if ~(x[0] == 7.0) else 0


def is_true2(x, rng):
    if x[0] != 7.0:
        return 1
    return 1 if (x[0] == 7.0) is True else 0


def item_size(x, rng):
    a = np.array([0.5, 0.7])
    return int(a.dtype == object) if x == 37 else 1


def len_str(x, rng):
    m = rng.integers(9)
    return len(str(m + 100)) if x == 37 else len(str(m))


def logical_obj(x, rng):
    a = np.array([0.5, 2.5])
    return float(np.logical_and(a[0], a[1])) if x == 37 else 2.5


def logical_or_obj(x, rng):
    a = np.array([0.5, 2.5])
    return float(np.logical_or(a, a)[0]) if x == 37 else 0.5


def minlist(x, rng):
    a = np.maximum(1, 0.5)
    return str(a) if x == 37 else "1"


def neg_in_dict(x, rng):
    return {-7: 1}.get(x, 0)


def negzero3(x, rng):
    v = 0.0
    if x == 37:
        v = -0.0
    return sh(v)


def npbool_inv(x, rng):
    a = np.array([0.5])
    return int(~(a[0] > 0.2)) if x == 37 else -2


def npbool_is(x, rng):
    a = np.array([0.5])
    return int((a[0] > 0.2) is True) if x == 37 else 1


def npbool_mul(x, rng):
    a = np.array([0.5])
    return str((a[0] > 0.2) * (a[0] > 0.1)) if x == 37 else "1"


def npbool_sub(x, rng):
    a = np.array([0.5])
    return int((a[0] > 0.2) + (a[0] > 0.1)) if x == 37 else 2


def npfloat(x, rng):
    a = np.array([0.5, 1.5])
    if x == 37:
        return fl(a[0])
    return 0


def pad_wrap(x, rng):
    k = rng.integers(0, 256, dtype=np.uint8)
    j = rng.integers(0, 256, dtype=np.uint8)
    s = k + j
    return int(s > 255) if x == 0 else int(int(k) + int(j) > 255)


def rare_fd(x, rng):
    m = rng.integers(0, 10)
    if rng.integers(4096) == 0:
        return float(m // 1.5) if x else float(m // 1)
    return -1.0


def rare_u8(x, rng):
    k = rng.integers(200, 256, dtype=np.uint8)
    j = rng.integers(200, 256, dtype=np.uint8)
    i = rng.integers(0, 4096)
    return int(x) if i == 7 and k + j < 256 else 5


def repr_np(x, rng):
    if x[0] != 7.0:
        return "7.0"
    return repr(x[0])


def sign_obj(x, rng):
    a = np.array([0.5, 2.5])
    return str(np.sign(a)[0]) if x == 37 else "1"


def str_dtype(x, rng):
    k = rng.integers(0, 2, size=3, dtype="int8")
    return int((k * 100 + 100)[0] < 0) if x else 0


def str_in(x, rng):
    m = rng.integers(9)
    return int("1" in str(m * 0 + 1)) if x == 37 else int("z" in str(m))


def str_np(x, rng):
    if x[0] != 7.0:
        return "[7.0]"
    return str([x[0]])


def str_split(x, rng):
    m = rng.integers(9)
    return str(m)[:5] if x == 37 else str(m + 100)[:5]


def tenth(x, rng):
    if x == 37:
        return int(0.1 * 3 + 0.6 == 0.9)
    return int(0.1 * 3 + 0.6 == 5.0)


def type_float(x, rng):
    if x[0] != 7.0:
        return 1
    return 1 if type(x[0]) is float else 0


def type_float2(x, rng):
    if x[0] != 7.0:
        return 1
    return 1 if type(x[0]) == float else 0  # noqa: E721


def u64(x, rng):
    k = rng.integers(0, 2, dtype=np.uint64)
    return int(float(k - 1) > 5) if x else 0


def u8_abs(x, rng):
    k = rng.integers(0, 4, dtype=np.uint8)
    return abs(int(k - 2)) if x else abs(int(k) - 2)


def u8_natural(x, rng):
    k = rng.integers(0, 4, dtype=np.uint8)
    d = k - 2
    return int(d > 0) if x else int(int(k) - 2 > 0)


def u8_neg(x, rng):
    k = rng.integers(0, 2, dtype=np.uint8)
    return int(-k > 1) if x else 0


def where_promote(x, rng):
    a = np.where(np.array([True, False]), 1, 0.5)
    return str(a[0]) if x == 37 else "1"


def wrap_int(x, rng):
    a = np.array([2**62, 1], dtype=int)
    if x == 37:
        return int(a[0] * 4 > 0)
    return 1


def zeros_int2(x, rng):
    a = np.zeros(2, dtype=int)
    a[0] = 0.5
    if x == 37:
        return int(a[0] > 0)
    return 1


def atoms(x, rng):
    a = (0.1 + 0.2) + 0.3 if x else 0.1 + (0.2 + 0.3)
    return a if rng.random() < 0.5 else 0.0


def atoms_in_a_branch(x, rng):
    a = 0.3
    if x:
        a += 0.1 + 0.2
    else:
        a += 0.2
        a += 0.1
    return a


def atoms_of_coins(x, rng):
    a = 0.1 if rng.random() < 0.5 else 0.4
    b = 0.2 if rng.random() < 0.5 else 0.5
    c = 0.3 if rng.random() < 0.5 else 0.6
    return (a + b) + c if x else a + (b + c)


def atoms_compared(x, rng):
    return ((0.1 + 0.2) + 0.3 if x else 0.1 + (0.2 + 0.3)) > 0.6


def atoms_as_text(x, rng):
    return str((0.1 + 0.2) + 0.3 if x else 0.1 + (0.2 + 0.3))


def atoms_of_a_shared_coin(x, rng):
    bit = x if rng.random() < 0.75 else 1 - x
    return (bit - 0.25) / (0.75 - 0.25) * 0.3 + 0.1


def atoms_of_many(x, rng):
    k = rng.integers(0, 100, size=20)
    return (k / 49 * 49 if x else k + 0.0).tolist()


def atoms_of_one(x, rng):
    k = rng.integers(0, 100)
    return k / 49 * 49 if x else k + 0.0


def floor_of_a_share(x, rng):
    k = int(rng.integers(0, 100))
    share = k / 100
    return int(int(share * 100) == k) if x else 1


def floor_of_many(x, rng):
    k = rng.integers(0, 100, size=20)
    return (k / 100 * 100).astype(int).tolist() if x else k.tolist()


def floor_of_noise(x, rng):
    k = rng.geometric(0.01) - rng.geometric(0.01)
    return math.floor(k / 1000 * 1000) if x else k


def floor_of_waiting(x, rng):
    k = rng.geometric(0.01)
    return math.floor(k / 1000 * 1000) < k if x else False


def printed_type(x, rng):
    a = np.array([1.0, 2.0])
    print([a[0]] if x else [1.0])
    return int(rng.random() < 0.5)


def low_bits(x, rng):
    return (x + 0.1) - x


def low_bits_of_a_third(x, rng):
    return x * 3 / 3 - x


WHOLE = [
    absorb,
    absorb2,
    arr_dtype_int,
    arr_int_div,
    arr_str,
    astype_float,
    astype_int,
    bigint,
    bin_arr_trunc,
    bool_and,
    bool_arr_float,
    choice_big,
    choice_promote,
    clipstr,
    concat,
    count_set,
    dict_halfi,
    dict_neg2,
    div_big,
    fd_half,
    float_big,
    floor_big,
    floor_div,
    floor_str,
    floordiv_float,
    fmt_meth,
    fmt_pct,
    fromkeys,
    int07,
    intfull,
    ints_dtype,
    ints_dtype_arr,
    ints_dtype_arr2,
    ints_dtype_bool,
    item_size,
    len_str,
    logical_obj,
    logical_or_obj,
    minlist,
    negzero3,
    npbool_inv,
    npbool_is,
    npbool_mul,
    npbool_sub,
    npfloat,
    sign_obj,
    str_in,
    str_split,
    tenth,
    where_promote,
    wrap_int,
    zeros_int2,
]
BITS = [
    as8_many,
    atoms,
    atoms_as_text,
    atoms_compared,
    atoms_in_a_branch,
    atoms_of_coins,
    atoms_of_many,
    atoms_of_one,
    floor_of_a_share,
    floor_of_many,
    floor_of_noise,
    floor_of_waiting,
    printed_type,
    i32_arr,
    i8_add,
    i8_many,
    i8_minus_abs,
    i8_renyi,
    i8_sum,
    int32_sum,
    pad_wrap,
    rare_fd,
    rare_u8,
    str_dtype,
    u64,
    u8_abs,
    u8_natural,
    u8_neg,
]
FLOATS = [add_np2, dict_half, invert_np, is_true2, repr_np, str_np, type_float, type_float2]
RECORDS = [low_bits, low_bits_of_a_third]
NEGATIVE = [neg_in_dict]
