"""Takes the place of asyncio.unix_events in the WebAssembly interpreter: an event loop for programs without sockets.

It knows tasks, timers and futures; there is nothing else to wait for.
"""

import time
from asyncio import base_events, events

__all__ = ("EventLoop", "SelectorEventLoop")


class Waiter:
    """What a selector would be: nothing ever happens but time passing."""

    def select(self, timeout=None):
        # Without a timer nothing can wake the loop any more; the program's wall limit ends that sleep.
        time.sleep(86400 if timeout is None else timeout)
        return ()


class EventLoop(base_events.BaseEventLoop):
    def __init__(self):
        super().__init__()
        self._selector = Waiter()

    def _process_events(self, event_list):
        pass

    def _write_to_self(self):
        pass


SelectorEventLoop = EventLoop


class _DefaultEventLoopPolicy(events._BaseDefaultEventLoopPolicy):
    _loop_factory = EventLoop
