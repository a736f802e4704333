#!/bin/sh
# Finds a Python and hands over to guest-runtimes/build. `./build.sh help` tells the commands.
set -eu
root=$(cd -- "$(dirname -- "$0")" && pwd -P)
for python in ${PYTHON:+"$PYTHON"} python3 python3.14 python3.13 python3.12 python3.11 python; do
    if "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
        exec "$python" "$root/guest-runtimes/build" "$@"
    fi
done
echo "build.sh: no Python 3.11 or newer was found (on Debian: apt-get install python3 python3-pip; or name one in PYTHON)" >&2
exit 1
