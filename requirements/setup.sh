#!/bin/sh
# Brings the environment .venv to the locked versions: requirements/setup.sh SET...   (make calls it; sets: *.txt here)
# requirements/setup.sh --fits only answers (0 or 1) whether .venv works and is of the PYTHON asked for.
# PYTHON chooses the interpreter; else the first of python3.13, 3.12, 3.11, python3 that is in range and can make environments.
set -eu
cd "$(dirname "$0")/.."
venv=.venv

say() { echo "setup: $*" >&2; }

usable() { # usable PYTHON : in range, and able to make an environment with pip?
    "$1" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' >/dev/null 2>&1 || return 1
    "$1" -c 'import ensurepip, venv' >/dev/null 2>&1 || { lacking="${lacking:-}${lacking:+, }$1"; return 1; }
}

choose_python() { # sets python, or ends with what is needed
    for python in ${PYTHON:-python3.13 python3.12 python3.11 python3}; do
        if usable "$python"; then return 0; fi
    done
    if [ -n "${lacking:-}" ]; then
        say "$lacking cannot make virtual environments (no ensurepip)."
        say "  mend: install its venv package (Debian, Ubuntu: apt install python3-venv), or set PYTHON=path to another one"
    else
        say "needs Python 3.11, 3.12 or 3.13; not among: ${PYTHON:-python3.13 python3.12 python3.11 python3}"
        say "  mend: install one, or name it: make PYTHON=/path/to/python3.12 ..."
    fi
    exit 2
}

# A half-made or moved environment, or one of another interpreter than the one asked for, is made anew.
fits() {
    "$venv/bin/python" -m pip --version >/dev/null 2>&1 || return 1
    [ -n "${PYTHON:-}" ] || return 0
    usable "$PYTHON" || return 0 # reported by choose_python if an environment has to be made
    version='import sys; print(sys.version_info[:3])'
    [ "$("$venv/bin/python" -c "$version")" = "$("$PYTHON" -c "$version")" ]
}

if [ "${1:-}" = --fits ]; then
    if fits; then exit 0; else exit 1; fi
fi
if ! fits; then
    choose_python
    say "making $venv with $("$python" --version) ..."
    "$python" -m venv --clear "$venv" || { say "  mend: see the message above; $venv must be writable"; exit 2; }
fi

for name in "$@"; do
    case $name in core) hint="about a minute, some 750 MB" ;; *) hint="a moment" ;; esac
    say "installing requirements/$name.txt ($hint) ..."
    began=$(date +%s)
    # PIP_USER=0: a user's pip configuration must not send the packages elsewhere.
    PIP_USER=0 "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-input --progress-bar off \
        --require-hashes -r "requirements/$name.txt" ||
        { say "requirements/$name.txt could not be installed (above)."
          say "  mend: check the network and the disk (df -h .), then run the same command again: it goes on from here"
          exit 2; }
    if [ "$name" = core ]; then
        PIP_USER=0 "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-input --progress-bar off \
            --no-index --no-deps --no-build-isolation --editable . || exit 2
    fi
    say "requirements/$name.txt installed ($(($(date +%s) - began)) s)"
done
