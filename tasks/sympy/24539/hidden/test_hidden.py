def test_given_symbols_are_used():
    from sympy import ZZ, ring, symbols
    R, x, y, z = ring("x,y,z", ZZ)
    f = 3*x**2*y - x*y*z + 7*z**3 + 1
    u, v, w = symbols("u,v,w")
    assert f.as_expr(u, v, w) == 3*u**2*v - u*v*w + 7*w**3 + 1
    assert (x - y).as_expr(u, v, w) == u - v
    assert R(5).as_expr(u, v, w) == 5
    assert R(0).as_expr(u, v, w) == 0


def test_one_generator():
    from sympy import QQ, Symbol, ring
    R, x = ring("x", QQ)
    t = Symbol('t', positive=True)
    f = x**3/2 - 4*x
    assert f.as_expr(t) == t**3/2 - 4*t
    assert f.as_expr(t).free_symbols == {t}


def test_ring_symbols_in_another_order():
    from sympy import ZZ, ring, symbols
    R, x, y, z = ring("x,y,z", ZZ)
    f = x**3 + 2*y**2 + 5*z
    X, Y, Z = symbols("x,y,z")
    assert f.as_expr(Y, X, Z) == Y**3 + 2*X**2 + 5*Z
    assert f.as_expr(Y, Z, X) == Y**3 + 2*Z**2 + 5*X
    u = symbols("u")
    assert f.as_expr(Z, X, u) == Z**3 + 2*X**2 + 5*u


def test_coefficients_untouched():
    from sympy import QQ, ring, symbols
    a, u, v = symbols("a,u,v")
    R, x, y = ring("x,y", QQ[a])
    f = R(a)*x**2 + R(a**2 + 1)*y
    assert (f.as_expr(u, v) - (a*u**2 + (a**2 + 1)*v)).expand() == 0


def test_symbol_of_the_coefficients():
    from sympy import ZZ, ring, symbols
    a, u = symbols("a,u")
    R, x, y = ring("x,y", ZZ[a])
    f = R(a)*x + y**2
    assert f.as_expr(a, u) == a**2 + u**2
    assert f.as_expr(u, a) == a*u + a**2


def test_fraction_field_elements():
    from sympy import ZZ, field, symbols
    K, x, y = field("x,y", ZZ)
    u, v = symbols("u,v")
    X, Y = symbols("x,y")
    f = (3*x**2 + y)/(x - 2*y)
    assert f.as_expr(u, v) == (3*u**2 + v)/(u - 2*v)
    assert f.as_expr(Y, X) == (3*Y**2 + X)/(Y - 2*X)


def test_without_symbols():
    from sympy import ZZ, field, ring, symbols
    R, x, y = ring("x,y", ZZ)
    X, Y = symbols("x,y")
    f = 2*x**2*y - 3
    assert f.as_expr() == 2*X**2*Y - 3
    assert f.as_expr(*R.symbols) == f.as_expr()
    K, s, t = field("s,t", ZZ)
    S, T = symbols("s,t")
    assert (s/t).as_expr() == S/T
    E, = ring("", ZZ)
    assert E(3).as_expr() == 3


def test_wrong_number_of_symbols():
    from sympy import ZZ, ring, symbols
    R, x, y, z = ring("x,y,z", ZZ)
    f = x + y + z
    u = symbols("u0:5")
    for n in (1, 2, 4, 5):
        try:
            f.as_expr(*u[:n])
        except ValueError:
            pass
        else:
            assert False, n
