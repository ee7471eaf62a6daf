def _piecewise():
    from sympy import Piecewise, symbols
    from sympy.core.cache import clear_cache
    clear_cache()
    x, y, z = symbols("x y z", real=True)
    return x, y, z, Piecewise((x, y > x), (y, True))


def _check_modulus(dividend, divisor, symbols_):
    """The modulus can be built and has the value of plain arithmetic at a few points."""
    from sympy import Mod, floor
    from sympy.core.cache import clear_cache
    clear_cache()
    modulus = Mod(dividend, divisor)
    for point in ((7, 3, 4), (3, 8, 5), (-9, 2, 7), (5, -6, -4)):
        values = dict(zip(symbols_, point))
        a, b = dividend.subs(values), divisor.subs(values)
        got = modulus.subs(values)
        assert got == a - b*floor(a/b), (modulus, point, got)


def test_substitution():
    from sympy import cos, cosh, exp, log, sin, sinh, tanh
    from sympy.core.cache import clear_cache
    x, y, z, p = _piecewise()
    values = {x: 1, y: 2, z: 4}
    for outer, inner in ((exp, sinh), (exp, cosh), (exp, tanh), (sin, sinh), (cos, cosh), (log, sinh)):
        expr = outer(inner(p/z))
        clear_cache()
        result = expr.subs({1: 1.0})
        assert result.func == outer
        assert result.free_symbols == {x, y, z}
        assert abs(float(result.subs(values)) - float(expr.subs(values))) < 1e-12


def test_assumptions_of_functions():
    from sympy import Piecewise, Symbol, cosh, sinh, tanh
    from sympy.core.cache import clear_cache
    x, y, z, p = _piecewise()
    w = Symbol("w")
    arg = z**-1.0*p
    for func in (sinh, cosh, tanh):
        for query in ("is_zero", "is_finite", "is_positive"):
            clear_cache()
            assert getattr(func(arg), query) in (None, True, False)
            clear_cache()
            assert getattr(func(w*arg), query) in (None, True, False)


def test_piecewise_dividend():
    from sympy import Integer
    x, y, z, p = _piecewise()
    s = (x, y, z)
    _check_modulus(p, Integer(2), s)
    _check_modulus(p, z, s)
    _check_modulus(p + 1, z, s)
    _check_modulus(p/z, Integer(3), s)
    _check_modulus(p + 2*z, z, s)
    _check_modulus(-p, -z, s)
    _check_modulus(3*p, 3*z, s)
    _check_modulus(p**2, z, s)


def test_piecewise_divisor():
    from sympy import Integer
    x, y, z, p = _piecewise()
    s = (x, y, z)
    _check_modulus(z, p, s)
    _check_modulus(Integer(5), p, s)
    _check_modulus(x*z + 1, p, s)
    _check_modulus(2*z, 4*p, s)
    _check_modulus(x*p, x*z, s)
    _check_modulus(p, p + 1 + z**2, s)


def test_numbers_inside_piecewise():
    from sympy import Mod, Piecewise
    x, y, z, p = _piecewise()
    q = Piecewise((7, x > 1), (10, True))
    modulus = Mod(q, 4)
    assert modulus.subs(x, 2) == 3
    assert modulus.subs(x, 0) == 2
    nested = Mod(Mod(q, 4), 2)
    assert nested.subs(x, 2) == 1
    assert nested.subs(x, 0) == 0


def test_known_simplifications_with_piecewise():
    from sympy import Mod, Piecewise, symbols
    x, y, z, p = _piecewise()
    n = symbols("n", integer=True)
    assert Mod(p, p) == 0
    assert Mod(-p, p) == 0
    assert Mod(0, p) == 0
    assert Mod(Piecewise((n, n > 1), (2*n, True)), 1) == 0
    assert Mod(Piecewise((2*n, n > 1), (4*n, True)), 2) == 0


def test_known_simplifications():
    from sympy import Float, Mod, symbols
    x, y, z = symbols("x y z")
    n = symbols("n", integer=True)
    assert Mod(6*x, 4*x) == 2*x
    assert Mod(4*x + 6*y, 2*z) == 2*Mod(2*x + 3*y, z)
    assert Mod(x*y, x*z) == x*Mod(y, z)
    assert Mod(x + y + 2, x) == Mod(y + 2, x)
    assert Mod(-x, -y) == -Mod(x, y)
    assert Mod(6*n, 6) == 0
    assert Mod(Float("0.6")*x, Float("0.3")*y).func in (Mod, (2*x).func)
    assert Mod(7, 4) == 3


def test_polynomials_refuse_piecewise():
    from sympy import gcd
    from sympy.polys.polyerrors import PolynomialError
    x, y, z, p = _piecewise()
    for args in ((p, x), (x, p), (p + 1, 2)):
        try:
            gcd(*args)
        except PolynomialError:
            pass
        else:
            assert False, args


def test_zero_divisor_still_raises():
    from sympy import Mod
    x, y, z, p = _piecewise()
    for dividend in (p, x, 3):
        try:
            Mod(dividend, 0)
        except ZeroDivisionError:
            pass
        else:
            assert False, dividend
