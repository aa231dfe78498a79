"""Where the stubs of a check program get their answers: from a log that must fit call by call (Replay), or as far as
they are known (Exploration).

A log entry is a tuple that begins with the digest of its call; run_check.py says what follows.
"""

import collections
import copy
import hashlib

CHECK_FILE = "<check>"
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
        return give(entry, args, keywords, self)

    def give_object(self, name, truth):
        return Opaque(self, name, truth)

    def look_into(self, name):
        if self.halt is None:
            message = "it looks into a " + name + " object that the program gave, which is not plain data"
            self.halt = {"kind": "argument", "message": message}
        raise Halted

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
        self.raised = []
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
            return give(copy.deepcopy(entries.popleft()), args, keywords, self)
        if digest not in self.fresh:
            self.fresh[digest] = (digest, name, copy.deepcopy(args), copy.deepcopy(keywords))
        return UNKNOWN

    def give_object(self, _name, _truth):
        return UNKNOWN

    def attempt(self, test):
        try:
            test()
        except (Exception, NeedAnswer):
            self.clock.look()
