def test_third_factor():
    from sympy import MatrixSymbol, ZeroMatrix, BlockMatrix, block_collapse
    a = MatrixSymbol("a", 2, 2)
    z = ZeroMatrix(2, 2)
    b = BlockMatrix([[a, z], [z, z]])
    assert block_collapse(b*b) == BlockMatrix([[a**2, z], [z, z]])
    assert block_collapse(b*b*b) == BlockMatrix([[a**3, z], [z, z]])


def test_powers_and_mixed_products():
    from sympy import MatrixSymbol, ZeroMatrix, BlockMatrix, BlockDiagMatrix, block_collapse
    c = MatrixSymbol("c", 3, 3)
    d = MatrixSymbol("d", 3, 3)
    z = ZeroMatrix(3, 3)
    lower = BlockMatrix([[z, z], [z, c]])
    assert block_collapse(lower**4) == BlockMatrix([[z, z], [z, c**4]])
    assert block_collapse(lower*lower*2*lower) == BlockMatrix([[z, z], [z, 2*c**3]])
    nothing = BlockMatrix([[z, z], [z, z]])
    assert block_collapse(nothing**3).shape == (6, 6)
    diag = BlockDiagMatrix(d, z)
    upper = BlockMatrix([[c, z], [z, z]])
    assert block_collapse(diag*upper*upper) == BlockMatrix([[d*c**2, z], [z, z]])


def test_vanishing_blocks_keep_their_shape():
    from sympy import MatrixSymbol, ZeroMatrix, BlockMatrix, block_collapse, symbols
    n, m = symbols("n m")
    c = MatrixSymbol("c", n, m)
    nilpotent = BlockMatrix([[ZeroMatrix(n, n), c], [ZeroMatrix(m, n), ZeroMatrix(m, m)]])
    for power in (2, 3):
        product = block_collapse(nilpotent**power)
        assert product.shape == (n + m, n + m)
        want = [[(n, n), (n, m)], [(m, n), (m, m)]]
        for i in range(2):
            for j in range(2):
                block = product.blocks[i, j]
                assert block.is_ZeroMatrix
                assert block.shape == want[i][j]


def test_product_with_uneven_blocks_is_usable():
    from sympy import MatrixSymbol, ZeroMatrix, BlockMatrix, Identity, Matrix, block_collapse, zeros
    a = MatrixSymbol("a", 1, 1)
    left = BlockMatrix([[a, ZeroMatrix(1, 2)], [ZeroMatrix(3, 1), ZeroMatrix(3, 2)]])
    right = BlockMatrix([[a, ZeroMatrix(1, 3)], [ZeroMatrix(2, 1), ZeroMatrix(2, 3)]])
    product = block_collapse(left*right)
    assert product.shape == (4, 4)
    assert product.blocks[0, 1] == ZeroMatrix(1, 3)
    assert product.blocks[1, 0] == ZeroMatrix(3, 1)
    assert product.blocks[1, 1] == ZeroMatrix(3, 3)
    explicit = zeros(4, 4)
    explicit[0, 0] = a[0, 0]**2
    assert Matrix(product.as_explicit()) == explicit
    flipped = block_collapse(product.T)
    assert flipped.shape == (4, 4)
    shifted = block_collapse(product + Identity(4))
    assert shifted.blocks[1, 1] == Identity(3)


def test_add_of_zero_matrices():
    from sympy import Add, MatrixSymbol, ZeroMatrix, symbols
    n, m = symbols("n m")
    a = MatrixSymbol("a", n, n)
    z = ZeroMatrix(n, n)
    assert Add(ZeroMatrix(2, 2), ZeroMatrix(2, 2)) == ZeroMatrix(2, 2)
    assert Add(*[ZeroMatrix(n, m)]*3) == ZeroMatrix(n, m)
    assert Add(ZeroMatrix(1, 4), 5*ZeroMatrix(1, 4)) == ZeroMatrix(1, 4)
    assert Add(z*a, a*z) == z


def test_other_sums_of_matrices():
    from sympy import Add, Matrix, MatrixSymbol, ZeroMatrix
    a = MatrixSymbol("a", 2, 2)
    b = MatrixSymbol("b", 2, 2)
    z = ZeroMatrix(2, 2)
    e = Matrix([[1, 2], [3, 4]])
    assert Add(a, z, z) == a
    assert Add(a, a) == 2*a
    assert Add(a, -a) == z
    assert Add(a, b, z) == a + b
    assert Add(z, e).as_mutable() == e
    assert z + z == z


def test_products_of_matrices():
    from sympy import Identity, MatMul, MatrixSymbol, Mul, ZeroMatrix
    a = MatrixSymbol("a", 2, 2)
    z = ZeroMatrix(2, 2)
    assert Mul(z, z) == z
    assert Mul(3, z) == z
    assert Mul(0, a) == z
    assert Mul(2, a, 3) == 6*a
    assert Mul(a, a) == a**2
    assert Mul(a, a.I) == Identity(2)
    assert isinstance(Mul(2, a), MatMul)


def test_scalar_terms_stay():
    from sympy import Add, MatrixSymbol, Symbol, ZeroMatrix
    x = Symbol("x")
    a = MatrixSymbol("a", 2, 2)
    for scalar in (x, x + 1):
        mixed = Add(scalar, a, a)
        assert x in mixed.free_symbols
        assert a in mixed.free_symbols
    assert set(Add(x, a).args) == {x, a}
    assert x in Add(x, ZeroMatrix(2, 2)).free_symbols
    assert x in Add(x, ZeroMatrix(2, 2), ZeroMatrix(2, 2)).free_symbols


def test_full_block_products():
    from sympy import MatrixSymbol, BlockMatrix, Identity, ZeroMatrix, block_collapse, symbols
    n, m = symbols("n m")
    x = MatrixSymbol("x", n, n)
    y = MatrixSymbol("y", m, m)
    w = MatrixSymbol("w", n, m)
    full = BlockMatrix([[x, w], [ZeroMatrix(m, n), y]])
    row = BlockMatrix([[Identity(n), w]])
    assert block_collapse(row*full) == BlockMatrix([[x, w + w*y]])
    assert full.rowblocksizes == [n, m]
    assert full.colblocksizes == [n, m]
    assert block_collapse(full + full) == BlockMatrix([[2*x, 2*w], [ZeroMatrix(m, n), 2*y]])
