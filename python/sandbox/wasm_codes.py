"""Code of library modules, compiled once and kept.

Compiling leaves the heap full of holes, and every program's reset would copy them. So an interpreter boots twice: the
first one compiles what it imports and leaves the code in files, the second one finds it there and never compiles.
"""

import marshal
import zipimport

READY = "/sparring/codes/"
FRESH = "/tmp/"

compile_source = zipimport._compile_source


def start():
    zipimport._compile_source = ready_or_compiled


def stop():
    zipimport._compile_source = compile_source


def ready_or_compiled(path, source):
    name = path.replace("/", "!")
    try:
        with open(READY + name, "rb") as file:
            return marshal.loads(file.read())
    except FileNotFoundError:
        code = compile_source(path, source)
        with open(FRESH + name, "wb") as file:
            file.write(marshal.dumps(code))
        return code
