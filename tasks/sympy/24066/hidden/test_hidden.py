"""Hidden tests: dimension of a function whose argument is dimensionless only after expansion of derived dimensions."""


def test_sum_with_exponential():
    from sympy import E, exp
    from sympy.physics.units import Dimension, farad, ohm, second
    from sympy.physics.units.systems.si import SI
    collect = SI._collect_factor_and_dimension
    assert collect(100 + exp(second/(ohm*farad))) == (100 + E, Dimension(1))
    assert collect(exp(second/(ohm*farad)) + exp(-ohm*farad/second)) == (E + exp(-1), Dimension(1))


def test_exponential_alone():
    from sympy import E, exp
    from sympy.physics.units import Dimension, farad, hertz, ohm, second
    from sympy.physics.units.systems.si import SI
    assert SI._collect_factor_and_dimension(exp(second/(ohm*farad))) == (E, Dimension(1))
    assert SI._collect_factor_and_dimension(exp(hertz*second)) == (E, Dimension(1))


def test_other_functions():
    from sympy import cosh, log, sin
    from sympy.physics.units import Dimension, ampere, joule, meter, newton, ohm, volt
    from sympy.physics.units.systems.si import SI
    work = joule/(newton*meter)
    current = volt/(ohm*ampere)
    for arg in (work, current):
        for func in (sin, cosh):
            assert SI._collect_factor_and_dimension(func(3*arg)) == (func(3), Dimension(1))
        factor, dim = SI._collect_factor_and_dimension(2 - log(5*arg))
        assert dim == Dimension(1)
        assert factor == 2 - log(5)


def test_nested_and_quantity_argument():
    from sympy import cos, exp
    from sympy.physics.units import Dimension, Quantity, capacitance, impedance, time
    from sympy.physics.units import hertz, meter, second
    from sympy.physics.units.systems.si import SI
    damping = Quantity("damping_probe")
    SI.set_quantity_dimension(damping, impedance*capacitance/time)
    damping.set_global_relative_scale_factor(2, 1)
    assert SI._collect_factor_and_dimension(exp(damping)) == (exp(2), Dimension(1))
    assert SI._collect_factor_and_dimension(1 + cos(exp(damping))) == (1 + cos(exp(2)), Dimension(1))
    factor, dim = SI._collect_factor_and_dimension(meter*cos(hertz*second) + 3*meter)
    assert factor == 3 + cos(1)
    assert SI.get_dimension_system().get_dimensional_dependencies(dim) == {meter.dimension: 1}


def test_mismatch_refused():
    from sympy import exp, log, sin
    from sympy.physics.units import farad, meter, ohm, second
    from sympy.physics.units.systems.si import SI
    for expr in (1 + exp(second), 1 - exp(meter/second), 2 + sin(ohm*farad),
                 5 + exp(second**2/(ohm*farad)), 3 + log(meter)):
        try:
            SI._collect_factor_and_dimension(expr)
        except ValueError:
            pass
        else:
            raise AssertionError("accepted: %s" % expr)


def test_abs_keeps_dimension():
    from sympy import Abs
    from sympy.physics.units import Quantity, length, meter
    from sympy.physics.units.systems.si import SI
    gap = Quantity("gap_probe")
    SI.set_quantity_dimension(gap, length)
    gap.set_global_relative_scale_factor(2, meter)
    dimsys = SI.get_dimension_system()
    factor, dim = SI._collect_factor_and_dimension(Abs(gap - 9*meter))
    assert factor == 7 and dimsys.equivalent_dims(dim, length)
    factor, dim = SI._collect_factor_and_dimension(Abs(gap - 9*meter) + 2*meter)
    assert factor == 9 and dimsys.equivalent_dims(dim, length)


def test_plain_dimensionless_arguments():
    from sympy import E, exp, sin
    from sympy.physics.units import Dimension, kilometer, meter, second
    from sympy.physics.units.systems.si import SI
    collect = SI._collect_factor_and_dimension
    assert collect(1 + exp(meter/meter)) == (1 + E, Dimension(1))
    assert collect(2 + sin(kilometer/meter)) == (2 + sin(1000), Dimension(1))
    factor, dim = collect(meter/second)
    assert factor == 1 and dim == meter.dimension/second.dimension
