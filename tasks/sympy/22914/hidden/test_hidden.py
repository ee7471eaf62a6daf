def _run(code, **values):
    import math
    scope = {'__builtins__': {'min': min, 'max': max}, 'math': math}
    return eval(code, scope, values)


def test_two_arguments():
    from sympy import Max, Min, pycode, symbols
    x, y = symbols('x y')
    small, large = pycode(Min(x, y)), pycode(Max(x, y))
    assert small.replace(' ', '') in ('min(x,y)', 'min(y,x)')
    assert large.replace(' ', '') in ('max(x,y)', 'max(y,x)')
    assert _run(small, x=3, y=-2) == -2
    assert _run(large, x=3, y=-2) == 3


def test_more_arguments():
    from itertools import permutations
    from sympy import Max, Min, pycode, symbols
    x, y, z, t = symbols('x y z t')
    small, large = pycode(Min(x, y, z, t)), pycode(Max(x, y, z, t))
    assert small.startswith('min(') and large.startswith('max(')
    for p, q, r, s in permutations((1, 2, 3, 4)):
        assert _run(small, x=p, y=q, z=r, t=s) == 1
        assert _run(large, x=p, y=q, z=r, t=s) == 4


def test_nested_arguments_written_once():
    import re
    from sympy import Max, Min, pycode, sin, symbols
    x, y, z, w = symbols('x y z w')
    code = pycode(Min(x, Max(y, Min(z, sin(w) + 1))))
    for name in ('x', 'y', 'z', 'w'):
        assert len(re.findall(r'\b%s\b' % name, code)) == 1, code
    assert code.count('min(') == 2 and code.count('max(') == 1
    assert _run(code, x=5, y=-1, z=3, w=0) == 1
    assert _run(code, x=5, y=-1, z=-3, w=0) == -1
    assert _run(code, x=-5, y=-1, z=-3, w=0) == -5


def test_inside_expressions():
    from sympy import Max, Min, pycode, symbols
    x, y = symbols('x y')
    code = pycode(2*Min(x, y)**2 - Max(x, 3, y + 1))
    assert code.count('min(') == 1 and code.count('max(') == 1
    assert 'if' not in code
    assert _run(code, x=4, y=5) == 26
    assert _run(code, x=-4, y=1) == 29


def test_short_names():
    from sympy import Max, Min, pycode, sin, symbols
    x, y = symbols('x y')
    code = pycode(Min(sin(x), y), fully_qualified_modules=False)
    assert code.replace(' ', '') in ('min(y,sin(x))', 'min(sin(x),y)')
    code = pycode(Max(x, y), fully_qualified_modules=False)
    assert code.replace(' ', '') in ('max(x,y)', 'max(y,x)')


def test_user_functions_preferred():
    from sympy import Max, Min, lambdify, pycode, symbols
    x, y = symbols('x y')
    names = {'Min': 'lowest', 'Max': 'highest'}
    code = pycode(Min(x, y), user_functions=names)
    assert code.replace(' ', '') in ('lowest(x,y)', 'lowest(y,x)')
    code = pycode(1 + Max(x, y), user_functions=names)
    assert 'highest(' in code and 'max' not in code
    f = lambdify([x, y], Min(x, y), [{'Min': lambda *args: 42}, 'math'])
    assert f(1, 2) == 42


def test_mpmath_printer():
    from sympy import Max, Min, lambdify, symbols
    from sympy.printing.pycode import MpmathPrinter
    x, y, z = symbols('x y z')
    assert MpmathPrinter().doprint(Min(x, y))
    assert MpmathPrinter().doprint(Max(x, y, z))
    f = lambdify([x, y, z], [Min(x, y, z), Max(x, y, z), Min(x, 2)], 'mpmath')
    assert f(3, 1, 2) == [1, 3, 2]


def test_lambdify_math():
    from sympy import Max, Min, lambdify, sin, symbols
    x, y, z = symbols('x y z')
    f = lambdify([x, y, z], [Min(x, y, z), Max(x, y, z), Max(sin(x), y)], 'math')
    assert f(0, 1, -2) == [-2, 1, 1]
    assert f(0, -1, 5) == [-1, 5, 0]


def test_numpy_printer_unchanged():
    from sympy import Max, Min, symbols
    from sympy.printing.numpy import NumPyPrinter
    x, y = symbols('x y')
    code = NumPyPrinter().doprint(Min(x, y))
    assert code.startswith('numpy.amin(') and 'axis=0' in code
    code = NumPyPrinter().doprint(Max(x, y))
    assert code.startswith('numpy.amax(') and 'axis=0' in code


def test_neighbours_unchanged():
    from sympy import Abs, Piecewise, log, pycode, sign, symbols
    x, y = symbols('x y')
    assert pycode(Abs(x)) == 'abs(x)'
    assert pycode(log(x) + 1) == 'math.log(x) + 1'
    assert 'math.copysign' in pycode(sign(x))
    assert ' if ' in pycode(Piecewise((x, x <= y), (y, True)))
