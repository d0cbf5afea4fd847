#!/usr/bin/env bash
# Runs fuzz targets until the first finding, or replays one input.
set -euo pipefail
cd "$(dirname "$0")/.."

seconds=$1      # for each target
target=${2:-}   # default: all targets
input=${3:-}    # default: search for inputs

if [ -n "$target" ] && [ ! -e "fuzz/corpus/$target" ]; then
  echo "unknown target $target: use one of $(cd fuzz/corpus && echo *)"
  exit 2
fi
if [ -n "$input" ] && [ -z "$target" ]; then
  echo "INPUT requires TARGET: set both"
  exit 2
fi
command -v c++ >/dev/null || { echo "a C++ compiler is missing: apt install g++"; exit 2; }

# Coverage instrumentation for libFuzzer.
flags=(-Cpasses=sancov-module -Ccodegen-units=1)
for option in level=4 inline-8bit-counters pc-table trace-compares; do
  flags+=("-Cllvm-args=-sanitizer-coverage-$option")
done
toolchain=()
if [ -n "${SANITIZER:-}" ]; then
  flags+=("-Zsanitizer=$SANITIZER")
  toolchain=(+nightly)
fi

host=$(rustc -vV | sed -n 's/^host: //p')
programs=${CARGO_TARGET_DIR:-fuzz/target}
RUSTFLAGS="${flags[*]}" cargo "${toolchain[@]}" build --quiet --release --locked --target "$host" \
  --manifest-path fuzz/Cargo.toml --target-dir "$programs"
program=$programs/$host/release/fuzz

if [ -n "$input" ]; then
  TARGET=$target exec "$program" "$input"
fi

search() {  # searches one target; fails on a finding
  local name=$1 work=.build/fuzz/$1 finding
  mkdir -p "$work/inputs" "$work/findings"
  if ! TARGET=$name "$program" -max_total_time="$seconds" -rss_limit_mb=2048 -timeout=25 \
    -print_final_stats=1 -artifact_prefix="$work/findings/" "$work/inputs" "fuzz/corpus/$name" \
    >"$work/log" 2>&1; then
    finding=$(sed -n 's/.*Test unit written to //p' "$work/log" | tail -n 1)
    echo "$name: failed on $finding; see make fuzz TARGET=$name INPUT=${finding:-$work/log}"
    return 255  # xargs starts no further target
  fi
  sed -n 's/^stat::number_of_executed_units: *//p' "$work/log" |
    sed "s/.*/$name: & inputs, nothing found/"
}
export -f search
export program seconds

# A target has one thread: one runs on each core.
(cd fuzz/corpus && printf '%s\n' ${target:-*}) |
  xargs --max-procs="$(nproc)" --max-args=1 bash -c 'search "$0"' || exit 1
