"""Which files pytest collects."""

from tests.conventions.source import ROOT, functions, in_tests, name_of


def is_collected(path, config):
    """Return whether pytest, started without arguments, finds the file by its rules."""
    folders = [each for each in path.parents if each.is_relative_to(ROOT / "tests")]
    return path.match("test_*.py") and not any(
        config.hook.pytest_ignore_collect(collection_path=each, config=config)
        for each in (path, *folders)
    )


def test_every_test_file(pytestconfig):
    """pytest silently skips folders with some names, such as build and dist."""
    tests = [
        path
        for path in in_tests()
        if any(function.name.startswith("test_") for function in functions(path))
    ]

    missed = [name_of(path) for path in tests if not is_collected(path, pytestconfig)]

    assert pytestconfig.getini("testpaths") == ["tests"]
    assert missed == []
