"""Relations of the programs that fill containers by key, and of their twins."""

from dpaudit import AddRemove, Categorical, Integer, Real, Row

COLORS = ("red", "green", "blue")
COLOR = AddRemove(Categorical(COLORS), max_size=8)
SHADES = AddRemove(Categorical([*COLORS, "pink"]), max_size=8)
DIGIT = AddRemove(Integer(0, 4), max_size=8)
DAY = AddRemove(Integer(0, 6), max_size=8)
AGE = AddRemove(Integer(0, 100), max_size=8)
TENS = AddRemove(Real(0, 10), max_size=8)
SIGNED = AddRemove(Real(-10, 10), max_size=8)
TENTH = AddRemove(Real(0, 1), max_size=8)
AMOUNT = AddRemove(Real(-50, 300), max_size=8)
HOLES = AddRemove(Real(-50, 300, allow_nan=True), max_size=8)
POINT = AddRemove(Row(x=Real(-3, 3), y=Real(-3, 3)), max_size=8)
SOME_POINT = AddRemove(Row(x=Real(-3, 3), y=Real(-3, 3)), min_size=1, max_size=8)
SALES = AddRemove(Row(k=Categorical(COLORS), v=Real(-3, 30)), max_size=8, container="list")
SIGNED_WHOLE = AddRemove(Integer(-5, 5), max_size=8)
