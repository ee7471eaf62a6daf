def test_membership_in_number_sets():
    from sympy import Contains, S, Symbol
    x = Symbol('x')
    for s in (S.Reals, S.Integers, S.Naturals, S.Naturals0, S.Rationals):
        assert Contains(x, s).as_set() == s


def test_membership_in_other_sets():
    from sympy import Contains, FiniteSet, ImageSet, Interval, Lambda, Range, S, Symbol, Union, oo
    t = Symbol('t', real=True)
    n = Symbol('n')
    for s in (Interval(0, 1), Interval.open(-2, oo), FiniteSet(1, 4, 9), Range(0, 10, 3),
              ImageSet(Lambda(n, 2*n + 1), S.Integers), Union(Interval(0, 1), Interval(5, 6))):
        got = Contains(t, s, evaluate=False).as_set()
        assert got == s, (s, got)


def test_result_is_a_set():
    from sympy import Contains, S, Set, Symbol
    x = Symbol('x')
    got = Contains(x, S.Integers).as_set()
    assert isinstance(got, Set)
    assert got.contains(3) == True
    assert got.contains(S.Half) == False


def test_and_with_inequality():
    from sympy import And, Contains, S, Symbol
    x = Symbol('x')
    got = And(Contains(x, S.Integers), x > 0).as_set()
    for value, inside in ((1, True), (7, True), (0, False), (-3, False), (S.Half, False)):
        assert got.contains(value) == inside, value


def test_or_and_not():
    from sympy import Contains, Interval, Not, Or, S, Symbol, Union, oo
    x = Symbol('x')
    inside = Contains(x, Interval(0, 1))
    assert Or(inside, x > 3).as_set() == Union(Interval(0, 1), Interval.open(3, oo))
    assert Not(inside).as_set() == Union(Interval.open(-oo, 0), Interval.open(1, oo))
    gaps = Not(Contains(x, S.Integers)).as_set()
    assert gaps.contains(S.Half) == True
    assert gaps.contains(2) == False


def test_piecewise_pairs():
    from sympy import Contains, Interval, Piecewise, S, Symbol, Union, oo
    x = Symbol('x')
    pairs = Piecewise((6, Contains(x, S.Reals)), (7, True)).as_expr_set_pairs()
    assert pairs == [(6, S.Reals)]
    pairs = Piecewise((x, Contains(x, Interval(0, 1))), (7, True)).as_expr_set_pairs()
    assert pairs == [(x, Interval(0, 1)), (7, Union(Interval.open(-oo, 0), Interval.open(1, oo)))]


def test_membership_stays_a_boolean():
    from sympy import Contains, Interval, S, Symbol
    from sympy.logic.boolalg import Boolean
    x = Symbol('x')
    for s in (S.Reals, S.Integers, Interval(0, 1)):
        c = Contains(x, s)
        assert isinstance(c, Contains) and isinstance(c, Boolean)
        assert c.args == (x, s)
        assert c.subs(x, 1) == True
        assert c.subs(x, 1 + S.ImaginaryUnit) == False


def test_decided_membership_and_bad_set():
    from sympy import Contains, S
    assert Contains(2, S.Integers) is S.true
    assert Contains(-2, S.Naturals) is S.false
    try:
        Contains(2, 5)
    except TypeError:
        pass
    else:
        assert False, "5 is not a set"


def test_inequalities_as_sets():
    from sympy import And, Interval, Not, Or, Symbol, Union, oo
    x = Symbol('x')
    assert And(0 <= x, x < 2).as_set() == Interval.Ropen(0, 2)
    assert Or(x < -1, x > 1).as_set() == Union(Interval.open(-oo, -1), Interval.open(1, oo))
    assert Not(x > 0).as_set() == Interval(-oo, 0)
