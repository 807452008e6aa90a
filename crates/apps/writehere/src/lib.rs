//! WriteHERE: a recursive planner that writes long reports and stories.
