#!/bin/sh
# Create or update an environment with uv, which it gets from the package index unless it is here; where that fails, with pip.
#
#     setup.sh [FOLDER EXTRAS]      .venv, with everything that most make targets need
set -eu
folder=${1:-.venv}
wanted=".[${2:-test,dev,kernels,examples,cluster}]"
# The tests use torch: its CPU build, as the usual one brings gigabytes of CUDA packages. A machine that keeps wheels of
# its own has it among them.
torch_index=https://download.pytorch.org/whl/cpu

if command -v uv > /dev/null 2>&1; then
    uv=uv
    uv venv --quiet --allow-existing "$folder"
else
    python=
    for candidate in ${PYTHON:-} python3 python3.14 python3.13 python3.12 python3.11; do
        if "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2> /dev/null; then
            python=$candidate
            break
        fi
    done
    if [ -z "$python" ]; then
        echo "set-up: no Python 3.11 or newer was found. Install one, or name it: make PYTHON=/path/to/python" >&2
        exit 1
    fi
    if ! "$python" -m venv "$folder"; then
        echo "set-up: this Python cannot make virtual environments. On Debian: apt-get install python3-venv; or install uv" >&2
        exit 1
    fi
    # It takes a quarter of pip's time. It does not read pip's settings.
    uv=$folder/bin/uv
    "$folder/bin/python" -m pip install --quiet 'uv>=0.9' 2> /dev/null || uv=
    eval "$("$folder/bin/python" scripts/pip_settings.py)"
fi

# Built in this environment: one of the build's own would have all requirements a second time.
install_with_uv() {
    export UV_SYSTEM_CERTS=1 UV_NATIVE_TLS=1 # like pip on such machines; the second is the name in older uv
    if [ -n "${UV_FIND_LINKS:-${PIP_FIND_LINKS:-}}" ]; then
        export UV_FIND_LINKS="${UV_FIND_LINKS:-$PIP_FIND_LINKS}"
    else
        export UV_TORCH_BACKEND="${UV_TORCH_BACKEND:-cpu}"
    fi
    "$uv" pip install --quiet --python "$folder/bin/python" 'hatchling>=1.27,<2' editables &&
        "$uv" pip install --quiet --python "$folder/bin/python" --no-build-isolation-package stratagem --editable "$wanted"
}

install_with_pip() {
    [ -n "${PIP_FIND_LINKS:-}" ] || export PIP_EXTRA_INDEX_URL="${PIP_EXTRA_INDEX_URL:-} $torch_index"
    "$folder/bin/python" -m pip install --quiet --no-compile 'hatchling>=1.27,<2' editables
    "$folder/bin/python" -m pip install --quiet --no-compile --no-build-isolation --editable "$wanted"
}

[ -z "$uv" ] || echo "set-up: installing into $folder with uv (a minute; needs the package index)"
if [ "$uv" = uv ]; then
    install_with_uv
elif [ -z "$uv" ] || ! install_with_uv; then
    echo "set-up: installing into $folder with pip (a few minutes; needs the package index)"
    install_with_pip
fi

# Neither compiles quickly: pip does on one core. This is what nearly every process of the tests imports, on all cores; the rest
# is compiled when it is first imported. (A file for a newer Python does not compile: nobody imports it.) Of src, too: the
# workers of `make test` start at once, and each would compile all of it.
python=$PWD/$folder/bin/python
"$python" -m compileall -qq -j 0 src
cd "$("$python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')"
"$python" -m compileall -qq -j 0 jax jaxlib keras numpy grain ray torch || :
