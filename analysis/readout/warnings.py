"""What a reader of a panel must be told before any number of it."""

from __future__ import annotations

from analysis.readout.display import half_up
from analysis.readout.measures import Measured
from analysis.readout.panel import OBSERVED
from analysis.readout.readout import Readout, named_ks

#: From this share of the matching pairs on, ties of one kind are said to make the agreement.
MOSTLY = 0.5


def warnings_of(found: Readout) -> list[str]:
    """Warnings, the gravest first."""
    panel, said = found.panel, []
    said += _ties(found.measures, "all_zero", "every action scored 0 in both blocks", "nothing worked there, so "
                  "this is no stable winner")  # fmt: skip
    said += _ties(found.measures, "all_success", "every draw of every action succeeded", "no action is better than "
                  "another there")  # fmt: skip
    if panel.origin == "synthetic":
        said.append("synthetic: an instrument, not a language model; these numbers say nothing about any model")
    elif panel.origin == "reconstructed":
        said.append("reconstructed: made up to agree with published aggregates, not the episodes that were run")
    if panel.provenance is None:
        said.append(
            "provenance is unavailable: zeros of protocol failures cannot be told from zeros that a verifier gave"
        )
    else:
        unseen = float((panel.provenance != OBSERVED).mean())
        if unseen > 0:
            said.append(f"{half_up(100 * unseen, 1)} % of the episodes never reached the verifier; they count as they "
                        "scored")  # fmt: skip
    undefined = [one.k for one, rank in zip(found.measures, found.concordance, strict=True) if rank.value is None]
    if undefined:
        said.append(
            f"rank concordance is not defined at {named_ks(undefined)}: agreement or success is the same everywhere"
        )
    if found.settings.exact and not all(all(one.values()) for one in found.exact):
        said.append("some ends are not exact: their values lie on no small lattice, so replicates gave them")
    return said


def _ties(measures: tuple[Measured, ...], metric: str, how: str, meaning: str) -> list[str]:
    shares = []
    for one in measures:
        agreement, tied = one.mean("agreement"), one.mean(metric)
        if agreement > 0 and tied >= MOSTLY * agreement - 1e-12:
            shares.append(f"{half_up(100 * tied / agreement, 0)} % (k = {one.k})")
    if not shares:
        return []
    kind = metric.replace("_", "-")
    return [f"agreement comes from {kind} ties: {how} in {', '.join(shares)} of the matching pairs; {meaning}"]
