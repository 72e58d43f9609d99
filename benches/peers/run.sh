#!/bin/sh
# Steric beside its peers: makes a virtual environment, builds everything in release, exports the scenes, runs all
# programs on the same files and writes benches/results/<machine>/*.csv. Arguments go to `steric-benches`:
#   benches/peers/run.sh [--atoms N] [--repeats N]
set -eu
cd "$(dirname "$0")/../.."
target=${CARGO_TARGET_DIR:-$PWD/target}
mkdir -p "$target/peers"

python=$target/peers/venv/bin/python
if [ ! -x "$python" ] && ! python3 -m venv "$target/peers/venv"; then
    echo "no virtual environment (Debian: apt-get install python3-venv)" >&2
    exit 2
fi
"$python" -m pip install --quiet -r benches/peers/requirements.txt

# The peers may use every instruction of this machine; steric finds out at run time what it may use.
RUSTFLAGS="-C target-cpu=native" CARGO_TARGET_DIR=$target/peers/rust \
    cargo build --quiet --release --locked --manifest-path benches/peers/rust/Cargo.toml
cargo build --quiet --release --package steric-cli --package steric-benches

steric=$target/release/steric
set -- --steric "$steric" --scenes "$target/peers/scenes" \
    --peers "$target/peers/rust/release/steric-peers" --python "$python" "$@"
"$target/release/steric-benches" compare "$@"
"$target/release/steric-benches" growth "$@"
"$target/release/steric-benches" models "$@"
"$python" benches/peers/readers.py "$steric" --csv "$("$target/release/steric-benches" folder)/readers.csv"
