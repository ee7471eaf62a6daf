#!/bin/sh
# Builds restartlab/sandbox:latest: from this Debian host's own packages, or (docker/build.sh registry) by the Dockerfile.
set -eu
cd "$(dirname "$0")"
name=restartlab/sandbox:latest
command -v docker >/dev/null || { echo "docker-image: needs the docker client (Debian: docker.io)" >&2; exit 2; }
docker version >/dev/null 2>&1 || { echo "docker-image: no Docker engine answers; start it, or set DOCKER_HOST" >&2; exit 2; }
if [ "${1:-}" = registry ]; then
    docker build --tag "$name" .
elif command -v dpkg-query >/dev/null; then
    python3 from_host.py | docker import --change 'LABEL org.restartlab.image=sandbox' - "$name"
else
    echo "docker-image: not a Debian host; with a registry in reach: make docker-image BUILD=registry" >&2
    exit 2
fi
docker image inspect --format "$name is {{.Id}}" "$name"
