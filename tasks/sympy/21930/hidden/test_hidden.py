def _legal(tex):
    """True if no symbol or group in tex carries two superscripts or two subscripts."""
    import re
    tokens = re.findall(r"\\[A-Za-z]+|\\.|[^\s\\]", tex)
    stack = []        # scripts on the symbol before each open group
    seen = set()      # scripts on the current symbol
    script = False    # is the next token the argument of a script?
    skip = False      # is the next token the delimiter of \left or \right?
    for tok in tokens:
        if skip:
            skip = False
        elif tok in "^_":
            if tok in seen or script:
                return False
            seen.add(tok)
            script = True
        elif tok in ("{", "\\left"):
            stack.append(seen if script else set())
            seen, script = set(), False
            skip = tok == "\\left"
        elif tok in ("}", "\\right"):
            seen = stack.pop()
            skip = tok == "\\right"
        elif script:
            script = False
        else:
            seen = set()
    return not stack and not script


def _letters(tex):
    """tex without grouping and spaces."""
    import re
    return re.sub(r"\\left\(|\\right\)|[{}\s]", "", tex)


def _check(expr, letters, **options):
    from sympy import latex
    tex = latex(expr, **options)
    assert _legal(tex), tex
    assert _letters(tex) == letters, (tex, _letters(tex))


def test_power_in_commutator():
    from sympy import Symbol
    from sympy.physics.secondquant import B, Bd, Commutator
    a = Symbol("0")
    _check(Commutator(Bd(a)**2, B(a)), r"-\left[b_0,b^\dagger_0^2\right]")
    k = Symbol("k")
    _check(Commutator(Bd(k)**3, B(k)), r"-\left[b_k,b^\dagger_k^3\right]")


def test_powers_of_creators():
    from sympy import symbols
    from sympy.physics.secondquant import B, Bd, F, Fd
    i, n = symbols("i n")
    _check(Bd(i)**2, r"b^\dagger_i^2")
    _check(Fd(i)**2, r"a^\dagger_i^2")
    _check(Fd(i)**n, r"a^\dagger_i^n")
    _check(Bd(i)**(n + 1), r"b^\dagger_i^n+1")
    _check(Bd(i)**-1, r"b^\dagger_i^-1")
    _check(2*Bd(i)**2*B(i), r"2b^\dagger_i^2b_i")
    _check(Fd(i)**n*F(i), r"a^\dagger_i^na_i")
    _check(1 + Bd(i)**4, r"1+b^\dagger_i^4")


def test_powers_of_tensors():
    from sympy import exp, symbols
    from sympy.physics.secondquant import AntiSymmetricTensor
    i, j, p, q, x = symbols("i j p q x")
    t = AntiSymmetricTensor("t", (p, q), (i, j))
    _check(t**2, "t^pq_ij^2")
    _check(t**x, "t^pq_ij^x")
    _check(t**-2, r"\frac1t^pq_ij^2")
    _check(-3*t**2, "-3t^pq_ij^2")
    _check(exp(t**2), "e^t^pq_ij^2")
    _check(AntiSymmetricTensor("v", (p,), (i,))**5, "v^p_i^5")


def test_powers_with_options():
    from sympy import Rational, sqrt, symbols
    from sympy.physics.secondquant import AntiSymmetricTensor, Bd
    i, j, p, q = symbols("i j p q")
    t = AntiSymmetricTensor("t", (p, q), (i, j))
    folded = dict(fold_frac_powers=True, root_notation=False)
    _check(sqrt(t), "t^pq_ij^1/2", **folded)
    _check(t**Rational(2, 3), "t^pq_ij^2/3", fold_frac_powers=True)
    _check(t**Rational(2, 3), r"t^pq_ij^\frac23")
    _check(sqrt(t), r"t^pq_ij^\frac12", root_notation=False)
    _check(Bd(i)**Rational(3, 2), r"b^\dagger_i^3/2", fold_frac_powers=True)
    _check(Bd(i)**2, r"b^\dagger_i^2", parenthesize_super=False)
    _check(t**2, "t^pq_ij^2", parenthesize_super=False)


def test_without_power():
    from sympy import latex, symbols
    from sympy.physics.secondquant import AntiSymmetricTensor, B, Bd, Commutator, F, Fd, NO
    i, j, p, q = symbols("i j p q")
    _check(Bd(i), r"b^\dagger_i")
    _check(Fd(i), r"a^\dagger_i")
    _check(Fd(p)*F(q), r"a^\dagger_pa_q")
    _check(AntiSymmetricTensor("t", (p, q), (i, j)), "t^pq_ij")
    _check(Commutator(Fd(p)*F(i), Fd(q)*F(j)), r"\left[a^\dagger_pa_i,a^\dagger_qa_j\right]")
    _check(NO(Fd(i)*Fd(p)), r"\left\a^\dagger_ia^\dagger_p\right\ ".strip())
    assert latex(B(i)) == "b_{i}"
    assert latex(F(i)) == "a_{i}"
    assert repr(Bd(i)) == "CreateBoson(i)"
    assert str(AntiSymmetricTensor("t", (p, q), (i, j))) == "t((p, q),(i, j))"


def test_roots_and_groups():
    from sympy import symbols
    from sympy.physics.secondquant import AntiSymmetricTensor, B, Bd
    i, j, p, q = symbols("i j p q")
    t = AntiSymmetricTensor("t", (p, q), (i, j))
    _check(1/t, r"\frac1t^pq_ij")
    _check(2**t, "2^t^pq_ij")
    _check((Bd(i)*B(i))**2, r"b^\dagger_ib_i^2")
    _check((t + 1)**2, "t^pq_ij+1^2")
    _check(abs(t)**2, r"\left|t^pq_ij\right|^2")


def test_other_powers():
    from sympy import Function, Matrix, Rational, Symbol, latex, sin, symbols
    from sympy.physics.secondquant import B, F
    x, y, n = symbols("x y n")
    f = Function("f")
    assert latex(x**2) == "x^{2}"
    assert latex(B(x)**2) == "b_{x}^{2}"
    assert latex(F(x)**n) == "a_{x}^{n}"
    assert latex(Symbol("x_1")**2) == "x_{1}^{2}"
    assert latex(Symbol("x^a")**2) == r"\left(x^{a}\right)^{2}"
    assert latex(Symbol("x^a")**2, parenthesize_super=False) == "{x^{a}}^{2}"
    assert latex((x**y)**n) == r"\left(x^{y}\right)^{n}"
    assert latex((x + y)**-2) == r"\frac{1}{\left(x + y\right)^{2}}"
    assert latex(x**Rational(2, 3), fold_frac_powers=True) == "x^{2/3}"
    assert latex(sin(x)**2) == r"\sin^{2}{\left(x \right)}"
    assert latex(f(x)**2) == r"f^{2}{\left(x \right)}"
    assert latex(f(x).diff(x)**2) == r"\left(\frac{d}{d x} f{\left(x \right)}\right)^{2}"
    assert latex(Matrix([[x]])**2) == r"\left[\begin{matrix}x^{2}\end{matrix}\right]"
