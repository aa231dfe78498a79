"""Calls the functions of a program on behalf of a check program that runs in another process.

This text is executed beside the program, in a namespace of its own, so that a program which defines its own ``list``
or ``str`` changes nothing here. It is given ``program`` (the program's global names), ``entry`` (its entry point) and
``captures`` (whether the check looks at what is printed). Nothing here is trusted: the program shares the process,
and the worst it can do is to send other values, which it could simply return.

``call`` gives one of

    ("returned", value, arguments, printed)
    ("object", class name, truth, arguments, printed) for what is not plain data
    ("raised", class names from the raised one up, its arguments, its text, arguments, printed)

where ``arguments`` lists the mutable ones as the call left them, by position or keyword: a function may be asked to
work in place.
"""

import io
import sys

PRINTED_CHARACTERS = 1_000_000
PLAIN = (bool, int, float, complex, str, bytes, bytearray, list, tuple, dict, set, frozenset)


class MissingEntryPoint(Exception):
    """The program loaded, but what should be called is not there."""


class Printed(io.StringIO):
    """What a call prints. Beyond its room it goes where it would have gone anyway, and counts there."""

    def __init__(self, beyond):
        super().__init__()
        self.beyond = beyond

    def write(self, text):
        if self.tell() + len(text) > PRINTED_CHARACTERS:
            return self.beyond.write(text)
        return super().write(text)


def resolve(name):
    class_name, _, method_name = name.partition("().")
    if class_name not in program:
        raise NameError("name '" + class_name + "' is not defined")
    return getattr(program[class_name](), method_name) if method_name else program[class_name]


def call(name, args, keywords):
    usual = sys.stdout
    printed = Printed(usual)
    if captures:
        sys.stdout = printed
    try:
        outcome = describe(resolve(name)(*args, **keywords))
    except MemoryError:
        raise
    except (Exception, SystemExit) as error:
        outcome = ("raised", lineage(error), error.args, text_of(error))
    finally:
        if captures:
            sys.stdout = usual
    return outcome + (left_behind(args, keywords), printed.getvalue())


def describe(value):
    if value is None or isinstance(value, PLAIN):
        return ("returned", value)
    try:
        return ("object", type(value).__name__, bool(value))
    except Exception:
        return ("returned", value)


def left_behind(args, keywords):
    given = list(enumerate(args)) + list(keywords.items())
    return [(place, value) for place, value in given if isinstance(value, (list, dict, set))]


def lineage(error):
    """The raised class, then the built-in ones above it: the nearest of them says what an ``except`` would catch."""
    kind = type(error)
    return [kind.__name__] + [base.__name__ for base in kind.__mro__ if base.__module__ == "builtins"]


def text_of(error):
    try:
        return str(error)[:2000]
    except Exception:
        return ""


def check_entry():
    class_name, _, method_name = entry.partition("().")
    target = program.get(class_name)
    if class_name not in program or (method_name and not hasattr(target, method_name)):
        raise MissingEntryPoint("the program does not define " + entry)


check_entry()
