"""What the sealed WebAssembly interpreter imports while it boots: ready modules and the function that takes a job.

Everything here runs before the interpreter's memory is photographed; every program starts from that photograph.
"""

import gc
import json
import os
import random
import struct
import sys
import types

import harness

# Modules that programs like to import. The photograph holds them ready; others are compiled from source on import.
PRELOADED = """abc array bisect collections.abc copy dataclasses datetime decimal enum fractions functools heapq io
itertools math operator random re statistics string typing traceback"""
CHANNEL_AT = 3
FRAME_LENGTH = struct.Struct("<I")
OWN_MODULES = ("harness", "wire", "wasm_entry")

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
    forget_ourselves()
    random.seed(0)
    gc.collect()
    gc.freeze()
