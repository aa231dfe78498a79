"""What check programs import that is not in the standard library: the few parts of pytest and numpy that tests of
plain functions use. The sandbox has neither, and a check must not depend on what is installed.
"""

import collections
import io
import math
import re
import sys
import types


class Broken(Exception):
    """The check program itself cannot be used. It says nothing about the judged program."""


class Unavailable(Broken):
    """The check program asks for something that is not offered here."""

    def __init__(self, what):
        super().__init__("it needs " + what + ", which is not available")


class Failed(AssertionError):
    """pytest.fail, or an expected exception that did not come."""


class Skipped(Exception):
    """pytest.skip."""


class RaisedInfo:
    def __init__(self):
        self.type = None
        self.value = None

    def match(self, pattern):
        if not re.search(pattern, str(self.value)):
            raise Failed("the message " + repr(str(self.value)) + " does not match " + repr(pattern))
        return True


class Raises:
    """``with pytest.raises(ValueError, match="...") as info:``"""

    def __init__(self, expected, pattern):
        self.expected = expected
        self.pattern = pattern
        self.info = RaisedInfo()

    def __enter__(self):
        return self.info

    def __exit__(self, kind, error, _trace):
        if kind is None:
            raise Failed("did not raise " + str(self.expected))
        if not issubclass(kind, self.expected):
            return False
        self.info.type, self.info.value = kind, error
        if self.pattern is not None:
            self.info.match(self.pattern)
        return True


def raises(expected, *call, match=None, **keywords):
    context = Raises(expected, match)
    if not call:
        return context
    with context as info:
        call[0](*call[1:], **keywords)
    return info


class Approx:
    """pytest.approx: a number within 1e-6 of the expected one, or 1e-12 absolutely; also inside lists and dicts."""

    __hash__ = None

    def __init__(self, expected, rel=None, abs=None, nan_ok=False):
        self.expected, self.rel, self.abs, self.nan_ok = expected, rel, abs, nan_ok

    def __eq__(self, actual):
        return self.close(self.expected, actual)

    def __repr__(self):
        return "approx(" + repr(self.expected) + ")"

    def close(self, expected, actual):
        if isinstance(expected, dict):
            same_keys = isinstance(actual, dict) and expected.keys() == actual.keys()
            return same_keys and all(self.close(expected[key], actual[key]) for key in expected)
        if isinstance(expected, (list, tuple)):
            same_length = isinstance(actual, (list, tuple)) and len(expected) == len(actual)
            return same_length and all(map(self.close, expected, actual))
        if isinstance(expected, bool):
            return isinstance(actual, bool) and expected == actual
        if not isinstance(expected, (int, float, complex)) or not isinstance(actual, (int, float, complex)):
            return expected == actual
        return expected == actual or self.close_numbers(expected, actual)

    def close_numbers(self, expected, actual):
        if expected != expected:
            return self.nan_ok and actual != actual
        if math.isinf(abs_value(expected)) or math.isinf(abs_value(actual)):
            return False
        return abs_value(expected - actual) <= self.tolerance(expected)

    def tolerance(self, expected):
        if self.rel is None and self.abs is not None:
            return self.abs
        relative = (1e-6 if self.rel is None else self.rel) * abs_value(expected)
        return max(relative, 1e-12 if self.abs is None else self.abs)


def abs_value(number):
    return number.__abs__()


class Mark:
    """``@pytest.mark.parametrize(...)`` is kept on the function; skipped tests are marked; other marks mean nothing."""

    def __getattr__(self, name):
        if name == "parametrize":
            return lambda names, rows, **_options: keep("__rows__", lambda: (split_names(names), list(rows)))
        if name in ("skip", "xfail"):
            return Skip(True)
        if name == "skipif":
            return lambda condition, **_options: Skip(bool(condition))
        return Skip(False)


class Skip:
    """A mark with or without arguments."""

    def __init__(self, skips):
        self.skips = skips

    def __call__(self, *args, **_options):
        if len(args) == 1 and (isinstance(args[0], type) or isinstance(args[0], types.FunctionType)):
            if self.skips:
                args[0].__skips__ = True
            return args[0]
        return self


def keep(attribute, make):
    def decorate(target):
        setattr(target, attribute, getattr(target, attribute, []) + [make()])
        return target

    return decorate


def split_names(names):
    return [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)


class Parameters(tuple):
    """pytest.param(...)"""


def fixture(function=None, *, autouse=False, params=None, **_options):
    if params is not None:
        raise Unavailable("fixtures with params")

    def decorate(target):
        target.__fixture__ = "always" if autouse else "asked"
        return target

    return decorate if function is None else decorate(function)


def fail(reason="", **_options):
    raise Failed(reason)


def skip(reason="", **_options):
    raise Skipped(reason)


def stand_in(name, **contents):
    def missing(attribute):
        if attribute.startswith("__"):
            raise AttributeError(attribute)
        raise Unavailable(name + "." + attribute)

    module = types.ModuleType(name)
    module.__dict__.update(contents)
    module.__getattr__ = missing
    return module


def make_pytest():
    return stand_in(
        "pytest",
        raises=raises,
        approx=Approx,
        mark=Mark(),
        fixture=fixture,
        param=lambda *values, **_options: Parameters(values),
        fail=fail,
        skip=skip,
        main=lambda *_args, **_options: 0,
    )


Output = collections.namedtuple("Output", "out err")


class Captured:
    """The fixture ``capsys``."""

    def __init__(self):
        sys.stdout, sys.stderr = io.StringIO(), io.StringIO()

    def readouterr(self):
        out, err = sys.stdout.getvalue(), sys.stderr.getvalue()
        sys.stdout, sys.stderr = io.StringIO(), io.StringIO()
        return Output(out, err)


def shape_of(value):
    """The shape numpy would give it; what is no array of numbers is refused as numpy's arithmetic refuses it."""
    if isinstance(value, (int, float, complex)):
        return ()
    if not isinstance(value, (list, tuple)):
        raise TypeError("not a number or an array of numbers: " + type(value).__name__)
    shapes = {shape_of(item) for item in value}
    if len(shapes) > 1:
        raise ValueError("an array whose rows differ in shape")
    return (len(value),) + (shapes.pop() if shapes else ())


def broadcast(left, right):
    """The pairs of numbers that numpy would compare."""
    left_shape, right_shape = shape_of(left), shape_of(right)
    dimensions = max(len(left_shape), len(right_shape))
    for _ in range(dimensions - len(left_shape)):
        left = [left]
    for _ in range(dimensions - len(right_shape)):
        right = [right]
    return pairs_of(left, right, dimensions)


def pairs_of(left, right, dimensions):
    if dimensions == 0:
        yield left, right
        return
    if len(left) == 1:
        left = list(left) * len(right)
    elif len(right) == 1:
        right = list(right) * len(left)
    if len(left) != len(right):
        raise ValueError("operands could not be broadcast together")
    for left_part, right_part in zip(left, right):
        yield from pairs_of(left_part, right_part, dimensions - 1)


def is_close(actual, expected, rtol, atol):
    if actual == expected:
        return True
    if any(math.isinf(abs_value(each)) or each != each for each in (actual, expected)):
        return False
    return abs_value(actual - expected) <= atol + rtol * abs_value(expected)


def allclose(actual, expected, rtol=1e-05, atol=1e-08):
    return all(is_close(left, right, rtol, atol) for left, right in broadcast(actual, expected))


def isclose(actual, expected, rtol=1e-05, atol=1e-08):
    if shape_of(actual) or shape_of(expected):
        raise Unavailable("numpy.isclose of arrays")
    return is_close(actual, expected, rtol, atol)


def make_numpy():
    kinds = {name: type(name, (), {}) for name in ("ndarray", "float64", "float32")}
    return stand_in("numpy", allclose=allclose, isclose=isclose, inf=math.inf, nan=math.nan, **kinds)
