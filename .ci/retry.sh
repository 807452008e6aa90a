# Tries a command that fetches something three times. The first argument says what is fetched. To be sourced.
retry() {
  local what=$1 attempt
  shift
  for attempt in 1 2 3; do
    "$@" && return 0
    echo "try $attempt of 3 failed: $what" >&2
    [ "$attempt" -eq 3 ] || sleep $((attempt * 5))
  done
  echo "could not be had after three tries: $what" >&2
  return 1
}
