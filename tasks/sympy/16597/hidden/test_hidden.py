"""Hidden tests: integer-like, rational, irrational, algebraic and transcendental numbers are finite."""


def test_even_is_finite():
    from sympy import Dummy, Symbol
    for make in (Symbol, Dummy):
        m = make("m", even=True)
        assert m.is_finite is True
        assert m.is_infinite is False
        m = make("m", odd=True)
        assert m.is_finite is True
        assert m.is_infinite is False


def test_other_integers_and_rationals():
    from sympy import Symbol
    for kind in ("integer", "rational", "prime", "composite"):
        s = Symbol("s", **{kind: True})
        assert s.is_finite is True, kind
        assert s.is_infinite is False, kind
    assert Symbol("s", integer=True, positive=True).is_finite is True
    assert Symbol("s", rational=True, integer=False).is_finite is True


def test_irrational_algebraic_transcendental():
    from sympy import Symbol
    for kind in ("irrational", "algebraic", "transcendental"):
        s = Symbol("s", **{kind: True})
        assert s.is_finite is True, kind
        assert s.is_infinite is False, kind


def test_expressions():
    from sympy import Symbol
    n = Symbol("n", integer=True)
    m = Symbol("m", integer=True)
    q = Symbol("q", rational=True)
    for expr in (2*n + 1, n*m, n + q, 3*q - n*m):
        assert expr.is_finite is True, expr
        assert expr.is_infinite is False, expr


def test_infinity_is_no_such_number():
    from sympy import S, Symbol
    kinds = ("even", "odd", "integer", "prime", "composite", "rational", "irrational", "algebraic", "transcendental")
    for obj in (S.Infinity, S.NegativeInfinity, Symbol("w", infinite=True), Symbol("w", infinite=True, real=True)):
        for kind in kinds:
            assert getattr(obj, "is_" + kind) is False, (obj, kind)


def test_contradiction_refused():
    from sympy import Symbol
    from sympy.core.facts import InconsistentAssumptions
    for kind in ("even", "integer", "rational", "irrational", "algebraic"):
        for other in ({"infinite": True}, {"finite": False}):
            try:
                Symbol("k", **dict(other, **{kind: True}))
            except InconsistentAssumptions:
                pass
            else:
                raise AssertionError("accepted: %s %s" % (kind, other))


def test_real_says_nothing():
    from sympy import S, Symbol
    for kind in ("real", "complex", "positive", "negative", "nonnegative", "nonpositive", "nonzero", "commutative"):
        assert Symbol("x", **{kind: True}).is_finite is None, kind
    for kind in ("even", "odd", "integer", "rational", "irrational", "algebraic"):
        assert Symbol("x", **{kind: False}).is_finite is None, kind
    assert S.Infinity.is_real is True and S.NegativeInfinity.is_real is True
    assert S.Infinity.is_positive is True and S.NegativeInfinity.is_negative is True
    assert Symbol("x", real=True, infinite=True).is_real is True
    assert Symbol("x", positive=True, infinite=True).is_positive is True


def test_finite_irrationals_kept():
    from sympy import Rational, Symbol, pi, sqrt
    assert Symbol("x", real=True, finite=True, rational=False).is_irrational is True
    assert Symbol("x", complex=True, finite=True, algebraic=False).is_transcendental is True
    assert sqrt(2).is_irrational is True and sqrt(2).is_transcendental is False
    assert pi.is_irrational is True and pi.is_transcendental is True
    assert Rational(1, 3).is_irrational is False and Rational(1, 3).is_finite is True


def test_index_ranges():
    from sympy import Idx, Rational, Symbol, oo
    i = Symbol("i", integer=True)
    n = Symbol("n", integer=True)
    assert Idx(i, (0, oo)).upper == oo
    assert Idx(i, (-oo, n)).lower == -oo
    assert Idx(i, (-oo, oo)).lower == -oo
    assert Idx(i, oo).upper == oo
    assert Idx(i, (1, n)).upper == n
    for bounds in ((0, Rational(1, 2)), (Rational(-7, 3), oo), (-oo, Rational(5, 2))):
        try:
            Idx(i, bounds)
        except TypeError:
            pass
        else:
            raise AssertionError("accepted: %s" % (bounds,))
