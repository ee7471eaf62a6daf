"""Commands: evidence keygen, export, verify, correct, show."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from harness.cli.analysing_events import Database, Json, told
from harness.errors import Incomplete, InputError

if TYPE_CHECKING:
    from harness.evidence.writing import Draft

KeyFile = Annotated[Path, typer.Option("--key", help="Private key (evidence keygen makes one).")]
Output = Annotated[Path, typer.Option("--output", "-o", help="Bundle to write; never one that is there.")]
Bundle = Annotated[Path, typer.Argument(metavar="BUNDLE", help="An evidence bundle: a file, or a folder.")]


def add_to(app: typer.Typer) -> None:
    """Registers the commands."""
    group = typer.Typer(help="Signed evidence of results: export, verify, correct.", no_args_is_help=True)
    for command in (keygen, export, verify, correct, show):
        group.command()(command)
    app.add_typer(group, name="evidence")


def keygen(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Private key; FILE.pub is the public one.")],
) -> None:
    """Make a signing key."""
    from harness.evidence.keys import make_keys

    typer.echo(f"key {make_keys(file)}: private in {file} (keep it), public in {file}.pub (give it to verifiers)")


def export(
    source: Annotated[str, typer.Argument(metavar="SOURCE", help="A stage, or a file of trial records.")],
    key: KeyFile,
    output: Output,
    panel: Annotated[Path | None, typer.Option(help="The edition of trial records, to go with them.")] = None,
    blobs: Annotated[
        Literal["inline", "files", "none"], typer.Option(help="Trajectories: in it, in files beside it, or not.")
    ] = "inline",
    redact: Annotated[Path | None, typer.Option(help="Rules of what to withhold (YAML).")] = None,
    auditors: Annotated[Path | None, typer.Option(help="File that keeps what the rules withhold.")] = None,
    database: Database = None,
) -> None:
    """Write a signed bundle of all that a result rests on."""
    from harness.evidence.keys import read_private
    from harness.evidence.redaction import read_rules, redacted, without_credentials
    from harness.evidence.withheld import auditors_text
    from harness.evidence.writing import header, sealed, write_bundle

    private, rules = read_private(key), read_rules(redact) if redact else []
    if rules and auditors is None:
        raise InputError("is missing", file="--auditors", mend="name the file that keeps what the rules withhold")
    if auditors is not None and os.path.lexists(auditors):
        raise InputError("is there already", file=auditors, mend="name another file")
    with told():
        drafts, files, about = _gathered(source, panel, blobs, database)
    drafts, kept = redacted(drafts, rules)
    from harness.evidence.gather import credential_finder

    hidden = without_credentials(drafts, credential_finder(drafts, os.environ))
    data = sealed([header(private, about), *hidden], private)
    write_bundle(output, data, files)
    if auditors is not None:
        with open(os.open(auditors, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as stream:
            stream.write(auditors_text(kept))
    lines = data.count(b"\n")
    typer.echo(f"{output}: {lines} records, {len(data)} bytes, {len(files)} files beside; {len(kept)} fields withheld")


def _gathered(
    source: str, panel: Path | None, blobs: str, database: str | None
) -> tuple[list[Draft], dict[str, bytes], dict[str, Any]]:
    from harness.cli.options import database_place
    from harness.evidence.blobs import blob_drafts
    from harness.evidence.gather import credential_finder, software, stage_drafts, trial_drafts
    from harness.paths import state_dir
    from harness.store.blobs import Blobs
    from harness.store.clock import utc_now
    from harness.store.database import open_engine
    from harness.store.transactions import reading

    about: dict[str, Any] = {"made_at": utc_now(), "software": software()}
    if Path(source).is_file():
        return trial_drafts(Path(source), panel), {}, about | {"about": {"file": Path(source).name}}
    if panel is not None:
        raise InputError("goes with a file of trial records", file="--panel", mend="leave it out for a stage")
    engine = open_engine(database_place(database), create=False)
    try:
        with reading(engine) as connection:
            drafts = stage_drafts(connection, source)
    finally:
        engine.dispose()
    find = credential_finder(drafts, os.environ)
    found = list(blob_drafts(drafts, Blobs(state_dir() / "blobs").get, find, blobs))
    files = {str(draft.body["file"]): data for draft, data in found if data is not None}
    return [*drafts, *(draft for draft, _ in found)], files, about | {"about": {"stage": source}}


def verify(
    bundle: Bundle,
    key: Annotated[list[Path] | None, typer.Option("--key", help="Public key that may sign (repeatable).")] = None,
    head: Annotated[str | None, typer.Option(help="Digest that the last seal must have.")] = None,
    auditors: Annotated[Path | None, typer.Option(help="Auditors' file: checks what is withheld.")] = None,
    as_json: Json = False,
) -> None:
    """Check every byte, signature and link of a bundle; names record and field of what does not hold."""
    from harness.cli.evidence_view import audit_lines
    from harness.evidence.auditing import audited
    from harness.evidence.keys import read_public
    from harness.evidence.reading import read_bundle
    from harness.scoring.jsonlines import json_lines

    trusted = [read_public(path) for path in key or ()]
    reading = read_bundle(bundle)
    found = audited(reading, trusted, list(json_lines(auditors)) if auditors else None)
    if head is not None and (not reading.seals or reading.seals[-1].head != head):
        found["intact"] = False
        found["faults"].append({"line": 0, "record": "bundle", "field": "head",
                                "what": f"the last seal is not {head}: an older or another bundle"})  # fmt: skip
    if as_json:
        typer.echo(json.dumps(found, allow_nan=False))
    else:
        for line in audit_lines(found):
            typer.echo(line)
    if not found["intact"]:
        one = found["faults"][0]
        raise Incomplete(f"{bundle} is not intact: line {one['line']}, {one['record']}, {one['field']}: {one['what']}")


def correct(
    target: Annotated[str, typer.Argument(metavar="TARGET", help="A bundle, or a stage of the database.")],
    correction: Annotated[Path, typer.Argument(metavar="FILE", help="The correction (YAML).")],
    key: Annotated[Path | None, typer.Option(help="Private key; for a bundle.")] = None,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Corrected bundle to write.")] = None,
    database: Database = None,
) -> None:
    """Add a correction as a new record; what it corrects stays readable."""
    from harness.evidence.corrections import correction_body, read_correction

    data = read_correction(correction)
    path = Path(target)
    if not path.exists():
        from harness.cli.options import database_place
        from harness.evidence.storing import correct_stage

        with told():
            names = correct_stage(database_place(database), target, data, correction)
        typer.echo(f"ledger of {target}: {len(names)} values superseded ({', '.join(names)})")
        return
    if key is None or output is None:
        raise InputError("are needed for a bundle", file="--key, -o", mend="give the key and the bundle to write")
    from harness.evidence.keys import read_private
    from harness.evidence.reading import read_bundle
    from harness.evidence.writing import Draft, extended, write_bundle
    from harness.store.clock import utc_now

    private, reading = read_private(key), read_bundle(path)
    if not reading.intact:
        raise InputError("is not intact", file=path, mend="restartlab evidence verify says where; get it again")
    place = path / "bundle.jsonl" if path.is_dir() else path
    folder = place.parent
    name = f"correction/{sum(record['kind'] == 'correction' for record in reading.records) + 1}"
    body = correction_body(data, reading.records, utc_now(), correction)
    fresh = extended(place.read_bytes(), reading.records, [Draft("correction", name, body)], private)
    blobs = (record["body"] for record in reading.records if record["kind"] == "blob")
    named = [body["file"] for body in blobs if "file" in body]
    write_bundle(output, fresh, {file: (folder / file).read_bytes() for file in named})
    typer.echo(f"{output}: {name} supersedes {len(body['supersedes'])} values; {path} stays as it is")


def show(
    bundle: Bundle,
    record: Annotated[str | None, typer.Argument(metavar="RECORD", help="A record's id; left out: all ids.")] = None,
) -> None:
    """Show a record of a bundle: as it was recorded, what holds now, and what was superseded."""
    from harness.evidence.corrections import authoritative
    from harness.evidence.reading import read_bundle

    records = {one["id"]: one for one in read_bundle(bundle).records}
    if record is None:
        for one in records.values():
            typer.echo(f"{one['seq'] + 1}\t{one['kind']}\t{one['id']}")
        return
    if record not in records:
        raise InputError(f"there is no record {record!r}", file=bundle, mend="leave it out for the list")
    valid = authoritative(records.values())
    past = {field: steps for (name, field), steps in valid.history.items() if name == record}
    found = {"record": records[record], "holds": valid.bodies[record] if past else None, "superseded": past,
             "rerun_required": valid.void.get(record)}  # fmt: skip
    typer.echo(json.dumps(found, ensure_ascii=False, indent=1))
