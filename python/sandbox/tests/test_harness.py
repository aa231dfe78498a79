"""What the harness says about a program, without any sandbox around it."""

import contextlib
import io
import json
import sys
import unittest

import support  # noqa: F401
import harness


def function(source, *argument_lists, entry="f", value_bytes=1000):
    frames = []
    calls = [[list(arguments), {}] for arguments in argument_lists]
    job = {"style": "function", "source": source, "entry": entry, "calls": calls, "valueBytes": value_bytes}
    harness.run(job, frames.append)
    return [json.loads(frame) for frame in frames]


def stdio(source):
    frames, out, error = [], io.StringIO(), io.StringIO()
    before = sys.modules["__main__"]
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(error):
            harness.run({"style": "stdio", "source": source}, frames.append)
    finally:
        sys.modules["__main__"] = before
    return [json.loads(frame) for frame in frames], out.getvalue(), error.getvalue()


class HarnessTest(unittest.TestCase):
    def test_a_frame_for_loading_and_one_for_each_call(self):
        self.assertEqual(
            function("def f(n): return [n][n]", [0], [1]),
            [
                {"k": "loaded"},
                {"k": "returned", "v": 0},
                {"k": "raised", "t": "IndexError", "m": "list index out of range", "l": 1},
            ],
        )

    def test_failures_while_loading(self):
        for source, name in (("(", "SyntaxError"), ("1/0", "ZeroDivisionError"), ("exit()", "NameError"), ("g = 1", "MissingEntryPoint")):
            frames = function(source, [1]) if name != "NameError" else function("raise SystemExit", [1])
            self.assertEqual(len(frames), 1)
            self.assertEqual(frames[0]["k"], "failed")
        self.assertEqual(function("raise MemoryError", [1]), [{"k": "failed", "t": "MemoryError", "m": ""}])

    def test_everything_a_call_can_raise(self):
        source = "class Odd(BaseException):\n    def __str__(self): raise self\ndef f(n):\n    raise [SystemExit(0), KeyboardInterrupt(), MemoryError(), Odd(), GeneratorExit()][n]"
        frames = function(source, *[[n] for n in range(5)])
        self.assertEqual([frame["k"] for frame in frames], ["loaded", "raised", "raised", "memory", "raised", "raised"])

    def test_values_that_are_too_large(self):
        self.assertEqual(function("def f(): return 'x' * 5000", [])[1], {"k": "flood"})

    def test_arguments_are_made_anew_for_each_call(self):
        self.assertEqual(
            function("def f(a):\n    a.append(1)\n    return a", [[]], [[]])[1:],
            [{"k": "returned", "v": [1]}, {"k": "returned", "v": [1]}],
        )

    def test_methods_have_a_new_instance_each(self):
        source = "class S:\n    n = 0\n    def go(self):\n        self.n += 1\n        return self.n"
        self.assertEqual([frame.get("v") for frame in function(source, [], [], entry="S().go")[1:]], [1, 1])
        self.assertEqual(function(source, [], entry="S().stop")[0]["t"], "MissingEntryPoint")
        self.assertEqual(function(source, [], entry="T().go")[0]["t"], "MissingEntryPoint")

    def test_a_script_ends_as_python_would_end_it(self):
        self.assertEqual(stdio("print(1)"), ([{"k": "exited", "c": 0}], "1\n", ""))
        self.assertEqual(stdio("import sys; sys.exit(260)")[0], [{"k": "exited", "c": 4}])
        self.assertEqual(stdio("import sys; sys.exit(-1)")[0], [{"k": "exited", "c": 255}])
        self.assertEqual(stdio("import sys; sys.exit('bye')"), ([{"k": "exited", "c": 1}], "", "bye\n"))
        self.assertEqual(stdio("import sys; sys.exit(None)")[0], [{"k": "exited", "c": 0}])
        frames, _, error = stdio("x = 1\nx / 0")
        self.assertEqual((frames[0]["k"], frames[0]["l"]), ("raised", 2))
        self.assertIn("ZeroDivisionError", error)
        self.assertNotIn("harness", error)

    def test_a_code_that_cannot_be_printed(self):
        source = "import sys\nclass Odd:\n    def __str__(self): raise SystemExit(0)\nsys.exit(Odd())"
        self.assertEqual(stdio(source)[0], [{"k": "exited", "c": 1}])

    def test_marks_and_modules(self):
        self.assertEqual(function("\ufeffdef f(): return __name__", [])[1], {"k": "returned", "v": "solution"})
        self.assertEqual(stdio("print(__name__)")[1], "__main__\n")


if __name__ == "__main__":
    unittest.main()
