# Named steps with their times and a limit for all of them. To be sourced.

step_name=
step_began=0
step_times=
aim_seconds=
limit_seconds=

# The minutes that all steps should take together, and those that they may: a machine can be slow on a day.
aim_minutes() { aim_seconds=$(($1 * 60)) limit_seconds=$(($2 * 60)); }

# Ends the step before and begins the next one.
step() {
  end_step
  step_name=$1
  step_began=$SECONDS
  printf '\n== %s\n' "$1"
}

end_step() {
  [ -z "$step_name" ] || step_times+=$(printf '%6d  %s' $((SECONDS - step_began)) "$step_name")$'\n'
  step_name=
}

# Prints the table of times, also when a step has failed.
print_steps() {
  end_step
  printf '\nseconds  step\n%s%6d  all of %d\n' "$step_times" "$SECONDS" "$aim_seconds"
}
trap print_steps EXIT

# Ends the last step. Says when the steps took longer than they should, and fails when they took longer than they may.
steps_done() {
  end_step
  [ "$SECONDS" -le "$aim_seconds" ] || echo "too slow: the checks took $SECONDS s and should take $aim_seconds s"
  [ "$SECONDS" -le "$limit_seconds" ] || {
    echo "all checks passed, but they took $SECONDS s, and the limit is $limit_seconds s"
    return 1
  }
}
