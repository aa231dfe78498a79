"""Exploring a check program: which calls does it make when their answers are not known yet?

An unknown answer takes part in arithmetic and comparisons and stays unknown; whatever needs to know it (a condition,
a loop, a conversion) raises NeedAnswer. The test code is rewritten so that a statement that cannot be carried out is
passed over and what it would have assigned is unknown. So all calls that do not depend on other answers are found in
one go, and no call is found that depends on an answer nobody has given: a program must never learn a right answer
from the arguments of a later call.
"""

import ast
import time

EXPLORING_SECONDS = 5
MAXIMUM_CALLS = 50_000


class NeedAnswer(BaseException):
    """Something must know an answer that is unknown."""


class StopExploring(BaseException):
    """Enough has been seen."""


class Unknown:
    """The answer of a call that has not been made."""

    __slots__ = ()

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return self

    def __deepcopy__(self, memo):
        return self


UNKNOWN = Unknown()


def stays_unknown(self, *_args, **_keywords):
    return self


def needs_answer(*_args, **_keywords):
    raise NeedAnswer


def fill_in(cls):
    arithmetic = "add sub mul matmul truediv floordiv mod divmod pow lshift rshift and xor or".split()
    absorbing = arithmetic + ["r" + name for name in arithmetic] + ["i" + name for name in arithmetic]
    absorbing += "lt le gt ge eq ne neg pos abs invert round floor ceil trunc getitem call".split()
    knowing = "bool iter next reversed len hash contains index int float complex str repr format bytes".split()
    knowing += "setitem delitem enter exit await aiter anext".split()
    for name in absorbing:
        setattr(cls, "__" + name + "__", stays_unknown)
    for name in knowing:
        setattr(cls, "__" + name + "__", needs_answer)


fill_in(Unknown)


class Clock:
    """Ends an exploration that goes on for too long: passing over a failed step can make a loop endless."""

    def __init__(self):
        self.end = time.process_time() + EXPLORING_SECONDS

    def look(self):
        if time.process_time() > self.end:
            raise StopExploring


class Cautious(ast.NodeTransformer):
    """Puts every statement that may fail into a ``try`` of its own."""

    def visit(self, node):
        for field in ("body", "orelse", "finalbody"):
            statements = getattr(node, field, None)
            if isinstance(statements, list):
                setattr(node, field, [self.guard(self.visit(each)) for each in statements])
        for part in getattr(node, "handlers", []) + getattr(node, "cases", []):
            self.visit(part)
        return node

    def guard(self, statement):
        if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Global, ast.Nonlocal)):
            return statement
        if isinstance(statement, (ast.Pass, ast.Break, ast.Continue)) or is_future_import(statement):
            return statement
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
            return statement  # a docstring must stay the first statement
        passed_over = ast.Expr(ast.Call(load("__passed_over__"), [], []))
        if isinstance(statement, ast.Return):
            instead = [ast.Return(load("__unknown__"))]
        else:
            instead = [ast.Assign([target], load("__unknown__")) for target in names_assigned(statement)]
        handler = ast.ExceptHandler(load("__cannot_go_on__"), None, [passed_over] + instead)
        return ast.Try([statement], [handler], [], [])


def load(name):
    return ast.Name(name, ast.Load())


def is_future_import(statement):
    return isinstance(statement, ast.ImportFrom) and statement.module == "__future__"


def names_assigned(statement):
    if isinstance(statement, ast.Assign):
        targets = statement.targets
    elif isinstance(statement, (ast.AugAssign, ast.AnnAssign)):
        targets = [statement.target]
    else:
        return []
    names = [node for target in targets for node in ast.walk(target) if isinstance(node, ast.Name)]
    return [ast.Name(node.id, ast.Store()) for node in names if isinstance(node.ctx, ast.Store)]


def compile_cautiously(source, filename):
    tree = ast.fix_missing_locations(Cautious().visit(ast.parse(source, filename)))
    return compile(tree, filename, "exec", dont_inherit=True)
