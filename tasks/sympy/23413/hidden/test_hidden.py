# Hermite normal forms, each with the (nonzero) pivot of a column below the pivots of the columns to the left, zeros
# below the pivot and remainders to the right of it. Columns come from these by unimodular operations.

def _mixed(rows, zero_columns=0):
    """Yield matrices which generate the same column lattice as the rows given."""
    from sympy import Matrix, eye, zeros
    H = Matrix(rows)
    n = H.cols + zero_columns
    H = H.row_join(zeros(H.rows, zero_columns))
    for seed in range(3):
        U = eye(n)
        for step in range(6):
            i, j = (step + seed) % n, (2*step + 3*seed + 1) % n
            if i == j:
                U[:, i] = -U[:, i]
            else:
                U[:, i] = U[:, i] + (step - 2 + seed)*U[:, j]
        if n > 1 and seed:
            U.col_swap(0, n - 1)
        assert abs(U.det()) == 1
        yield H*U


def _check(rows, zero_columns=0):
    from sympy import Matrix, ZZ
    from sympy.matrices.normalforms import hermite_normal_form
    from sympy.polys.matrices import DomainMatrix
    from sympy.polys.matrices.normalforms import hermite_normal_form as hnf
    H = Matrix(rows)
    for A in _mixed(rows, zero_columns):
        result = hermite_normal_form(A)
        assert result == H, (A, result)
        D = DomainMatrix.from_Matrix(A).convert_to(ZZ)
        result = hnf(D)
        assert result.to_Matrix() == H, (A, result)
        assert result.domain == ZZ


def test_reported_matrices():
    from sympy import Matrix
    from sympy.matrices.normalforms import hermite_normal_form
    A = Matrix([[3, 17], [0, 4], [0, 6]])
    assert hermite_normal_form(A) == Matrix([[3, 2], [0, 4], [0, 6]])
    A = Matrix([[1, 12], [0, 8], [0, 5]])
    assert hermite_normal_form(A) == Matrix([[1, 0], [0, 8], [0, 5]])


def test_zero_rows_at_the_bottom():
    from sympy import Matrix
    from sympy.matrices.normalforms import hermite_normal_form
    assert hermite_normal_form(Matrix([[4, 6], [0, 0], [0, 0]])) == Matrix([[2], [0], [0]])
    assert hermite_normal_form(Matrix([-5, 0, 0, 0])) == Matrix([5, 0, 0, 0])
    _check([[3, 1], [0, 2], [0, 0], [0, 0], [0, 0]])


def test_dependent_rows():
    _check([[3, 2], [0, 4], [0, 6]])
    _check([[5, 1], [0, 3], [0, -6], [0, 9], [0, 2]])
    _check([[4, 0, 3], [0, 2, 1], [0, 3, 2], [0, 0, 5], [0, 0, -1], [0, 0, 7]])
    _check([[2, 1], [7, 3], [0, 5], [0, 10]])


def test_rank_below_both_dimensions():
    _check([[2], [0], [0]], zero_columns=1)
    _check([[3, 1], [0, 2], [0, 4], [0, 6]], zero_columns=1)
    _check([[6, 5], [0, 7], [0, 0], [0, 0], [0, 14]], zero_columns=2)


def test_dependent_rows_above_all_pivots():
    _check([[7, -3], [2, 9], [3, 1], [0, 2]])
    _check([[-4], [11], [5]])
    _check([[37, 0, 19], [8, 5, -2], [4, 0, 3], [0, 2, 1], [0, 0, 5]])


def test_square_and_wide():
    _check([[10, 0, 2], [0, 15, 3], [0, 0, 2]])
    _check([[4, 1], [0, 3]], zero_columns=2)
    _check([[26, 2], [0, 9], [0, 1]], zero_columns=2)
    _check([[1, 0], [0, 1]])


def test_zero_matrix():
    from sympy import zeros
    from sympy.matrices.normalforms import hermite_normal_form
    for m, n in ((2, 2), (3, 2), (2, 3), (4, 1)):
        assert hermite_normal_form(zeros(m, n)).shape == (m, 0)


def test_modulo_determinant():
    from sympy import Matrix, ZZ
    from sympy.matrices.normalforms import hermite_normal_form
    from sympy.polys.matrices import DomainMatrix
    from sympy.polys.matrices.normalforms import hermite_normal_form as hnf
    from sympy.polys.matrices.exceptions import DMShapeError
    H = Matrix([[4, 0, 0], [0, 2, 1], [0, 0, 1]])
    for A in _mixed([[4, 0, 0], [0, 2, 1], [0, 0, 1]], 1):
        assert hermite_normal_form(A, D=8) == H
        assert hermite_normal_form(A, D=8, check_rank=True) == H
    tall = DomainMatrix.from_Matrix(Matrix([[3, 2], [0, 4], [0, 6]])).convert_to(ZZ)
    try:
        hnf(tall, D=ZZ(12))
    except DMShapeError:
        pass
    else:
        assert False, 'more rows than columns accepted'


def test_input_not_changed():
    from sympy import Matrix
    from sympy.matrices.normalforms import hermite_normal_form
    A = Matrix([[1, 3], [2, 9], [3, 1]])
    B = A.copy()
    hermite_normal_form(A)
    assert A == B
