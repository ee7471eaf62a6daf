"""Hidden tests: sums of quantities whose dimensions agree only after expanding derived dimensions."""


def test_velocity_plus_acceleration_times_time():
    from sympy.physics.units import Quantity, acceleration, meter, second, time, velocity
    from sympy.physics.units.systems.si import SI
    v = Quantity("v_probe")
    SI.set_quantity_dimension(v, velocity)
    SI.set_quantity_scale_factor(v, 3*meter/second)
    g = Quantity("g_probe")
    SI.set_quantity_dimension(g, acceleration)
    SI.set_quantity_scale_factor(g, -10*meter/second**2)
    t = Quantity("t_probe")
    SI.set_quantity_dimension(t, time)
    SI.set_quantity_scale_factor(t, 4*second)
    dimsys = SI.get_dimension_system()
    for expr, expected in ((g*t + v, -37), (v + g*t, -37), (v - g*t, 43), (2*v + g*t, -34)):
        factor, dim = SI._collect_factor_and_dimension(expr)
        assert factor == expected, (expr, factor)
        assert dimsys.equivalent_dims(dim, velocity)


def test_predefined_units():
    from sympy.physics.units import ampere, energy, farad, joule, meter, newton, ohm, power, second, time, volt, watt
    from sympy.physics.units.systems.si import SI
    collect = SI._collect_factor_and_dimension
    dimsys = SI.get_dimension_system()
    for expr, dim, unit in ((2*joule + 3*newton*meter, energy, joule), (4*watt + volt*ampere, power, watt),
                            (2*second + 3*ohm*farad, time, second)):
        factor, found = collect(expr)
        assert factor == 5*collect(unit)[0], (expr, factor)
        assert dimsys.equivalent_dims(found, dim), (expr, found)


def test_many_addends_and_nested_sums():
    from sympy.physics.units import coulomb, energy, joule, length, meter, newton, second, speed_of_light, volt, watt
    from sympy.physics.units.systems.si import SI
    collect = SI._collect_factor_and_dimension
    dimsys = SI.get_dimension_system()
    unit = collect(joule)[0]
    factor, dim = collect(joule + newton*meter + watt*second + volt*coulomb)
    assert factor == 4*unit
    assert dimsys.equivalent_dims(dim, energy)
    factor, dim = collect((joule + newton*meter)/newton + 7*meter)
    assert factor == 9
    assert dimsys.equivalent_dims(dim, length)
    factor, dim = collect((joule + 2*watt*second)**2 - (newton*meter)**2)
    assert factor == 8*unit**2
    assert dimsys.equivalent_dims(dim, energy**2)


def test_quantity_with_reduced_dimension():
    from sympy.physics.units import Quantity, energy, joule, length, mass, time
    from sympy.physics.units.systems.si import SI
    work = Quantity("work_probe")
    SI.set_quantity_dimension(work, mass*length**2/time**2)
    work.set_global_relative_scale_factor(6, joule)
    collect = SI._collect_factor_and_dimension
    for expr in (work + joule, joule + work):
        factor, dim = collect(expr)
        assert factor == 7*collect(joule)[0]
        assert SI.get_dimension_system().equivalent_dims(dim, energy)


def test_different_dimensions_refused():
    from sympy.physics.units import hertz, joule, meter, newton, pascal, second, watt
    from sympy.physics.units.systems.si import SI
    for expr in (meter + second, meter/second + meter/second**2, joule + newton, joule + watt,
                 joule*second + watt*second, newton*meter + pascal*meter, meter*hertz + meter*hertz**2,
                 joule + newton*meter + watt, 1 + meter*hertz, 1 + joule/newton):
        try:
            SI._collect_factor_and_dimension(expr)
        except ValueError:
            pass
        else:
            raise AssertionError("accepted: %s" % expr)


def test_plain_sums_kept():
    from sympy import Symbol
    from sympy.physics.units import Dimension, kilometer, length, meter, second, time
    from sympy.physics.units.systems.si import SI
    x = Symbol("x")
    collect = SI._collect_factor_and_dimension
    assert collect(meter + kilometer) == (1001, length)
    assert collect(x*meter/second + 2*kilometer/second) == (x + 2000, length/time)
    assert collect(x + 4) == (x + 4, Dimension(1))
