def test_order_comparisons_of_numbers():
    from sympy import Ge, Gt, Integer, Le, Lt
    from sympy.parsing.sympy_parser import parse_expr
    for op, cls in (('<', Lt), ('<=', Le), ('>', Gt), ('>=', Ge)):
        for a, b in ((1, 2), (2, 1), (3, 3)):
            got = parse_expr('%s %s %s' % (a, op, b), evaluate=False)
            assert isinstance(got, cls), (a, op, b, got)
            assert got.args == (Integer(a), Integer(b))
            assert got == cls(a, b, evaluate=False)
            assert str(got) == '%s %s %s' % (a, op, b)


def test_order_comparisons_of_symbols():
    from sympy import Ge, Gt, Le, Lt, Symbol
    from sympy.parsing.sympy_parser import parse_expr
    x = Symbol('x')
    p = Symbol('p', positive=True)
    for op, cls in (('<', Lt), ('<=', Le), ('>', Gt), ('>=', Ge)):
        got = parse_expr('x %s x' % op, evaluate=False)
        assert isinstance(got, cls) and got.args == (x, x), (op, got)
        got = parse_expr('p %s 0' % op, {'p': p}, evaluate=False)
        assert isinstance(got, cls) and got.args == (p, 0), (op, got)


def test_equality_and_inequality():
    from sympy import Eq, Ne, Symbol
    from sympy.parsing.sympy_parser import parse_expr
    x, y = Symbol('x'), Symbol('y')
    for op, cls in (('==', Eq), ('!=', Ne)):
        for a, b, args in (('1', '2', (1, 2)), ('2', '2', (2, 2)), ('x', 'y', (x, y)), ('x', 'x', (x, x))):
            got = parse_expr('%s %s %s' % (a, op, b), evaluate=False)
            assert isinstance(got, cls), (a, op, b, got)
            assert got.args == args, (a, op, b, got)


def test_sides_as_written():
    from sympy import Add, Gt, Lt, Mul, Symbol
    from sympy.parsing.sympy_parser import parse_expr
    x = Symbol('x')
    got = parse_expr('1 + 2 < 4', evaluate=False)
    assert got == Lt(Add(1, 2, evaluate=False), 4, evaluate=False)
    assert str(got.lhs) == '1 + 2'
    got = parse_expr('x > 2*3', evaluate=False)
    assert got == Gt(x, Mul(2, 3, evaluate=False), evaluate=False)
    got = parse_expr('sin(0) <= x + x', evaluate=False)
    assert str(got) == 'sin(0) <= x + x'


def test_inside_larger_expression():
    from sympy import And, Eq, Gt, Lt, Or, Symbol
    from sympy.parsing.sympy_parser import parse_expr
    x = Symbol('x')
    got = parse_expr('(1 < 2) & (x > 0)', evaluate=False)
    assert isinstance(got, And)
    assert set(got.args) == {Lt(1, 2, evaluate=False), Gt(x, 0)}
    got = parse_expr('(x == x) | (3 > 5)', evaluate=False)
    assert isinstance(got, Or)
    assert set(got.args) == {Eq(x, x, evaluate=False), Gt(3, 5, evaluate=False)}


def test_through_sympify():
    from sympy import Lt, Ne, sympify
    got = sympify('7 < 2', evaluate=False)
    assert isinstance(got, Lt) and got.args == (7, 2)
    got = sympify('7 != 7', evaluate=False)
    assert isinstance(got, Ne) and got.args == (7, 7)


def test_evaluation_by_default():
    from sympy import Gt, Symbol
    from sympy.parsing.sympy_parser import parse_expr
    x = Symbol('x')
    assert parse_expr('1 < 2') == True
    assert parse_expr('1 + 2 >= 4') == False
    assert parse_expr('1 == 1') == True
    assert parse_expr('x != x') == False
    assert parse_expr('x > 0') == Gt(x, 0)
    assert parse_expr('(1 < 2) & (x > 0)') == Gt(x, 0)


def test_other_operators():
    from sympy.parsing.sympy_parser import parse_expr
    assert parse_expr('1 in [1, 2]', evaluate=False) == True
    assert parse_expr('x in [y, 2]', evaluate=False) == False
    assert parse_expr('3 not in [1, 2]', evaluate=False) == True


def test_arithmetic_unevaluated():
    from sympy import Add, Mul, Symbol
    from sympy.parsing.sympy_parser import parse_expr
    x = Symbol('x')
    assert parse_expr('1 + 2', evaluate=False) == Add(1, 2, evaluate=False)
    assert parse_expr('2*(x + 1)', evaluate=False) == Mul(2, Add(x, 1, evaluate=False), evaluate=False)
    assert str(parse_expr('1 + 2*3', evaluate=False)) == '1 + 2*3'
