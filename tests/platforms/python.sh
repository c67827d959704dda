#!/usr/bin/env bash
# Builds the Python package, installs its wheel in an environment of its own, and runs its tests against the program.
#
#     tests/platforms/python.sh BINARY [PROFILE]
#
# Needs Python 3 with venv, and maturin and pytest from pip; says so and succeeds where they cannot be had.
set -euo pipefail
cd "$(dirname "$0")/../.."

program=$(realpath "${1:?the program to compare with}")
profile=${2:-dev}
target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
environment=$target/python
[ -x "$environment/bin/python" ] || python3 -m venv "$environment" 2>/dev/null || { echo "python.sh: venv is missing, nothing was run"; exit 0; }
"$environment/bin/pip" install --quiet --disable-pip-version-check 'maturin>=1.9,<2' pytest mypy pyarrow typing_extensions 2>/dev/null ||
    { echo "python.sh: pip reaches no registry, nothing was run"; exit 0; }

wheels=$(mktemp -d)
trap 'rm -rf "$wheels"' EXIT
PATH="$environment/bin:$PATH" maturin build --locked --quiet --profile "$profile" -m python/Cargo.toml -o "$wheels"
"$environment/bin/pip" install --quiet --disable-pip-version-check --force-reinstall --no-deps "$wheels"/*.whl
# The tests read the installed package, not the folder beside them.
cp -r python/tests python/examples "$wheels"
cd "$wheels"
export PROGRAM="$program" SAMPLES="$OLDPWD/samples"
"$environment/bin/python" -X faulthandler -m pytest -q -p no:cacheprovider tests
"$environment/bin/python" -m mypy --strict examples
