def _refused(*coords, **kwargs):
    from sympy import Point
    try:
        Point(*coords, **kwargs)
    except ValueError:
        return True
    return False


def test_integer_points_without_evaluation():
    from sympy import Point, Point2D, Point3D, evaluate
    with evaluate(False):
        p2 = Point(1, 2)
        q2 = Point2D(-7, 0)
        p3 = Point3D(3, 4, -5)
        p4 = Point(1, 2, 3, 4)
    assert p2 == Point(1, 2) and isinstance(p2, Point2D)
    assert q2 == Point(-7, 0)
    assert p3 == Point(3, 4, -5)
    assert p4 == Point(1, 2, 3, 4)


def test_points_from_strings_without_evaluation():
    from sympy import Point, evaluate, sympify
    with evaluate(False):
        p = sympify('Point2D(Integer(3), Integer(4))')
        q = sympify('Point3D(Integer(3), Integer(4), Integer(5))')
    assert p == Point(3, 4)
    assert q == Point(3, 4, 5)


def test_other_real_numbers_without_evaluation():
    from sympy import E, Point, Rational, Symbol, evaluate, pi, sqrt
    half, root, x = Rational(1, 2), sqrt(2), Symbol('x')
    with evaluate(False):
        p = Point(half, Rational(-5, 3))
        q = Point(root, pi)
        r = Point(x, E, 2)
        s = Point(root + pi, 1)
    assert p.args == (Rational(1, 2), Rational(-5, 3))
    assert q.args == (sqrt(2), pi)
    assert r.args == (x, E, 2)
    assert len(s.args) == 2


def test_floats_left_alone_without_evaluation():
    from sympy import Float, Point, evaluate
    with evaluate(False):
        p = Point(0.5, 1.25)
    assert all(isinstance(c, Float) for c in p.args)
    assert [float(c) for c in p.args] == [0.5, 1.25]


def test_infinite_points_without_evaluation():
    from sympy import Point, evaluate, oo
    with evaluate(False):
        p = Point(oo, 1)
        q = Point(0, -oo)
    assert p.args == (oo, 1)
    assert q.args == (0, -oo)


def test_imaginary_refused():
    from sympy import I, exp, pi, sqrt
    for coords in ((3, I), (2*I, 1), (pi + I/2, 0), (1, 2, sqrt(-2)),
                   (1, 2, 3, 4 + I), (exp(I), 1)):
        assert _refused(*coords)
        assert _refused(*coords, evaluate=False)


def test_complex_product_refused():
    from sympy import I, sin
    for value in ((1 + I)*(2 + I), sin(1 + I), (1 + I)**2):
        assert _refused(value, 0)
        assert _refused(0, 1, value)


def test_imaginary_refused_without_evaluation():
    from sympy import I, evaluate, sqrt
    values = [I, 2 + I, 3*I, sqrt(-2)]
    with evaluate(False):
        refused = [_refused(1, v) and _refused(v, 1, 1) for v in values]
    assert all(refused), refused


def test_evaluated_points_unchanged():
    from sympy import I, Point, Rational, Symbol, exp, oo, pi
    x = Symbol('x')
    assert Point(0.5, 0.25).args == (Rational(1, 2), Rational(1, 4))
    assert Point(x, x + I*x).args == (x, x + I*x)
    assert Point(oo, -oo).args == (oo, -oo)
    assert Point(I**2, 1) == Point(-1, 1)
    product = (1 + I)*(1 - I)
    assert Point(product, 1).args == (product, 1)
    assert len(Point(exp(I*pi/5) + exp(-I*pi/5), 1).args) == 2
