"""Fits the standard library to an interpreter that has no threads, processes, sockets or JavaScript.

A program that undoes any of this gains nothing: the walls are outside.
"""

import _thread
import importlib.machinery
import posix
import sys
import threading

# Pyodide's Python half lies in its standard library; without its JavaScript half it is of no use to honest programs.
REFUSED = frozenset(("_pyodide", "_pyodide_core", "js", "pyodide", "pyodide_js"))
EVENT_LOOP = "asyncio.unix_events"


def adapt(event_loop_code):
    # Programs use it as "more than anything"; what they compute from it must not depend on the sandbox.
    sys.maxsize = 2**63 - 1
    threading.Thread.start = run_at_once
    sys.meta_path.insert(0, Gate(event_loop_code))


class Gate:
    """First in the line of module finders."""

    def __init__(self, event_loop_code):
        self.event_loop_code = event_loop_code

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in REFUSED:
            count_refusal()
            raise ModuleNotFoundError("No module named " + repr(name), name=name)
        if name == EVENT_LOOP:
            return importlib.machinery.ModuleSpec(name, self)
        if name in ADAPTED:
            spec = importlib.machinery.PathFinder.find_spec(name, path)
            spec.loader = AdaptingLoader(spec.loader, ADAPTED[name])
            return spec
        return None

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        exec(self.event_loop_code, module.__dict__)


class AdaptingLoader:
    """Loads a module as usual, then changes it."""

    def __init__(self, loader, adapt_module):
        self.loader = loader
        self.adapt_module = adapt_module

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        self.loader.exec_module(module)
        self.adapt_module(module)


def count_refusal():
    posix.system("")  # refused and counted outside


def count_process_attempts(subprocess):
    """``subprocess`` refuses by itself; this makes its refusals count."""
    refuse = subprocess.Popen.__init__

    def __init__(self, *arguments, **options):
        count_refusal()
        refuse(self, *arguments, **options)

    subprocess.Popen.__init__ = __init__


def work_at_once(thread_pools):
    """A pool of threads without threads: work is done when it is submitted."""

    def submit(self, function, /, *arguments, **keywords):
        if self._shutdown:
            raise RuntimeError("cannot schedule new futures after shutdown")
        future = thread_pools._base.Future()
        future.set_running_or_notify_cancel()
        try:
            result = function(*arguments, **keywords)
        except BaseException as error:  # noqa: BLE001 - it belongs to whoever asks for the result
            future.set_exception(error)
        else:
            future.set_result(result)
        return future

    thread_pools.ThreadPoolExecutor.submit = submit


ADAPTED = {"subprocess": count_process_attempts, "concurrent.futures.thread": work_at_once}


def run_at_once(self):
    """Thread.start where there are no threads: the thread runs to its end before anything else does.

    Enough for what solutions use threads for (a larger stack, a few workers that are joined); two threads that wait
    for each other would wait for ever, and are ended by the time limit.
    """
    if not self._initialized:
        raise RuntimeError("thread.__init__() not called")
    if self._started.is_set():
        raise RuntimeError("threads can only be started once")
    identity = _thread.get_ident()
    starter = threading._active.get(identity)
    self._ident = identity
    self._os_thread_handle = _thread._make_thread_handle(identity)
    self._started.set()
    threading._active[identity] = self
    try:
        self.run()
    except BaseException:  # noqa: BLE001 - as in a real thread, nothing gets out
        self._invoke_excepthook(self)
    finally:
        self._os_thread_handle._set_done()
        threading._active[identity] = starter
