def _value(expr, point, printer=None):
    """Value of the Python code printed for expr at a point given as {name: number}."""
    import math
    from sympy import pycode
    code = printer.doprint(expr) if printer is not None else pycode(expr)
    return eval(code, {"math": math, "abs": abs}, dict(point))


def _check(make, points=((7, 5, 3), (3, 7, 2), (-8, 5, 4), (11, -4, 3), (9, 7, 5))):
    """make(x, y, z, mod) builds an expression or a number; compare printed code with plain arithmetic."""
    from sympy import Mod, symbols
    x, y, z = symbols("x y z")
    expr = make(x, y, z, Mod)
    for a, b, c in points:
        got = _value(expr, {"x": a, "y": b, "z": c})
        want = make(a, b, c, lambda p, q: p - q*(p//q))
        assert abs(got - want) < 1e-9, (expr, (a, b, c), got, want)


def test_negated_modulus():
    from sympy import Mod, lambdify, symbols
    x, y = symbols("x y")
    for modules in ([], "math"):
        g = lambdify([x, y], -Mod(x, y), modules=modules)
        assert g(3, 7) == -3
        assert g(-3, 7) == -4
        assert g(9, 4) == -1
    _check(lambda x, y, z, mod: -mod(x, y))
    _check(lambda x, y, z, mod: -mod(x + z, y))


def test_negated_modulus_mpmath():
    from sympy import Mod, lambdify, symbols
    x, y, z = symbols("x y z")
    assert lambdify([x, y], -Mod(x, y), modules="mpmath")(3, 7) == -3
    assert lambdify([x, y, z], z*Mod(x, y), modules="mpmath")(9, 7, 5) == 10


def test_multiplied_modulus():
    _check(lambda x, y, z, mod: z*mod(x, y))
    _check(lambda x, y, z, mod: 2*mod(x, y))
    _check(lambda x, y, z, mod: mod(x, y)*(z + 1))
    _check(lambda x, y, z, mod: mod(x, y)*mod(z, 4))
    _check(lambda x, y, z, mod: x*z*mod(y, 7))


def test_divided_modulus():
    _check(lambda x, y, z, mod: mod(x, y)/z)
    _check(lambda x, y, z, mod: -mod(x, y)/z)
    _check(lambda x, y, z, mod: z/mod(x, y))
    _check(lambda x, y, z, mod: 1/mod(x, y))


def test_modulus_in_powers():
    _check(lambda x, y, z, mod: mod(x, y)**2)
    _check(lambda x, y, z, mod: -mod(x, y)**2)
    _check(lambda x, y, z, mod: mod(x, y)**z)
    _check(lambda x, y, z, mod: 2**mod(x, y), points=((7, 5, 3), (3, 7, 2), (-8, 5, 4)))
    _check(lambda x, y, z, mod: z**mod(x, y), points=((7, 5, 3), (3, 7, 2), (-8, 5, 4)))


def test_compound_arguments():
    _check(lambda x, y, z, mod: mod(-x, y))
    _check(lambda x, y, z, mod: mod(x, -y))
    _check(lambda x, y, z, mod: mod(x*z, y))
    _check(lambda x, y, z, mod: mod(x, y*z))
    _check(lambda x, y, z, mod: mod(x + z, y))
    _check(lambda x, y, z, mod: mod(x, y + 9*z))
    _check(lambda x, y, z, mod: mod(x, y**2))
    _check(lambda x, y, z, mod: mod(mod(x, y), z), points=((17, 12, 5), (29, 18, 4)))
    _check(lambda x, y, z, mod: mod(z, mod(x, y)))


def test_modulus_in_sums_and_calls():
    from sympy import Mod, Piecewise, lambdify, symbols
    _check(lambda x, y, z, mod: z + mod(x, y))
    _check(lambda x, y, z, mod: z - mod(x, y))
    _check(lambda x, y, z, mod: mod(x, y) - z)
    _check(lambda x, y, z, mod: z*abs(mod(x, y)))
    x, y, z = symbols("x y z")
    f = lambdify([x, y, z], Piecewise((1, Mod(x, y) > z), (0, True)), modules=[])
    assert f(9, 7, 1) == 1
    assert f(9, 7, 2) == 0
    g = lambdify([x], Piecewise((x, Mod(x, 2) < 1), (3*x, True)), modules=[])
    assert [g(4), g(5)] == [4, 15]


def test_products_without_modulus():
    _check(lambda x, y, z, mod: -x*y*z)
    _check(lambda x, y, z, mod: -x/(y*z))
    _check(lambda x, y, z, mod: -(x + y)*z)
    _check(lambda x, y, z, mod: -x**2)
    _check(lambda x, y, z, mod: x - (y - z))
    _check(lambda x, y, z, mod: -2*x/(3*y))


def test_function_call_printers():
    import types
    from sympy import Mod, ccode, symbols
    from sympy.printing.numpy import NumPyPrinter
    x, y, z = symbols("x y z")
    names = {"numpy": types.SimpleNamespace(mod=lambda p, q: p % q), "fmod": lambda p, q: p % q}
    for expr in (-Mod(x, y), z*Mod(x, y), Mod(x, y)/z, z - Mod(x, y), -z*Mod(x, y)):
        code = NumPyPrinter().doprint(expr)
        assert "numpy.mod(x, y)" in code
        want = expr.subs({x: 9, y: 7, z: 4})
        assert eval(code, dict(names), {"x": 9, "y": 7, "z": 4}) == want
        code = ccode(expr)
        assert "fmod(x, y)" in code
        assert eval(code, dict(names), {"x": 9, "y": 7, "z": 4}) == want
