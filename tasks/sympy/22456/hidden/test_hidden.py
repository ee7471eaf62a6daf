def test_string_rebuilt_from_args():
    from sympy.codegen.ast import String
    for text in ('hello', '', 'two words', '%d\n'):
        s = String(text)
        again = s.func(*s.args)
        assert again == s
        assert isinstance(again, String)
        assert again.text == text
        assert hash(again) == hash(s)


def test_copy_and_doit():
    from sympy.codegen.ast import String
    s = String('hello')
    for again in (s.copy(), s.doit()):
        assert type(again) is String
        assert again == s
        assert again.text == 'hello'


def test_subclasses_rebuilt():
    from sympy.codegen.ast import Comment, QuotedString, String

    class Label(String):
        pass

    for cls in (QuotedString, Comment, Label):
        obj = cls('some text')
        again = obj.func(*obj.args)
        assert type(again) is cls
        assert again == obj
        assert again.text == 'some text'


def test_trees_with_strings():
    from sympy import Symbol
    from sympy.codegen.ast import (Attribute, FunctionCall, Print,
                                   QuotedString, Stream, float32)
    x = Symbol('x')
    for tree in (float32, Attribute('const'), Stream('stdout'),
                 FunctionCall('f', [x]), Print([x], 'value %d')):
        again = tree.doit()
        assert type(again) is type(tree)
        assert again == tree
    assert float32.doit().name.text == 'float32'
    assert type(Print([x], 'value %d').doit().format_string) is QuotedString


def test_rebuilding_by_keywords():
    from sympy.codegen.ast import Comment, QuotedString, String
    for cls in (String, QuotedString, Comment):
        obj = cls('hello')
        again = obj.func(**obj.kwargs())
        assert type(again) is cls
        assert again == obj
        assert again.text == 'hello'


def test_only_basic_in_args():
    from sympy import Basic, preorder_traversal
    from sympy.codegen.ast import QuotedString, String, Variable, float32
    for obj in (String('hello'), QuotedString('hello')):
        assert obj.is_Atom
        assert all(isinstance(arg, Basic) for arg in obj.args)
    for tree in (String('hello'), Variable('x', type=float32)):
        assert all(isinstance(node, Basic) for node in preorder_traversal(tree))
    assert float32.atoms(String) == {String('float32')}


def test_text_required():
    from sympy.codegen.ast import Comment, String
    for cls in (String, Comment):
        try:
            cls()
        except TypeError:
            pass
        else:
            assert False, 'a string without text was accepted'
    try:
        String(3)
    except TypeError:
        pass
    else:
        assert False, 'a number was accepted as text'


def test_identity_and_printing():
    from sympy.codegen.ast import Comment, QuotedString, String
    s = String('hello')
    assert s.text == 'hello' and type(s.text) is str
    assert String(s) == s
    assert str(s) == 'hello'
    assert repr(s) == "String('hello')"
    assert s != String('other')
    assert s != QuotedString('hello')
    assert QuotedString('hello') != Comment('hello')
