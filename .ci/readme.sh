# The README's two commands, as its text has them. To be sourced in the root of a checkout.

# Runs the command that runs all tests, with the options of README_TEST_OPTIONS behind it.
readme_test() {
  local command
  command=$(sed -n 's/^\(cargo test .*\)$/\1/p' README.md | head -n 1)
  [ -n "$command" ] || { echo "README.md has no test command"; return 1; }
  bash -c "$command ${README_TEST_OPTIONS:-}"
}

# Runs the command that writes a report, and checks what it wrote.
readme_main() {
  local command file
  command=$(sed -n 's/^\(cargo run --bin writehere .*\)$/\1/p' README.md | head -n 1)
  [ -n "$command" ] || { echo "README.md has no main command"; return 1; }
  rm -rf out
  bash -c "$command" || return
  for file in report.md tree.json tree.mmd run.json; do
    [ -s "out/$file" ] || { echo "out/$file is missing or empty"; return 1; }
  done
  python3 .ci/report.py
}
