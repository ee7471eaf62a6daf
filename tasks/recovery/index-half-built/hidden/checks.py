"""Checks of the search."""

SOCKET = "run/search.sock"


def documents(ctx):
    return sorted([path.name, path.read_text()] for path in (ctx.root / "data/docs").glob("*.txt"))


def _find(ctx, word):
    return ctx.ask_json(SOCKET, {"word": word})["found"]


def all_documents_are_found(ctx):
    for number in ctx.random.sample([n for n in range(1, 31) if n % 7], 6) + [29]:
        assert _find(ctx, f"d{number}x") == [f"{number:03}.txt"], f"document {number:03} is not found"


def new_document_arrives(ctx):
    ctx.memo["word"] = f"w{ctx.random.randint(10**5, 10**9)}"
    (ctx.root / "data/docs/031.txt").write_text(f"public\n{ctx.memo['word']} leaf\n")


def new_document_is_found(ctx):
    assert _find(ctx, ctx.memo["word"]) == ["031.txt"], "a document that came later is not found"


def confidential_is_not_found(ctx):
    for number in (7, 14, 21, 28):
        try:
            assert not _find(ctx, f"d{number}x"), f"the confidential document {number:03} is found"
        except OSError:
            return
