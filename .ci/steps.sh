# Named steps, of which each runs though another one failed, and what they share. To be sourced.
#
# The folder $records has a file for each kind of what is told at the end: `failed`, `flaky` and `quarantined`, with a line for each: a
# date, a commit and a name, with tabs between.

. .ci/retry.sh

step_times=
failed_steps=()
records=$(mktemp -d)
export GRAPHLOOM_CI_RECORDS=$records GRAPHLOOM_CI_FLAKY=$records/flaky
GRAPHLOOM_CI_COMMIT=$(git rev-parse --short HEAD)
export GRAPHLOOM_CI_COMMIT

# Runs the function or command behind the name, in a shell of its own that ends at the first failure.
step() {
  local name=$1 began=$SECONDS status=0
  shift
  printf '\n== %s\n' "$name"
  set +e
  (
    set -euo pipefail
    "$@"
  )
  status=$?
  set -e
  step_times+=$(printf '%6d  %s' $((SECONDS - began)) "$name")$'\n'
  if [ "$status" -ne 0 ]; then
    failed_steps+=("$name")
    printf '== %s: failed with status %d\n' "$name" "$status"
  fi
}

# Lists a kind of records, one line each, under a title. Says nothing where there is none.
list_records() {
  [ -s "$records/$1" ] || return 0
  printf '\n%s:\n' "$2"
  cut -f 3- "$records/$1" | sort | uniq -c | sed 's/^ *1 /  /; s/^ *\([0-9][0-9]*\) \(.*\)$/  \2 (\1 times)/'
}

# Prints the times, then what was flaky, quarantined and failed. Fails where a step failed.
steps_done() {
  printf '\nseconds  step\n%s%6d  all\n' "$step_times" "$SECONDS"
  list_records flaky "flaky, passed when run again alone"
  list_records quarantined "quarantined in .ci/quarantine, does not decide"
  list_records failed "failed tests"
  if [ -n "${cache:-}" ] && [ -s "$records/flaky" ]; then cat "$records/flaky" >>"$cache/flaky.tsv"; fi
  if [ ${#failed_steps[@]} -gt 0 ]; then
    printf '\nfailed steps:\n'
    printf '  %s\n' "${failed_steps[@]}"
    return 1
  fi
  printf '\nall steps passed\n'
}
