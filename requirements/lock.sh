#!/bin/sh
# Writes the hash locks requirements/*.txt from requirements/*.in: one per set, each consistent with core.txt.
# A lock names no index, no find-links and no path of the machine that made it; it holds for Python 3.11 and later.
#
#   UV=path/to/uv requirements/lock.sh [SET...]     keeps the pinned versions where the inputs allow (UPGRADE=1: newest)
set -eu
cd "$(dirname "$0")/.."
uv=${UV:-uv}
command -v "$uv" >/dev/null || { echo "lock: needs uv; 'make lock' installs it, or set UV=path" >&2; exit 2; }

lock() { # lock SET INPUT... : writes requirements/SET.txt
    set_name=$1
    shift
    target=requirements/$set_name.txt
    scratch=$(mktemp -d)
    # uv takes the versions to keep from the file it writes to.
    [ -n "${UPGRADE:-}" ] || [ ! -f "$target" ] || cp "$target" "$scratch/out.txt"
    env -u UV_INDEX -u UV_INDEX_URL -u UV_DEFAULT_INDEX -u UV_EXTRA_INDEX_URL -u UV_FIND_LINKS -u UV_CONSTRAINT -u UV_OVERRIDE \
        "$uv" --no-config pip compile --quiet --universal --python-version 3.11 --generate-hashes \
        --no-header --no-emit-index-url --no-emit-find-links "$@" --output-file "$scratch/out.txt"
    { echo "# Written by requirements/lock.sh; edit requirements/$set_name.in and run 'make lock' instead."
      cat "$scratch/out.txt"; } >"$scratch/new.txt"
    if grep -nE '://|^-|--find-links|--index' "$scratch/new.txt"; then
        echo "lock: requirements/$set_name.in: the lock would name an index, a link or a path (above)" >&2
        exit 1
    fi
    cat "$scratch/new.txt" >"$target"
    rm -r "$scratch"
    echo "lock: $target: $(grep -c '==' "$target") packages"
}

[ $# -gt 0 ] || set -- core dev inspect local postgres ray report swebench
for name in "$@"; do
    if [ "$name" = core ]; then
        lock core requirements/core.in requirements/build.in
    elif [ "$name" = dev ]; then # the tests cover figures, reports and PostgreSQL too
        lock dev requirements/dev.in requirements/report.in requirements/postgres.in --constraints requirements/core.txt
    elif [ "$name" = inspect ]; then # its reader wants older ones of what core.txt pins: a whole set of its own
        lock inspect requirements/inspect.in requirements/core.in requirements/build.in
    else
        lock "$name" "requirements/$name.in" --constraints requirements/core.txt
    fi
done
