# One request to one program on the embedded model. To be sourced.

# `result_of PROGRAM REQUEST CORPUS OUT PROGRAMS` writes the result to `OUT.md` and what the program says to `OUT.log`.
# A corpus of HTML pages is made notes for Obsius; a folder with `.md` files is copied.
result_of() {
  local program=$1 request=$2 corpus=$3 out=$4 programs=$5 vault thread
  rm -rf "$out" "$out.md"
  mkdir -p "$out"
  case $program in
    writehere)
      "$programs/writehere" report "$request" --corpus "$corpus" --length 300 --out "$out/run" --model embedded >"$out.log" 2>&1 &&
        cp "$out/run/report.md" "$out.md" ;;
    deepsearch)
      "$programs/deepsearch" "$request" --corpus "$corpus" --yes --model embedded --out "$out/run" \
        --set workflow_max_plan_executed_num=1 --set planner_max_step_num=1 --set info_collector_max_research_loops=1 \
        --set visualization_enable=false >"$out.log" 2>&1 &&
        cp "$out/run/report.md" "$out.md" ;;
    obsius)
      vault=$out/vault
      mkdir -p "$vault"
      if ls "$corpus"/*.md >/dev/null 2>&1; then cp -r "$corpus"/. "$vault"; else python3 bench/notes_of.py "$corpus" "$vault"; fi
      # What is written from here on is newer, on file systems that count whole seconds, too.
      sleep 1 && touch "$out/before"
      "$programs/obsius" run "$request" --vault "$vault" --yes --model embedded >"$out/answer" 2>"$out.log" || return
      # A note that was written is the result, else the answer.
      find "$vault" -name '*.md' -newer "$out/before" -not -path '*/.obsius/*' -exec cat {} + >"$out.md"
      [ -s "$out.md" ] || cp "$out/answer" "$out.md" ;;
    pocketflow)
      thread="result-$$-$RANDOM"
      say() { "$programs/pocketflow" say "$thread" "$1" --corpus "$corpus" --model embedded >>"$out.log" 2>&1 || [ $? = 3 ]; }
      say "$request" && say approve && say approve &&
        "$programs/pocketflow" export "$thread" --format markdown >"$out.md" 2>>"$out.log" ;;
  esac
}
