"""Two mechanisms in a module that changes nothing of a library, as those of tests do."""


def raw(data, rng):
    return data


def sound(data, rng):
    return data + rng.laplace()
