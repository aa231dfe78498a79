"""Runs a check program against answers that are already known, in a process that the judged program never enters.

The functions under test are stubs. The calls a check makes are a sequence; ``log`` holds the sequence that the program
was last run on, with what it did on each. As long as the check makes the same calls, the stubs answer from the log, and
the result is exactly that of a program called live. A call that is not next in the log ends the run: the report
then lists the calls to run the program on (explore.py finds as many as can be known), and the check is run again with
their answers. Only a run that met no unknown call gives a verdict.

``run_check(order)`` takes a dict with form, source, support, functions, entry and log, whose entries are tuples:

    (digest, "returned", value, changed, printed)
    (digest, "object", class name, truth, changed, printed) for something that is not plain data
    (digest, "raised", class names, arguments, text, changed, printed)
    (digest, "ended") where the program hung, crashed or gave something that cannot cross

and gives ``(report as JSON, [(digest, function, args, keywords)])``; the second part describes the calls in the report
that are not in the log.
"""

import io
import json
import random
import sys
import types

MODULE_NAME = "check_program"


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
