#!/usr/bin/env bash
# Builds the C library and its tests in several configurations and runs them all.
#
#   .ci/c-tests.sh              every configuration but 'clang', which 'tsan' has nearly all of
#   .ci/c-tests.sh release asan those that are named
#   BUILD_ONLY=1 ...            builds them and runs nothing
#   INSTALL_ONLY=1 ...          installs what they need and builds nothing
#   SAMPLE=8 ...                runs every eighth case of each version, the same ones every time, in all
#                               configurations but 'release', and in an emulator and under a sanitizer only the
#                               tests that their processor or sanitizer can decide
#
# The cases are those of build/corpus, which 'make corpus' writes. What is missing of Debian's compilers
# and qemu is installed, as root or through sudo. A folder of an earlier run is built on where its
# configuration is the same. Where there is ccache, it is used, and checkouts in other folders find
# what this one has compiled.
set -euo pipefail
cd "$(dirname "$0")/.."
# The CMake that builds the native module: it orders flags otherwise than older ones.
PATH=$PWD/.venv/bin:$PATH

source=$PWD/generated/c
build=$PWD/build/c-tests
corpus=$PWD/build/corpus
if [ -z "${INSTALL_ONLY:-}" ] && [ ! -e "$corpus/index.txt" ]; then
  echo "build/corpus is missing: 'make corpus' writes it" >&2
  exit 2
fi
built_only=${BUILD_ONLY:-}
strict="-Wall -Wextra -Wpedantic -Wconversion -Werror"
all=(release standard small asan tsan m32 s390x aarch64 mingw)
chosen=("${@:-${all[@]}}")
[ $# -gt 0 ] || chosen=("${all[@]}")

packages=(cmake ninja-build gcc libc6-dev)
tools=(cmake ninja gcc)
for name in "${chosen[@]}"; do
  case $name in
    standard | small) ;;
    release) tools+=("${CC:-gcc}") ;;
    clang | asan | tsan)
      packages+=(clang libclang-rt-dev)
      tools+=(clang) ;;
    m32) packages+=(gcc-multilib) ;;
    s390x)
      packages+=(gcc-s390x-linux-gnu libc6-dev-s390x-cross qemu-user)
      tools+=(s390x-linux-gnu-gcc qemu-s390x) ;;
    aarch64)
      packages+=(gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user)
      tools+=(aarch64-linux-gnu-gcc qemu-aarch64) ;;
    mingw)
      packages+=(gcc-mingw-w64-x86-64)
      tools+=(x86_64-w64-mingw32-gcc) ;;
    *) echo "$name is not a configuration: ${all[*]} clang" >&2; exit 2 ;;
  esac
done

has() { [[ " ${chosen[*]} " == *" $1 "* ]]; }

missing() {
  for tool in "${tools[@]}"; do
    command -v "$tool" > /dev/null || echo "$tool"
  done
  # Headers and libraries that come without a program of their own.
  local try
  try=$(mktemp -d)
  echo '#include <stdio.h>
int main(void) { return puts("") < 0; }' > "$try/try.c"
  if has m32; then
    gcc -m32 "$try/try.c" -o "$try/try" 2> /dev/null || echo "gcc -m32"
  fi
  if has asan || has tsan; then
    clang -fsanitize=address,undefined "$try/try.c" -o "$try/try" 2> /dev/null ||
      echo "clang -fsanitize=address,undefined"
  fi
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
  # gcc-multilib and a cross gcc exclude each other in Debian; gcc-12-multilib does not.
  local version multilib
  version=$(gcc -dumpversion 2> /dev/null | cut -d. -f1 || true)
  multilib=${version:+gcc-$version-multilib}
  packages=("${packages[@]/#gcc-multilib/${multilib:-gcc-12-multilib}}")
  "${root[@]}" apt-get update -qq
  DEBIAN_FRONTEND=noninteractive "${root[@]}" apt-get install -y -qq --no-install-recommends \
    "${packages[@]}" > /dev/null
  lacking=$(missing)
  [ -z "$lacking" ] || { echo "still missing: ${lacking//$'\n'/, }" >&2; exit 1; }
}

# The processor's seconds of all commands that have ended.
spent() { awk '{ print int(($16 + $17) / 100) }' /proc/$$/stat; }

# phase WHAT COMMAND...: adds a phase's seconds, and those of the processor, to the line of the configuration.
phase() {
  local what=$1 began=$SECONDS before
  before=$(spent)
  shift
  "$@"
  phases+="${phases:+; }$what $((SECONDS - began)) s (processor $(($(spent) - before)) s)"
}

# Prints the output of ninja without its progress.
quiet() {
  "$@" | grep -vE '^\[|^ninja: ' || [ "${PIPESTATUS[0]}" -eq 0 ]
}

configure() {
  cmake -S "$source" -B "$build/$name" -G Ninja --log-level=WARNING -DOPMILL_TESTS=ON \
    -DOPMILL_CORPUS="$corpus" \
    -DCMAKE_C_COMPILER="$compiler" -DCMAKE_C_FLAGS="$warnings$flags" "${launcher[@]}" "$@" > /dev/null
}

# Objects of the targets alone, so that what links cost is seen.
compile() {
  local objects
  # shellcheck disable=SC2086 # several targets
  objects=$(ninja -C "$build/$name" -t inputs $targets | grep -E '\.(o|obj)$')
  # shellcheck disable=SC2086
  quiet ninja -C "$build/$name" -j 2 $objects
}

link() {
  # shellcheck disable=SC2086
  quiet ninja -C "$build/$name" -j 2 $targets
}

compiled_by_cache() {
  local log=$build/$name/ccache.log
  [ -s "$log" ] || return 0
  echo "; ccache: $(grep -cE '^(direct|preprocessed)_cache_hit' "$log") hits," \
    "$(grep -c '^cache_miss' "$log") misses"
}

test_all() {
  local log=$build/$name/ctest.log
  OPMILL_CASES_EVERY=$every ctest --test-dir "$build/$name" --tests-regex "${RUN_ONLY:-.}" \
    --exclude-regex "$skipped" --verbose --no-tests=error -j 2 > "$log" 2>&1 ||
    { cat "$log" >&2; exit 1; }
  sed -nE 's/^[0-9]+: (.*checks, .*)/   \1/p; s/^(.*tests passed.*)/   \1/p' "$log"
}

# run NAME COMPILER FLAGS [CMAKE ARGUMENTS]
run() {
  local name=$1 compiler=$2 flags=$3 made=$build/$1/configuration phases=
  local every=1 skipped='^$' warnings="$strict " targets=${TARGET:-all}
  shift 3
  has "$name" || return 0
  echo "== $name: $compiler $flags $*"
  [ "$name" != release ] || warnings=
  # CMake forgets the flags where the compiler of an old folder was another.
  [ "$(cat "$made" 2> /dev/null)" = "$compiler $flags $*" ] || rm -rf "${build:?}/$name"
  phase configure configure "$@"
  echo "$compiler $flags $*" > "$made"
  rm -f "$build/$name/ccache.log"
  CCACHE_STATSLOG=$build/$name/ccache.log phase compile compile
  phase link link
  if [ -z "${BUILD_ONLY:-}" ]; then
    [ "$name" = release ] || every=${SAMPLE:-1}
    if [ "$every" -gt 1 ]; then
      case $name in
        tsan) skipped=$one_thread ;;
        s390x | aarch64) skipped=$any_processor ;;
      esac
    fi
    phase run test_all
  fi
  echo "   $phases$(compiled_by_cache)"
}

install_missing
[ -z "${INSTALL_ONLY:-}" ] || exit 0
launcher=()
if ccache=$(command -v ccache); then
  launcher=("-DCMAKE_C_COMPILER_LAUNCHER=$ccache")
  export CCACHE_BASEDIR=${CCACHE_BASEDIR:-$PWD} CCACHE_NOHASHDIR=1
fi
export ASAN_OPTIONS=detect_stack_use_after_return=1 UBSAN_OPTIONS=print_stacktrace=1
export TSAN_OPTIONS=halt_on_error=1:ignore_noninstrumented_modules=1

# Every example, refused call and seed of the fuzzer is checked in each configuration, unless SAMPLE
# says otherwise, and mutations of the seeds, most in the fastest one: what they find is seldom a
# compiler's doing. 'make c-fuzz' looks for more. Where calls take ten times as long, in an emulator,
# under a sanitizer or without optimisation, there are fewer random calls too, but on aarch64: they
# are about vectors.
mutations=-DOPMILL_SEED_MUTATIONS=6
one_mutation=-DOPMILL_SEED_MUTATIONS=1
reduced=("$one_mutation" -DOPMILL_RANDOM_CALLS=24)
# Tests that start no thread, and tests of arguments, memory and callers, which are the same on any
# processor: 'release', 'standard' and 'm32' run all of both.
one_thread='^(allocating|bad_calls|bad_contents|half.*|math|message|ranks|rejects|rule_values|signature)$'
any_processor='^(allocating|bad_calls|bad_contents|fuzz_seeds|parallel|ranks|threads)$'

# As it ships, and all tests. CC names the compiler, as clang-19. The flags are those of the native
# module, so that ccache has its objects: no warnings, which all others have.
run release "${CC:-gcc}" "" -DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS=ON "$mutations"
run clang clang -O1 "$one_mutation" -DOPMILL_THREADS=OFF
run standard gcc "-O1 -pedantic-errors" -DOPMILL_STANDARD_C=ON "$one_mutation" -DOPMILL_THREADS=OFF
# For systems with little memory: no function has a stack frame of more than 2 KB.
TARGET=opmill BUILD_ONLY=1 run small gcc "-Os -Wframe-larger-than=2048" -DOPMILL_STANDARD_C=ON \
  -DOPMILL_MAX_RANK=8 -DOPMILL_THREADS=OFF
# With the fuzzer, which .ci/c-fuzz.sh runs from this folder. Without optimisation: clang takes five
# times as long for the kernels otherwise. Instrumented code is large: a shared library is linked
# once, and not into each of twenty programs.
run asan clang -O0 -DOPMILL_FUZZ=ON -DBUILD_SHARED_LIBS=ON "${reduced[@]}"
run tsan clang "-O1 -gline-tables-only -fsanitize=thread" -DBUILD_SHARED_LIBS=ON "${reduced[@]}"
# Without SSE, where sums are kept in wider registers; the vectors that this warns of stay in a file.
run m32 gcc "-m32 -O1 -Wno-psabi" "$one_mutation" -DOPMILL_THREADS=OFF
run s390x s390x-linux-gnu-gcc "-O1 -static" -DOPMILL_THREADS=OFF "${reduced[@]}" \
  -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=s390x -DCMAKE_CROSSCOMPILING_EMULATOR=qemu-s390x
run aarch64 aarch64-linux-gnu-gcc "-O1 -static" -DOPMILL_THREADS=OFF "$one_mutation" \
  -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=aarch64 \
  -DCMAKE_CROSSCOMPILING_EMULATOR=qemu-aarch64
# Without optimisation, where gcc's warnings differ: what intrinsics are is expanded into the file then.
# MinGW's isnan and isinf convert doubles to float in branches that are never taken. Run where there
# is wine; else what is proven is that it compiles and links.
windows=(-DCMAKE_SYSTEM_NAME=Windows -DOPMILL_THREADS=OFF)
if wine=$(command -v wine64 || command -v wine); then
  windows+=("-DCMAKE_CROSSCOMPILING_EMULATOR=$wine")
else
  BUILD_ONLY=1
fi
run mingw x86_64-w64-mingw32-gcc "-O0 -static -Wno-float-conversion" "${windows[@]}"
[ -n "$built_only" ] || echo "all configurations passed: ${chosen[*]}"
