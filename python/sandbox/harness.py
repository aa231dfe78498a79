"""Runs one untrusted program inside its own process and says, frame by frame, what it did.

The same file serves the native worker (a forked, locked-down child) and the WebAssembly one. It holds no secret: no
expected answer ever reaches this process, so a program that rewrites everything here can at most send other values.

``run(job, send)`` takes the decoded job and a function that takes one frame as JSON text. Frames, in order:

    {"k": "loaded"} or {"k": "failed", "t": type, "m": message, "l": line}
    then for each call of a function program one of
    {"k": "returned", "v": wire}    {"k": "raised", "t", "m", "l"}    {"k": "memory"}    {"k": "flood"}
    (a worker that has no room for a frame puts {"k": "full"} in its place and ends the process)
    and for a stdio program, which has one input per process,
    {"k": "exited", "c": code}      or the same failures as above
"""

import json
import sys
import types

import wire

PROGRAM_FILE = "<program>"
dumps = json.JSONEncoder(separators=(",", ":"), allow_nan=False).encode


def run(job, send):
    if job["style"] == "function":
        run_function(job, send)
    else:
        run_stdio(job, send)


def run_function(job, send):
    # Not "__main__": a solution's demo block under the usual guard is not part of the solution.
    module = new_module("solution")
    try:
        exec(compile_program(job["source"]), module.__dict__)
        entry = resolve_entry(module, job["entry"])
    except BaseException as error:  # noqa: BLE001 - a program may raise anything, SystemExit included
        send(describe_failure(error, "failed"))
        return
    send('{"k":"loaded"}')
    for args, keywords in job["calls"]:
        send(run_call(entry, args, keywords, job["valueBytes"]))


def run_call(entry, args, keywords, value_bytes):
    try:
        # Decoded afresh for each call: a program that changes its arguments changes nobody else's.
        arguments = [wire.decode(item) for item in args]
        named = {name: wire.decode(item) for name, item in keywords.items()}
        answer = entry()(*arguments, **named)
        return '{"k":"returned","v":' + dumps(wire.Encoder(value_bytes).encode(answer)) + "}"
    except wire.ValueTooLarge:
        return '{"k":"flood"}'
    except BaseException as error:  # noqa: BLE001
        return describe_failure(error, "raised")


def run_stdio(job, send):
    module = new_module("__main__")
    code = 0
    failure = None
    try:
        exec(compile_program(job["source"]), module.__dict__)
    except SystemExit as leaving:
        code = exit_code(leaving)
    except BaseException as error:  # noqa: BLE001
        print_traceback(error)
        failure = describe_failure(error, "raised")
    end_as_python_does()
    flush_output()
    send(failure or '{"k":"exited","c":' + str(code) + "}")


def end_as_python_does():
    """Waits for the program's threads and runs what it left for the end, as the interpreter would, however it ended."""
    threading, atexit = sys.modules.get("threading"), sys.modules.get("atexit")
    for module, name in ((threading, "_shutdown"), (atexit, "_run_exitfuncs")):
        try:
            if module:
                getattr(module, name)()
        except BaseException:  # noqa: BLE001 - Python only prints these; the program's own result stands
            pass


def compile_program(source):
    # Python takes the mark that some editors put first from a file, but not from a text.
    return compile(source.removeprefix("\ufeff"), PROGRAM_FILE, "exec", dont_inherit=True)


def new_module(name):
    # A real, registered module: dataclasses and pickle look their classes up by module name.
    module = types.ModuleType(name)
    module.__dict__["__builtins__"] = __builtins__
    sys.modules[name] = module
    return module


def resolve_entry(module, name):
    """A function that gives the callable: for ``Solution().method`` a new instance for every call."""
    if "()." in name:
        class_name, method_name = name.split("().", 1)
        cls = module.__dict__[class_name] if class_name in module.__dict__ else missing(name)
        if not hasattr(cls, method_name):
            missing(name)
        return lambda: getattr(cls(), method_name)
    target = module.__dict__[name] if name in module.__dict__ else missing(name)
    return lambda: target


class MissingEntryPoint(Exception):
    """The program loaded, but what should be called is not there."""


def missing(name):
    raise MissingEntryPoint("the program does not define " + name)


def exit_code(leaving):
    if leaving.code is None:
        return 0
    if isinstance(leaving.code, int):
        return int.__and__(leaving.code, 0xFF)
    try:
        print(leaving.code, file=sys.stderr)
    except BaseException:  # noqa: BLE001 - the code may be any object, and refuse to be printed
        pass
    return 1


def print_traceback(error):
    try:
        import traceback

        # The first frame is this file's own exec.
        traceback.print_exception(type(error), error, error.__traceback__.tb_next)
    except BaseException:  # noqa: BLE001
        pass


def flush_output():
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except BaseException:  # noqa: BLE001 - a program may have closed or replaced its streams
            pass


def describe_failure(error, kind):
    if isinstance(error, MemoryError):
        return '{"k":"memory"}' if kind == "raised" else '{"k":"failed","t":"MemoryError","m":""}'
    try:
        message = str(error)[:500]
    except BaseException:  # noqa: BLE001
        message = "(the error's text could not be made)"
    try:
        line = line_of(error)
        name = str(type(error).__name__)[:100]
        return dumps({"k": kind, "t": name, "m": message, "l": line})
    except BaseException:  # noqa: BLE001
        return dumps({"k": kind, "t": "Exception", "m": "(the error could not be described)", "l": None})


def line_of(error):
    line = error.lineno if isinstance(error, SyntaxError) else None
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == PROGRAM_FILE:
            line = trace.tb_lineno
        trace = trace.tb_next
    return line
