"""Runs the test functions of a pytest file in order: functions and classes named test…, unittest cases, rows of
parametrize, simple fixtures. A test's exception passes through; whoever runs them stops there.
"""

import inspect
import unittest


def run_tests(namespace, attempt):
    """Runs every test through ``attempt`` and gives how many there are."""
    attempt(namespace.get("setup_module", lambda *_: None))
    tests = [test for value in list(namespace.values()) for test in tests_in(value, namespace)]
    for test in tests:
        attempt(test)
    return len(tests)


def tests_in(value, namespace):
    if getattr(value, "__skips__", False):
        return
    if inspect.isfunction(value) and value.__name__.startswith("test") and not hasattr(value, "__fixture__"):
        if value.__module__ == namespace["__name__"]:
            yield from tests_of(value, namespace, value)
    elif inspect.isclass(value) and issubclass(value, unittest.TestCase):
        if value.__module__ == namespace["__name__"]:
            yield from unittests_of(value)
    elif inspect.isclass(value) and value.__name__.startswith("Test"):
        for name, method in list(vars(value).items()):
            if name.startswith("test") and inspect.isfunction(method) and not hasattr(method, "__skips__"):
                yield from tests_of(method, namespace, method_of(value, name))


def method_of(cls, name):
    """Each test gets an instance of its own."""

    def run(*args, **keywords):
        instance = cls()
        getattr(instance, "setup_method", lambda *_: None)(*[getattr(instance, name)][: takes(instance)])
        try:
            return getattr(instance, name)(*args, **keywords)
        finally:
            getattr(instance, "teardown_method", lambda *_: None)(*[getattr(instance, name)][: takes(instance)])

    return run


def takes(instance):
    setup = getattr(instance, "setup_method", None)
    return len(inspect.signature(setup).parameters) if setup else 1


def unittests_of(cls):
    def run(name):
        cls.setUpClass()
        try:
            cls(name).debug()
        finally:
            cls.tearDownClass()

    for name in unittest.defaultTestLoader.getTestCaseNames(cls):
        yield lambda name=name: skipping(lambda: run(name))


def tests_of(function, namespace, run):
    """One test for each combination of rows."""
    combinations = [{}]
    for names, rows in getattr(function, "__rows__", []):
        chosen = [dict(zip(names, values_in(row, names))) for row in rows]
        combinations = [{**before, **row} for row in chosen for before in combinations]
    wanted = [name for name in inspect.signature(function).parameters if name != "self"]
    for given in combinations:
        yield lambda given=given: skipping(lambda: with_fixtures(run, wanted, given, namespace))


def values_in(row, names):
    return (row[0],) if len(names) == 1 and isinstance(row, Parameters) else (row,) if len(names) == 1 else row


def skipping(run):
    try:
        run()
    except (Skipped, unittest.SkipTest):
        pass


def with_fixtures(run, wanted, given, namespace):
    made, opened = dict(given), []
    usual = sys.stdout, sys.stderr
    always = [name for name, value in namespace.items() if getattr(value, "__fixture__", None) == "always"]
    try:
        for name in always + wanted:
            make_fixture(name, made, opened, namespace)
        run(**{name: made[name] for name in wanted})
    finally:
        sys.stdout, sys.stderr = usual
        for generator in reversed(opened):
            next(generator, None)


def make_fixture(name, made, opened, namespace):
    if name in made:
        return
    if name == "capsys":
        made[name] = Captured()
        return
    function = namespace.get(name)
    if not hasattr(function, "__fixture__"):
        raise Unavailable("the fixture " + name)
    needed = list(inspect.signature(function).parameters)
    for each in needed:
        make_fixture(each, made, opened, namespace)
    value = function(**{each: made[each] for each in needed})
    if inspect.isgenerator(value):
        opened.append(value)
        value = next(value)
    made[name] = value
