"""Hidden tests: uncontracted gamma matrices in front of a contraction keep their order."""


def test_two_leading_matrices():
    from sympy.physics.hep.gamma_matrices import GammaMatrix as G, LorentzIndex, kahane_simplify
    from sympy.tensor.tensor import tensor_indices
    a, b, m = tensor_indices("a, b, m", LorentzIndex)
    assert kahane_simplify(G(a)*G(b)*G(m)*G(-m)).equals(4*G(a)*G(b))
    assert kahane_simplify(G(b)*G(a)*G(m)*G(-m)).equals(4*G(b)*G(a))


def test_longer_prefix():
    from sympy.physics.hep.gamma_matrices import GammaMatrix as G, LorentzIndex, kahane_simplify
    from sympy.tensor.tensor import tensor_indices
    a, b, c, d, m, n = tensor_indices("a, b, c, d, m, n", LorentzIndex)
    assert kahane_simplify(G(a)*G(b)*G(c)*G(m)*G(-m)).equals(4*G(a)*G(b)*G(c))
    assert kahane_simplify(G(c)*G(a)*G(d)*G(b)*G(m)*G(-m)).equals(4*G(c)*G(a)*G(d)*G(b))
    assert kahane_simplify(G(d)*G(b)*G(c)*G(m)*G(n)*G(-m)*G(-n)).equals(-8*G(d)*G(b)*G(c))


def test_prefix_and_remaining_matrices():
    from sympy.physics.hep.gamma_matrices import GammaMatrix as G, LorentzIndex, kahane_simplify
    from sympy.tensor.tensor import tensor_indices
    a, b, c, d, m, n = tensor_indices("a, b, c, d, m, n", LorentzIndex)
    assert kahane_simplify(G(a)*G(b)*G(m)*G(-m)*G(c)*G(d)).equals(4*G(a)*G(b)*G(c)*G(d))
    assert kahane_simplify(G(a)*G(b)*G(m)*G(c)*G(-m)*G(d)).equals(-2*G(a)*G(b)*G(c)*G(d))
    assert kahane_simplify(G(a)*G(b)*G(m)*G(n)*G(-n)*G(-m)*G(c)).equals(16*G(a)*G(b)*G(c))


def test_prefix_before_a_sum():
    from sympy.physics.hep.gamma_matrices import GammaMatrix as G, LorentzIndex, kahane_simplify
    from sympy.tensor.tensor import tensor_indices
    a, b, c, d, e, m = tensor_indices("a, b, c, d, e, m", LorentzIndex)
    result = kahane_simplify(G(a)*G(b)*G(m)*G(c)*G(d)*G(-m))
    assert result.equals(2*G(a)*G(b)*G(c)*G(d) + 2*G(a)*G(b)*G(d)*G(c))
    result = kahane_simplify(G(b)*G(e)*G(a)*G(m)*G(c)*G(d)*G(-m))
    assert result.equals(2*G(b)*G(e)*G(a)*G(c)*G(d) + 2*G(b)*G(e)*G(a)*G(d)*G(c))


def test_simplify_gamma_expression():
    from sympy.physics.hep.gamma_matrices import GammaMatrix as G, LorentzIndex, simplify_gamma_expression
    from sympy.tensor.tensor import tensor_indices
    a, b, c, m = tensor_indices("a, b, c, m", LorentzIndex)
    assert simplify_gamma_expression(G(a)*G(b)*G(m)*G(c)*G(-m)).equals(-2*G(a)*G(b)*G(c))


def test_no_prefix():
    from sympy.physics.hep.gamma_matrices import GammaMatrix as G, LorentzIndex, kahane_simplify
    from sympy.tensor.tensor import tensor_indices
    a, b, c, m = tensor_indices("a, b, c, m", LorentzIndex)
    assert kahane_simplify(G(m)*G(-m)*G(a)*G(b)).equals(4*G(a)*G(b))
    assert kahane_simplify(G(m)*G(a)*G(b)*G(c)*G(-m)).equals(-2*G(c)*G(b)*G(a))
    assert kahane_simplify(G(m)*G(a)*G(b)*G(-m)).equals(2*G(a)*G(b) + 2*G(b)*G(a))
    assert kahane_simplify(G(a)*G(b)*G(c)).equals(G(a)*G(b)*G(c))


def test_one_leading_matrix():
    from sympy.physics.hep.gamma_matrices import GammaMatrix as G, LorentzIndex, kahane_simplify
    from sympy.tensor.tensor import tensor_indices
    a, b, c, m = tensor_indices("a, b, c, m", LorentzIndex)
    assert kahane_simplify(G(a)*G(m)*G(-m)*G(b)).equals(4*G(a)*G(b))
    assert kahane_simplify(G(a)*G(m)*G(b)*G(-m)*G(c)).equals(-2*G(a)*G(b)*G(c))
    assert kahane_simplify(G(c)*G(m)*G(a)*G(b)*G(-m)).equals(2*G(c)*G(a)*G(b) + 2*G(c)*G(b)*G(a))
