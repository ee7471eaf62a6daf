"""Hidden tests: symbols() uses the requested class for names in sequences."""


def test_functions_from_tuple_of_ranges():
    from sympy import Function, symbols
    from sympy.core.function import UndefinedFunction
    q, u = symbols(("q:2", "u:2"), cls=Function)
    assert q == (Function("q0"), Function("q1"))
    assert u == (Function("u0"), Function("u1"))
    for f in q + u:
        assert isinstance(f, UndefinedFunction)
    assert symbols(("f", "g"), cls=Function) == (Function("f"), Function("g"))


def test_lists_and_sets():
    from sympy import Function, symbols
    f, g, h = Function("f"), Function("g"), Function("h")
    assert symbols(["f", "g h"], cls=Function) == [f, (g, h)]
    assert symbols({"f", "g"}, cls=Function) == {f, g}


def test_other_classes():
    from sympy import Dummy, Symbol, Wild, symbols

    class Marked(Symbol):
        pass

    for cls in (Dummy, Wild, Marked):
        (a,), b, (c, d) = symbols(["a,", "b", "c:2"], cls=cls)
        assert [type(s) for s in (a, b, c, d)] == [cls]*4
        assert [s.name for s in (a, b, c, d)] == ["a", "b", "c0", "c1"]
    assert symbols(("a", "b:2"), cls=str.upper) == ("A", ("B0", "B1"))


def test_nested_sequences():
    from sympy import Function, Wild, symbols
    f, g, h, k = [Function(name) for name in "fghk"]
    assert symbols(("f", ["g", ("h k",)]), cls=Function) == (f, [g, ((h, k),)])
    ((a, b),) = symbols((("a", "b"),), cls=Wild)
    assert type(a) is Wild and type(b) is Wild


def test_class_and_assumptions():
    from sympy import Dummy, Function, symbols
    a, (b, c) = symbols(("a", "b:2"), cls=Dummy, positive=True)
    for s in (a, b, c):
        assert type(s) is Dummy
        assert s.is_positive is True
    f, g = symbols(["f", "g"], cls=Function, real=True)
    assert f == Function("f", real=True) and g == Function("g", real=True)


def test_assumptions_kept():
    from sympy import Symbol, symbols
    x, (y, z) = symbols(("x", ["y", "z"]), integer=True)
    for s in (x, y, z):
        assert type(s) is Symbol and s.is_integer is True
    assert symbols(("x", "y"), seq=True) == ((Symbol("x"),), (Symbol("y"),))


def test_plain_sequences_kept():
    from sympy import Function, Symbol, symbols
    a, b, c = [Symbol(name) for name in "abc"]
    assert symbols(("a", "b:c")) == (a, (b, c))
    assert symbols(["a", "b", "c"]) == [a, b, c]
    assert symbols({"a", "b"}) == {a, b}
    assert symbols("f, g", cls=Function) == (Function("f"), Function("g"))
