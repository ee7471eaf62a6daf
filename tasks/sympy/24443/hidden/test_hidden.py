def test_identity_map_of_d3():
    from sympy.combinatorics import DihedralGroup
    from sympy.combinatorics.homomorphisms import homomorphism
    G = DihedralGroup(3)
    T = homomorphism(G, G, G.generators, G.generators)
    assert T.is_isomorphism()
    assert all(T(g) == g for g in G.elements)


def test_identity_map_of_other_groups():
    from sympy.combinatorics import DihedralGroup, Permutation, PermutationGroup, SymmetricGroup
    from sympy.combinatorics.homomorphisms import homomorphism
    c3_c3 = PermutationGroup(Permutation(5)(0, 1, 2), Permutation(3, 4, 5))
    quaternions = PermutationGroup(Permutation(0, 1, 3, 2)(4, 6, 7, 5), Permutation(0, 4, 3, 7)(1, 5, 2, 6))
    for G in (DihedralGroup(4), DihedralGroup(5), SymmetricGroup(4), c3_c3, quaternions):
        T = homomorphism(G, G, G.generators, G.generators)
        assert T.image().order() == G.order()
        x = G.generators[0]*G.generators[1]**-1
        assert T(x) == x


def test_sign_of_permutations():
    from sympy.combinatorics import SymmetricGroup
    from sympy.combinatorics.homomorphisms import homomorphism
    C2 = SymmetricGroup(2)
    swap = C2.generators[0]
    S4 = SymmetricGroup(4)
    T = homomorphism(S4, C2, S4.generators, [swap, swap])
    assert T.kernel().order() == 12
    assert T.is_surjective()


def test_reflections_and_rotations():
    from sympy.combinatorics import CyclicGroup, DihedralGroup
    from sympy.combinatorics.homomorphisms import homomorphism
    D3 = DihedralGroup(3)
    r, s = D3.generators
    C2 = CyclicGroup(2)
    T = homomorphism(D3, C2, [r, s], [C2.identity, C2.generators[0]])
    assert T.image().order() == 2
    # an inner automorphism
    T = homomorphism(D3, D3, [r, s], [s*r*s**-1, s])
    assert T.is_isomorphism()
    assert T(r**2) == r


def test_commuting_generators_of_order_three():
    from sympy.combinatorics import Permutation, PermutationGroup
    from sympy.combinatorics.homomorphisms import homomorphism
    a = Permutation(5)(0, 1, 2)
    b = Permutation(3, 4, 5)
    G = PermutationGroup(a, b)
    for images, order in (([b, a], 9), ([a, b**-1], 9), ([a, a], 3), ([a, a**-1], 3), ([G.identity, b], 3)):
        T = homomorphism(G, G, [a, b], images)
        assert T.image().order() == order, images


def test_onto_finitely_presented_group():
    from sympy.combinatorics import DihedralGroup
    from sympy.combinatorics.fp_groups import FpGroup
    from sympy.combinatorics.free_groups import free_group
    from sympy.combinatorics.homomorphisms import homomorphism
    F, a, b = free_group("a, b")
    G = FpGroup(F, [a**3, b**2, b*a*b**-1*a])
    D3 = DihedralGroup(3)
    T = homomorphism(D3, G, D3.generators, [a, b])
    assert T.image().order() == 6
    try:
        homomorphism(D3, G, D3.generators, [b, a])
    except ValueError:
        pass
    else:
        assert False, "the orders of the generators do not fit"


def test_impossible_map_to_abelian_group():
    from sympy.combinatorics import CyclicGroup, DihedralGroup
    from sympy.combinatorics.homomorphisms import homomorphism
    D4 = DihedralGroup(4)
    C4 = CyclicGroup(4)
    c = C4.generators[0]
    for images in ([c, c**2], [c**-1, c**2], [c, C4.identity]):
        try:
            homomorphism(D4, C4, D4.generators, images)
        except ValueError:
            pass
        else:
            assert False, images


def test_every_map_of_d4_to_itself():
    from itertools import product
    from sympy.combinatorics import DihedralGroup
    from sympy.combinatorics.homomorphisms import homomorphism
    G = DihedralGroup(4)
    accepted = 0
    for images in product(list(G.elements), repeat=2):
        # the map extends to the group if the generated pairs are a function
        pairs = [(G.identity, G.identity)]
        seen = set(pairs)
        for x, y in pairs:
            for g, h in zip(G.generators, images):
                new = (x*g, y*h)
                if new not in seen:
                    seen.add(new)
                    pairs.append(new)
        valid = len(seen) == G.order()
        try:
            homomorphism(G, G, G.generators, images)
        except ValueError:
            assert not valid, images
        else:
            assert valid, images
            accepted += 1
    assert accepted == 36


def test_impossible_maps_refused():
    from sympy.combinatorics import CyclicGroup, DihedralGroup, Permutation, PermutationGroup
    from sympy.combinatorics.homomorphisms import homomorphism
    D3 = DihedralGroup(3)
    r, s = D3.generators
    a = Permutation(5)(0, 1, 2)
    b = Permutation(3, 4, 5)
    G = PermutationGroup(a, b)
    C3 = CyclicGroup(3)
    C5 = CyclicGroup(5)
    for domain, codomain, images in ((D3, D3, [s, r]), (D3, D3, [r, D3.identity]), (G, D3, [r, s]),
                                     (C3, C5, C5.generators), (D3, C3, [C3.generators[0], C3.identity])):
        try:
            homomorphism(domain, codomain, domain.generators, images)
        except ValueError:
            pass
        else:
            assert False, images


def test_finitely_presented_domain():
    from sympy.combinatorics import DihedralGroup
    from sympy.combinatorics.fp_groups import FpGroup
    from sympy.combinatorics.free_groups import free_group
    from sympy.combinatorics.homomorphisms import homomorphism
    F, a, b = free_group("a, b")
    G = FpGroup(F, [a**3, b**2, b*a*b**-1*a, a**-2*b*a*b**-1])
    D3 = DihedralGroup(3)
    r, s = D3.generators
    assert homomorphism(G, D3, [a, b], [r, s]).is_isomorphism()
    assert homomorphism(F, D3, [a, b], [s, r]).is_surjective()
    for images in ([s, r], [r, r]):
        try:
            homomorphism(G, D3, [a, b], images)
        except ValueError:
            pass
        else:
            assert False, images


def test_unchecked_and_cyclic_maps():
    from sympy.combinatorics import CyclicGroup, DihedralGroup
    from sympy.combinatorics.homomorphisms import homomorphism
    D3 = DihedralGroup(3)
    r, s = D3.generators
    T = homomorphism(D3, D3, [r, s], [r, D3.identity], check=False)
    assert T.images == {r: r, s: D3.identity}
    C6, C3 = CyclicGroup(6), CyclicGroup(3)
    T = homomorphism(C6, C3, C6.generators, C3.generators)
    assert T.kernel().order() == 2
    assert homomorphism(D3, C3, [r, s]).is_trivial()
