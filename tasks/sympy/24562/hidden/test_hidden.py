def test_reported_strings():
    from sympy import Rational
    assert Rational('0.5', '100') == Rational(1, 200)
    r = Rational('0.5', '100')
    assert (r.p, r.q) == (1, 200)


def test_decimal_strings():
    from fractions import Fraction
    from sympy import Rational
    for p in ('0.5', '-1.25', '7', '0.1', '1e-3'):
        for q in ('3', '0.1', '-2.5', '100', '1e2'):
            want = Fraction(p)/Fraction(q)
            r = Rational(p, q)
            assert (r.p, r.q) == (want.numerator, want.denominator), (p, q, r)


def test_fraction_strings():
    from sympy import Rational
    assert Rational('1/3', '2/5') == Rational(5, 6)
    assert Rational('1/3', '2') == Rational(1, 6)
    assert Rational('-3/4', '-6') == Rational(1, 8)
    assert Rational('2/3', '1/3') == 2
    assert Rational('3/2', '0.75') == 2


def test_other_numerators_with_string_denominator():
    from fractions import Fraction
    from sympy import Float, Rational, S
    for half in (0.5, S.Half, Fraction(1, 2), Float('0.5'), '1/2'):
        assert Rational(half, '100') == Rational(1, 200), half
        assert Rational(half, '3/7') == Rational(7, 6), half
        assert Rational(half, '-0.1') == -5, half


def test_zero_denominator_string():
    from sympy import Rational, S
    assert Rational('0.5', '0') is S.ComplexInfinity
    assert Rational('1/2', '0/3') is S.ComplexInfinity
    assert Rational('0.0', '0') is S.NaN
    assert Rational('0', '0.25') is S.Zero


def test_exact_strings():
    from sympy import Rational
    assert Rational('1', '0.1') == 10
    assert Rational(3, '0.7') == Rational(30, 7)
    assert Rational(1, '12345678901234567890') == Rational(1, 12345678901234567890)
    assert Rational('1', '1/3') == 3


def test_denominators_that_are_numbers():
    from fractions import Fraction
    from sympy import Integer, Rational, S
    for q in (100, Integer(100), Fraction(100), 100.0, Rational(100)):
        assert Rational('0.5', q) == Rational(1, 200), q
        assert Rational(S.Half, q) == Rational(1, 200), q
    assert Rational('1/3', S.Half) == Rational(2, 3)
    assert Rational(0.75, 1.5) is S.Half
    assert Rational(Rational(2, 3), Rational(4, 9)) == Rational(3, 2)


def test_integers_and_single_arguments():
    from sympy import Integer, Rational, S
    assert Rational(6, -4) == Rational(-3, 2)
    assert Rational(6, 3) is S(2)
    assert Rational(2, 4, gcd=1).q == 4
    assert Rational(1, 0) is S.ComplexInfinity
    assert Rational(0, 0) is S.NaN
    assert Rational('3/6') is S.Half
    assert Rational('0.25') == Rational(1, 4)
    assert type(Rational(Integer(8), 4).p) is int


def test_invalid_strings_refused():
    from sympy import Rational
    for p, q in (('1/2/3', '4'), ('0.5', 'a'), (1, 'a'), ('a', 'b'), ('0.5', '1/2/3')):
        try:
            r = Rational(p, q)
        except (TypeError, ValueError):
            pass
        else:
            assert False, (p, q, r)
