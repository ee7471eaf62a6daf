def test_constant_in_tuple():
    from sympy import lambdify
    for module in ('math', 'mpmath', 'sympy'):
        assert lambdify([], (1,), module)() == (1,)


def test_expression_in_tuple():
    from sympy import cos, lambdify, symbols
    x, y = symbols('x y')
    assert lambdify([x], (x,), 'math')(7) == (7,)
    assert lambdify([x, y], (x*y + 1,), 'sympy')(2, 3) == (7,)
    assert lambdify([x], (cos(x),), 'math')(0) == (1.0,)
    assert lambdify([[x, y]], (x - y,), 'math')([5, 3]) == (2,)


def test_nested_tuples():
    from sympy import lambdify, symbols
    x, y = symbols('x y')
    cases = [
        ([(x,), y], [(1,), 2]),
        (((x,), y), ((1,), 2)),
        ((x, (y,)), (1, (2,))),
        (((x,),), ((1,),)),
        ([[(x,)], (y,)], [[(1,)], (2,)]),
        (([x],), ([1],)),
        (((x, y),), ((1, 2),)),
    ]
    for expr, expected in cases:
        result = lambdify([x, y], expr, 'math')(1, 2)
        assert result == expected, (expr, result)


def test_matrix_in_tuple():
    from sympy import Matrix, lambdify, symbols
    x = symbols('x')
    result = lambdify([x], (Matrix([[x, 1]]),), 'sympy')(3)
    assert isinstance(result, tuple) and len(result) == 1
    assert result[0] == Matrix([[3, 1]])


def test_common_subexpressions():
    from sympy import lambdify, sin, symbols
    x = symbols('x')
    result = lambdify([x], (sin(x) + sin(x)**2,), 'sympy', cse=True)(0)
    assert result == (0,)


def test_lambdastr_tuples():
    from sympy import symbols
    from sympy.utilities.lambdify import lambdastr
    x, y = symbols('x y')
    assert eval(lambdastr(x, (x,)))(4) == (4,)
    assert eval(lambdastr((x, y), [(x,), (y,)]))(4, 5) == [(4,), (5,)]
    assert eval(lambdastr((x, (y,)), (x + y,)))(4, (5,)) == (9,)


def test_lists_stay_lists():
    from sympy import lambdify, symbols
    from sympy.utilities.lambdify import lambdastr
    x, y = symbols('x y')
    for expr, expected in (([x], [1]), ([], []), ([[x]], [[1]]), ([x, y], [1, 2]),
                           (([x], [y]), ([1], [2]))):
        result = lambdify([x, y], expr, 'math')(1, 2)
        assert result == expected, (expr, result)
        assert eval(lambdastr((x, y), expr))(1, 2) == expected


def test_longer_tuples():
    from sympy import Tuple, lambdify, symbols
    from sympy.utilities.lambdify import lambdastr
    x, y = symbols('x y')
    for expr, expected in (((x, y), (1, 2)), ((y, x, 3), (2, 1, 3)), (((x, y), (y, x)), ((1, 2), (2, 1))),
                           (Tuple(x), (1,)), (Tuple(x, y), (1, 2))):
        result = lambdify([x, y], expr, 'math')(1, 2)
        assert type(result) is tuple
        assert result == expected
        assert eval(lambdastr((x, y), expr))(1, 2) == expected


def test_single_expressions():
    from sympy import lambdify, symbols
    from sympy.utilities.lambdify import lambdastr
    x, y = symbols('x y')
    assert lambdify([x], x + 1, 'math')(1) == 2
    assert lambdify((x,), x*3, 'math')(2) == 6
    assert lambdify([x], 'x + 1', 'math')(1) == 2
    assert eval(lambdastr((x, y), x - y))(5, 3) == 2
