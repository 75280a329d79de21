#!/usr/bin/env bash
# Fuzzes the C library under AddressSanitizer and UndefinedBehaviorSanitizer.
#
#   .ci/c-fuzz.sh                         all versions together, RUNS_IN_ALL (15000) executions, the same
#                                         ones every time, in the build of '.ci/c-tests.sh asan'
#   RUNS=1000000 .ci/c-fuzz.sh            each version by itself, that many executions, in a build of its
#                                         own: optimised, which takes longer and makes calls faster
#   RUNS=1000000 .ci/c-fuzz.sh Tile-13    those that are named
#   RUNS=... .ci/c-fuzz.sh --record       writes what was run to tests/records, too
#   TIMEOUT=600 ...                       seconds that a call may take, 25 else: for a busy machine
#
# A finding ends it with the call in words and as a file, which fuzz/opmill_fuzz_replay FILE of the same
# build makes again. The seeds are the cases of build/corpus, which 'make corpus' writes. What is missing
# of Debian's clang is installed, as root or through sudo.
set -euo pipefail
cd "$(dirname "$0")/.."

source=$PWD/generated/c
build=$PWD/build/c-fuzz
[ -n "${RUNS:-}" ] || build=$PWD/build/c-tests/asan
packages=(cmake ninja-build clang libclang-rt-dev)
export OPMILL_CORPUS=$PWD/build/corpus
[ -e "$OPMILL_CORPUS/index.txt" ] || { echo "build/corpus is missing: 'make corpus' writes it" >&2; exit 1; }

record_wanted=
if [ "${1:-}" = --record ]; then
  [ -n "${RUNS:-}" ] || { echo "--record needs RUNS" >&2; exit 2; }
  record_wanted=1
  shift
fi

missing() {
  local try
  for tool in cmake ninja clang; do
    command -v "$tool" > /dev/null || echo "$tool"
  done
  try=$(mktemp -d)
  echo 'int LLVMFuzzerTestOneInput(const unsigned char *b, unsigned long n);
int LLVMFuzzerTestOneInput(const unsigned char *b, unsigned long n) { return b == 0 && n > 0; }' \
    > "$try/try.c"
  clang -fsanitize=fuzzer,address,undefined "$try/try.c" -o "$try/try" 2> /dev/null ||
    echo "clang -fsanitize=fuzzer"
  rm -rf "$try"
}

install_missing() {
  local lacking root=()
  lacking=$(missing)
  [ -n "$lacking" ] || return 0
  echo "missing: ${lacking//$'\n'/, }"
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo > /dev/null && root=(sudo -n)
    [ ${#root[@]} -gt 0 ] || { echo "not root, and no sudo: install ${packages[*]}" >&2; exit 1; }
  fi
  command -v apt-get > /dev/null || { echo "no apt-get: install them by hand" >&2; exit 1; }
  "${root[@]}" apt-get update -qq
  DEBIAN_FRONTEND=noninteractive "${root[@]}" apt-get install -y -qq --no-install-recommends \
    "${packages[@]}" > /dev/null
  lacking=$(missing)
  [ -z "$lacking" ] || { echo "still missing: ${lacking//$'\n'/, }" >&2; exit 1; }
}

# fuzz NAME ARGUMENTS: from the seeds, with a corpus that is not kept; NAME is a version, or all.
fuzz() {
  local name=$1 log=$build/logs/$1.log only=
  shift
  [ "$name" = all ] || only=$name
  rm -rf "$build/seeds" "$build/corpus"
  mkdir -p "$build/seeds" "$build/corpus" "$build/logs"
  OPMILL_FUZZ_OPERATOR=$only "$build/fuzz/opmill_fuzz_replay" --write "$build/seeds"
  # The same numbers at every start; threads make no difference to what is tried. Weighing inputs by
  # how rare their features are would take longer than the calls do.
  OPMILL_FUZZ_OPERATOR=$only "$build/fuzz/opmill_fuzz" -seed=1 -entropic=0 -reload=0 -timeout="${TIMEOUT:-25}" \
    -rss_limit_mb=2048 -max_len=4096 -artifact_prefix="$build/" "$@" \
    "$build/corpus" "$build/seeds" > "$log" 2>&1 ||
    { grep -v -E '^#[0-9]+' "$log" | tail -n 60 >&2; echo "$name: a finding" >&2; exit 1; }
  sed -nE 's/^TALLY /   /p; s/^(#[0-9]+)\tDONE +(cov: [0-9]+).*/   \1 executions, \2/p' "$log"
}

if [ -z "${RUNS:-}" ]; then
  BUILD_ONLY=1 .ci/c-tests.sh asan
else
  install_missing
  cmake -S "$source" -B "$build" -G Ninja -Wno-dev --log-level=WARNING -DOPMILL_FUZZ=ON \
    -DOPMILL_CORPUS="$OPMILL_CORPUS" \
    -DCMAKE_C_COMPILER=clang -DCMAKE_C_FLAGS=-O1 > /dev/null
  cp generated/docs/coverage.json "$build/coverage.json" # of what is built, whatever comes later
  cmake --build "$build" -j 2 --target opmill_fuzz opmill_fuzz_replay |
    grep -vE '^\[|^ninja: ' || [ "${PIPESTATUS[0]}" -eq 0 ]
fi
export UBSAN_OPTIONS=print_stacktrace=1

if [ -z "${RUNS:-}" ]; then
  fuzz all -runs="${RUNS_IN_ALL:-15000}"
  exit
fi
versions=("$@")
[ $# -gt 0 ] || mapfile -t versions < <("$build/fuzz/opmill_fuzz_replay" --list)
for version in "${versions[@]}"; do
  fuzz "$version" -runs="$RUNS"
done
[ -z "$record_wanted" ] ||
  PYTHONPATH=generator:tests/support \
    python3 .ci/c_fuzz_record.py "$build/coverage.json" "$build/logs" "${versions[@]}"
