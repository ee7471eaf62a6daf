"""What could not be concluded, and why: gathered from the parts of a report's document."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any


def unresolved(document: Mapping[str, Any]) -> list[dict[str, Any]]:
    """One row per finding: where, what is open, why, and what would settle it (null where nothing is known to)."""
    found: list[dict[str, Any]] = []
    for stage in document["stages"]:
        found += _stage(stage)
    for cohort in document["cohorts"]:
        found += _cohort(cohort)
    for row in document["arm_contrasts"]:
        if "refused" in row:
            found.append(_row(_place(row), "difference between arms", row["refused"], row["mend"]))
    for audit in document["audits"]:
        found += _audit(audit)
    for one in document["checkpoints"]:
        found += _checkpoints(one)
    return _merged(found)


def _merged(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Findings that differ in their place only become one."""
    places: dict[tuple[Any, ...], list[str]] = {}
    for row in rows:
        places.setdefault((row["what"], row["why"], row["mend"]), []).append(row["where"])
    return [_row("; ".join(where), *said) for said, where in places.items()]


def _row(where: str, what: str, why: str, mend: str | None = None) -> dict[str, Any]:
    return {"where": where, "what": what, "why": why, "mend": mend}


def _place(cohort: Mapping[str, Any]) -> str:
    return f"stage {cohort['stage']}, runtime {cohort['runtime']}, arm {cohort['arm']}"


def _stage(stage: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    planned = sum(stage["planned"].values())
    if planned > stage["attempts"]:
        yield _row(
            f"stage {stage['stage']}", "the stage is not complete",
            f"{stage['attempts']} of {planned} planned attempts have an outcome; all rates are of those",
            f"restartlab collect {stage['stage']} resumes",
        )  # fmt: skip


def _cohort(cohort: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    where = _place(cohort)
    if cohort["completion"] is None:
        yield _row(where, "everything", "no attempt has a counted outcome: all tries were lost to infrastructure")
        return
    beyond = cohort["completion"]["beyond"]
    if beyond:
        yield _row(where, "completion up to the budget", beyond["refused"], beyond["mend"])
    yield from _replay(where, cohort["replay"])
    wide = [row for row in cohort["conventions"] if row["value"] is None]
    if wide:
        open_ = "; ".join(f"{row['convention']}: {_share(row['at_least'])} to {_share(row['at_most'])}" for row in wide)
        yield _row(
            where, "success of one attempt within the budget, under every convention on lost tries",
            f"tries that were cut off leave it open ({open_})",
            "collect with larger limits" if cohort["conventions"][0]["value"] is None and cohort["totals"]["attempts"]
            else "repeat the lost tries",
        )  # fmt: skip
    for name, what in (("cost_usd", "total cost"), ("wall_s", "total wall time")):
        amounts = cohort["spending"][name]
        if amounts["unknown_tries"]:
            tries = cohort["spending"]["tries"]
            which = "all" if not amounts["known_tries"] else f"{amounts['unknown_tries']} of {tries}"
            yield _row(where, what, f"not recorded for {which} tries")


def _replay(where: str, replay: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    refused = [row for row in replay["refused"] if row["cutoff"] is not None]
    if refused:
        cutoffs = ", ".join(str(row["cutoff"]) for row in refused)
        yield _row(where, f"value of cutoff {cutoffs}", refused[0]["refused"], refused[0]["mend"])
    if "contrasts" not in replay:
        return
    rows = replay["contrasts"]
    against = replay["macro"][-1]["cutoff"]
    open_ = [str(row["cutoff"]) for row in rows if row["interval"][0] <= 0 <= row["interval"][1]]
    if open_:
        yield _row(
            where, f"whether cutoff {', '.join(open_)} differs from cutoff {against}",
            "the 95 % interval of the difference holds zero", "more tasks: the bootstrap resamples tasks first",
        )  # fmt: skip
    if replay["leave_one_task_out"] is None:
        yield _row(where, "what choosing a cutoff costs", "leave-one-task-out needs two tasks", "more tasks")


def _audit(audit: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    where = f"audit of {', '.join(audit['stages'])}"
    if audit["refused"]:
        yield _row(where, "every decision", audit["refused"], audit.get("mend"))
    for cell in audit["refused_cells"]:
        yield _row(f"{_place(cell)}, task {cell['task']}", "restart or continue", cell["refused"], cell["mend"])
    counts = audit["counts"]
    if counts is None:
        return
    if counts["abstain"]:
        abstained = [row for row in audit["comparisons"] if row["decision"] == "abstain"]
        small = sum(min(row["n"], row["live"]) < audit["attainable_n"] for row in abstained)
        needed = audit["powered"]["n"] or f"more than {audit['powered']['most']}"
        certain = "none of them could" if small == len(abstained) else f"{small} of them could not"
        yield _row(
            where, f"restart or continue, in {counts['abstain']} of {audit['family']} comparisons",
            f"{audit['method']} abstains; with fewer than {audit['attainable_n']} attempts in an arm, {certain} have "
            "been resolved by any outcome",
            f"at least {audit['attainable_n']} attempts an arm; {needed} for 80 % power at p = "
            f"{audit['powered']['p']:g}, q = {audit['powered']['q']:g}",
        )  # fmt: skip
    if counts["not_reached"]:
        yield _row(
            where, f"restart or continue, in {counts['not_reached']} of {audit['family']} comparisons",
            "not reached: no attempt was live at the decision call, so nothing is known of continuing there",
        )  # fmt: skip


def _checkpoints(one: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    where = f"checkpoints of {one['stage']}"
    if one["refused"]:
        yield _row(where, "every outcome", one["refused"], one["mend"])
    elif one["audit"] and one["audit"]["counts"]["abstain"]:
        audit = one["audit"]
        yield _row(
            where, f"restart or continue, at {audit['counts']['abstain']} of {audit['family']} checkpoints",
            f"{audit['method']} abstains; below {audit['attainable_n']} draws an action no outcome would be certified",
            "more draws of each action, in a new stage",
        )  # fmt: skip


def _share(value: float | None) -> str:
    return "unknown" if value is None else f"{100 * value:.1f} %"
