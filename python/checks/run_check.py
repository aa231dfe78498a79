"""Runs a check program against answers that are already known, in a process that the judged program never enters.

The functions under test are stubs. The calls a check makes are a sequence; ``log`` holds the sequence that the program
was last run on, with what it did on each. As long as the check makes the same calls, the stubs answer from the log, and
the result is exactly that of a program called live. A call that is not next in the log ends the run: the report
then lists the calls to run the program on (explore.py finds as many as can be known), and the check is run again with
their answers. Only a run that met no unknown call gives a verdict.

``run_check(order)`` takes a dict with form, source, support, functions, entry and log, whose entries are tuples:

    (digest, "returned", value, changed, printed)
    (digest, "raised", class names, arguments, text, changed, printed)
    (digest, "ended") where the program hung, crashed or gave something that cannot cross

and gives ``(report as JSON, [(digest, function, args, keywords)])``; the second part describes the calls in the report
that are not in the log.
"""

import builtins
import collections
import copy
import hashlib
import io
import json
import random
import sys
import types

CHECK_FILE = "<check>"
MODULE_NAME = "check_program"
MAXIMUM_ARGUMENT_DEPTH = 80


class Halted(BaseException):
    """Ends a replay from inside a stub. What happened is kept outside, because test code may catch anything."""


class CannotCross(Exception):
    """The value is not plain data."""


class Dependent(Exception):
    """The value depends on an unknown answer."""


def digest_of(name, args, keywords):
    pieces = [name]
    describe(list(args), pieces, 0)
    describe(list(keywords.items()), pieces, 0)
    return hashlib.sha256("".join(pieces).encode("utf-8", "surrogatepass")).hexdigest()[:32]


def describe(value, pieces, depth):
    """Two values get the same description exactly when no program could tell them apart by value and type."""
    kind = type(value)
    if kind is Unknown:
        raise Dependent
    if depth > MAXIMUM_ARGUMENT_DEPTH:
        raise CannotCross("a deeply nested " + kind.__name__)
    if value is None or kind is bool:
        pieces.append(str(value))
    elif kind is int:
        pieces.append("i" + hex(value))
    elif kind is float:
        pieces.append("f" + value.hex())
    elif kind is complex:
        pieces.append("c" + value.real.hex() + value.imag.hex())
    elif kind is str:
        pieces.append("s" + str(len(value)) + ":" + value)
    elif kind is bytes:
        pieces.append("b" + value.hex())
    elif kind is dict:
        describe(list(value.items()), pieces, depth)
    elif kind is set or kind is frozenset:
        members = []
        for item in value:
            member = []
            describe(item, member, depth + 1)
            members.append("".join(member))
        pieces.extend(sorted(members))
    elif kind is list or kind is tuple:
        for item in value:
            describe(item, pieces, depth + 1)
    else:
        raise CannotCross(kind.__name__)
    pieces.append(kind.__name__ + (str(len(value)) if hasattr(value, "__len__") else "") + ";")


class Replay:
    """The strict run: it alone gives verdicts."""

    compile = staticmethod(lambda source: compile(source, CHECK_FILE, "exec", dont_inherit=True))
    extra_names = {}

    def __init__(self, log):
        self.log = log
        self.calls = 0
        self.halt = None
        self.missing = None
        self.raised = []

    def ask(self, name, args, keywords):
        if self.halt is None:
            try:
                return self.answer(digest_of(name, args, keywords), name, args, keywords)
            except CannotCross as error:
                message = "it hands over a " + str(error) + ", which is not plain data"
                self.halt = {"kind": "argument", "message": message}
        raise Halted

    def answer(self, digest, name, args, keywords):
        if self.calls >= len(self.log) or self.log[self.calls][0] != digest:
            self.halt = {"kind": "missing", "prefix": self.calls, "call": digest}
            self.missing = (digest, name, copy.deepcopy(args), copy.deepcopy(keywords))
            raise Halted
        entry = self.log[self.calls]
        self.calls += 1
        if entry[1] == "ended":
            self.halt = {"kind": "ended"}
            raise Halted
        return give(entry, args, keywords, self.raised)

    def attempt(self, test):
        test()


class Exploration:
    """Finds the calls of a check that can be known so far. Nothing it does counts."""

    compile = staticmethod(lambda source: compile_cautiously(source, CHECK_FILE))

    def __init__(self, log):
        self.clock = Clock()
        self.known = collections.defaultdict(collections.deque)
        for entry in log:
            self.known[entry[0]].append(entry)
        self.sequence = []
        self.fresh = {}
        self.extra_names = {
            "__unknown__": UNKNOWN,
            "__passed_over__": self.clock.look,
            "__cannot_go_on__": (Exception, NeedAnswer),
        }

    def ask(self, name, args, keywords):
        self.clock.look()
        if len(self.sequence) >= MAXIMUM_CALLS:
            raise StopExploring
        try:
            digest = digest_of(name, args, keywords)
        except (Dependent, CannotCross):
            return UNKNOWN
        self.sequence.append(digest)
        if digest in self.known:
            entries = self.known[digest]
            if not entries or entries[0][1] == "ended":
                return UNKNOWN
            return give(copy.deepcopy(entries.popleft()), args, keywords, [])
        if digest not in self.fresh:
            self.fresh[digest] = (digest, name, copy.deepcopy(args), copy.deepcopy(keywords))
        return UNKNOWN

    def attempt(self, test):
        try:
            test()
        except (Exception, NeedAnswer):
            self.clock.look()


def give(entry, args, keywords, raised):
    """What the program did on a call, done again here."""
    *outcome, changed, printed = entry[1:]
    for place, value in changed:
        put_back(keywords[place] if isinstance(place, str) else args[place], value)
    if printed:
        sys.stdout.write(printed)
    if outcome[0] == "returned":
        return outcome[1]
    error = make_error(*outcome[1:])
    raised.append(error)
    raise error


def put_back(argument, value):
    """A function that works in place changed its argument: so does its stub."""
    if isinstance(argument, list):
        argument[:] = value
    else:
        argument.clear()
        argument.update(value)


error_classes = {}


def make_error(names, arguments, text):
    cls = error_class(names)
    try:
        error = cls(*arguments)
        return error if str(error) == text else cls(text)
    except Exception:
        return Exception(names[0] + ": " + text)


def error_class(names):
    """The built-in class of this name, or one made for it under the nearest built-in one."""
    bases = [getattr(builtins, name, None) for name in names]
    bases = [base for base in bases if isinstance(base, type) and issubclass(base, BaseException)]
    nearest = bases[0] if bases else Exception
    if nearest.__name__ == names[0]:
        return nearest
    key = (names[0], nearest)
    if key not in error_classes:
        error_classes[key] = type(names[0], (nearest,), {})
    return error_classes[key]


def make_stub(session, name):
    def stub(*args, **keywords):
        return session.ask(name, args, keywords)

    stub.__name__ = stub.__qualname__ = name
    return stub


def make_names(order, session):
    names = {name: make_stub(session, name) for name in order["functions"]}
    entry = make_stub(session, order["entry"])
    class_name, _, method_name = order["entry"].partition("().")
    names[class_name] = entry if not method_name else lambda: types.SimpleNamespace(**{method_name: entry})
    return names, entry


class SeededRandom(random.Random):
    """Without a seed of its own it is the same in every run: only so does a check make the same calls again."""

    def __init__(self, seed=0):
        super().__init__(0 if seed is None else seed)


def carry_out(order, session):
    random.Random = SeededRandom
    random.seed(0)
    sys.stdout, sys.stderr = io.StringIO(), io.StringIO()
    names, entry = make_names(order, session)
    solution, module = types.ModuleType("solution"), types.ModuleType(MODULE_NAME)
    solution.__dict__.update(names)
    sys.modules.update({"solution": solution, MODULE_NAME: module, "pytest": make_pytest(), "numpy": make_numpy()})
    namespace = module.__dict__
    exec(compile(order["support"], "<support>", "exec", dont_inherit=True), namespace)
    namespace.update(names)
    namespace.update(session.extra_names)
    exec(session.compile(order["source"]), namespace)
    if order["form"] == "check":
        session.attempt(lambda: namespace["check"](entry))
    elif order["form"] == "pytest" and run_tests(namespace, session.attempt) == 0:
        raise Broken("it holds no test function")


def run_check(order):
    replay = Replay(order["log"])
    failure = None
    try:
        carry_out(order, replay)
    except BaseException as error:  # noqa: BLE001 - test code may raise anything
        failure = error
    report = replay.halt or verdict(replay, failure, order["source"])
    report["calls"] = replay.calls
    if report["kind"] != "missing":
        return json.dumps(report), []
    exploration = explore(order)
    report["explored"] = exploration.sequence
    described = {**exploration.fresh, replay.missing[0]: replay.missing}
    return json.dumps(report), list(described.values())


def explore(order):
    exploration = Exploration(order["log"])
    try:
        carry_out(order, exploration)
    except BaseException:  # noqa: BLE001 - what was found until here is what there is
        pass
    return exploration


def verdict(replay, failure, source):
    if failure is None:
        if replay.calls == 0:
            return {"kind": "broken", "message": "it never calls the program"}
        return {"kind": "passed"}
    name = type(failure).__name__
    described = {"type": name, "message": message_of(failure), "line": line_of(failure)}
    lines = source.splitlines()
    described["text"] = lines[described["line"] - 1].strip()[:300] if 0 < described["line"] <= len(lines) else ""
    if isinstance(failure, Broken):
        return {"kind": "broken", "message": str(failure)}
    if replay.calls == 0:
        return {"kind": "broken", "message": name + ": " + described["message"]}
    ours = any(failure is error for error in replay.raised)
    return {"kind": "raised" if ours else "failed", **described}


def message_of(failure):
    try:
        return str(failure)[:500]
    except Exception:
        return ""


def line_of(failure):
    line = failure.lineno or 0 if isinstance(failure, SyntaxError) else 0
    trace = failure.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == CHECK_FILE:
            line = trace.tb_lineno
        trace = trace.tb_next
    return line
