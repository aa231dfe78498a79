"""What the sealed WebAssembly interpreter imports while it boots: ready modules and the function that takes a job.

Everything here runs before the interpreter's memory is photographed; every program starts from that photograph.
"""

# First, so that it sees all other imports.
import wasm_codes

wasm_codes.start()

import gc
import json
import os
import random
import struct
import sys
import types

import harness
import wasm_library

# Modules that programs like to import. The photograph holds them ready; others are compiled from source on import.
PRELOADED = """abc array bisect collections.abc copy dataclasses datetime decimal enum fractions functools heapq io
itertools math operator random re statistics string threading traceback typing"""
CHANNEL_AT = 3
FRAME_LENGTH = struct.Struct("<I")
OWN_MODULES = ("harness", "wasm_codes", "wasm_entry", "wasm_library", "wire")

version = "%d.%d.%d" % sys.version_info[:3]


def run(body):
    harness.run(json.loads(body), send_frame)


def send_frame(text):
    body = text.encode("ascii")
    data = FRAME_LENGTH.pack(len(body)) + body
    while data:
        data = data[os.write(CHANNEL_AT, data) :]


def forget_ourselves():
    """A program that imports ``wire`` or asks for ``__main__`` must not meet us."""
    for name in OWN_MODULES:
        sys.modules.pop(name, None)
    sys.modules["__main__"] = types.ModuleType("__main__")
    folder = sys.path.pop()
    sys.path_importer_cache.pop(folder, None)
    sys.argv[:] = ["program"]


def prepare():
    for name in PRELOADED.split():
        __import__(name)
    wasm_codes.stop()
    with open(os.path.join(sys.path[-1], "wasm_event_loop.py")) as file:
        wasm_library.adapt(compile(file.read(), "wasm_event_loop.py", "exec"))
    forget_ourselves()
    random.seed(0)
    gc.collect()
    gc.freeze()
