"""Acts on recovery tasks, for a process of its own: FOLDER:SCRIPT:PASSES ... prints what was not as expected."""

from __future__ import annotations

import sys

from incidents import acted

for case in sys.argv[1:]:
    folder, script, passes = case.split(":")
    verdict = acted(folder, script).verdict
    if verdict.passed != (passes == "yes"):
        print(case, verdict.state, verdict.tests)
print("done")
