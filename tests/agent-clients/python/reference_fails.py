"""Where the reference server is known to be wrong or to have nothing. Used only if AGENT_SERVER_KIND is `reference`."""

CHANNELS = "these channels of the protocol stay silent"
STATE = "there are no `state` commands"
VALUE = "the question is only under `payload`"
FLAT = "streams of version 1.0 have the older form, which the client reads as empty"
NO_ELICITATION = "a question comes back as text"
PLAIN = "the result is only Python's form of the values, as text"
NO_END = "there is no `end`"
REPEATED = "ids repeat within a millisecond"
ROLLED = "a step that ends while the run is rolled back can be kept"
SELECT = "`select` is ignored on states"

# A case, and why the reference fails it. The case must fail there: one that passes is an error of this table.
FAILS = {
    "test_meta::test_a_browser_sees_where_a_stream_can_be_taken_up": "`Location` is hidden from browsers",
    "test_meta::test_info_says_that_strict_resume_is_honoured": "`strict_resume` is ignored",
    "test_assistants::test_an_older_version_brings_its_context_back": "`latest` keeps the newer context",
    "test_threads::test_prune_can_keep_the_latest_state": "422: not in its in-memory stores",
    "test_threads::test_a_thread_can_have_a_time_to_live": "its in-memory stores forget the time to live",
    "test_threads::test_an_unknown_thread_is_not_found[copy]": "answers 409",
    "test_threads::test_an_unknown_thread_is_not_found[patch]": "says `Not Found`, without the id",
    "test_threads::test_search_finds_by_values_beside_threads_without_values": "500 as soon as one thread has no values",
    "test_state::test_the_history_goes_on_before_a_checkpoint[id]": "422: only objects",
    "test_state::test_the_history_goes_on_before_a_checkpoint[checkpoint]": "500: only objects with `configurable`",
    "test_state::test_the_error_of_a_task_is_json_in_a_text": "the text is Python's form of the exception",
    "test_state::test_a_state_gives_only_what_is_selected[one value]": SELECT,
    "test_state::test_a_state_gives_only_what_is_selected[two fields]": SELECT,
    "test_state::test_a_state_gives_only_what_is_selected[one field]": SELECT,
    "test_state::test_a_history_gives_only_what_is_selected": SELECT,
    "test_state::test_a_state_can_be_patched": "405",
    "test_runs::test_an_unknown_run_is_not_found[join]": "200 with an empty body",
    "test_runs::test_a_bad_body_is_refused_and_makes_no_run[runs-an unknown action on disconnection]": "taken",
    "test_streams::test_the_last_frame_says_that_the_run_has_ended[pipeline-value0-success]": NO_END,
    "test_streams::test_the_last_frame_says_that_the_run_has_ended[approval-value1-success]": NO_END,
    "test_streams::test_every_stream_has_ids_without_being_asked": "ids only with `stream_resumable`",
    "test_streams::test_the_stream_of_a_thread_can_be_that_of_ends_alone[stream_mode]": "reads only `stream_modes`, which no client sends",
    "test_streams::test_the_stream_of_a_thread_tells_changes_of_its_state[stream_mode]": "reads only `stream_modes`, which no client sends",
    "test_streams::test_the_stream_of_a_thread_tells_changes_of_its_state[stream_modes]": "none comes from its in-memory stores",
    "test_streams::test_a_stateless_stream_can_be_taken_up": "404: the route that `Location` names is not served",
    "test_streams::test_the_stream_of_an_unknown_run_is_not_found": "200 and nothing",
    "test_streams::test_the_stream_of_an_unknown_thread_is_not_found": "200 and waits for ever",
    "test_interrupts::test_an_unknown_question_is_refused_when_strict_and_the_thread_stays": "`strict_resume` is ignored",
    "test_events::test_an_error_has_its_code[checkpoint]": STATE,
    "test_events::test_a_malformed_subscription_is_refused[depth]": "taken",
    "test_events::test_the_tree_of_a_run_is_given": "only over WebSocket",
    "test_events::test_updates_come_by_node": CHANNELS,
    "test_events::test_what_a_node_writes_comes_as_custom": CHANNELS,
    "test_events::test_tasks_have_a_start_and_an_end": CHANNELS,
    "test_events::test_checkpoints_are_those_of_the_history": CHANNELS,
    "test_events::test_a_question_has_both_of_its_keys": VALUE,
    "test_events::test_the_typed_client_sees_what_is_asked": VALUE,
    "test_events::test_the_state_is_read_by_command": STATE,
    "test_events::test_checkpoints_are_listed_by_command": STATE,
    "test_events::test_a_run_forks_from_an_older_checkpoint[state.fork]": STATE,
    "test_events::test_a_message_is_put_into_a_thread": "there is no `input.inject`",
    "test_events::test_a_second_run_is_refused_if_it_says_so[multitask_strategy]": "only the other spelling is read",
    "test_events::test_both_paths_of_the_protocol_are_served[stream]": "405",
    "test_events::test_the_typed_client_gets_every_channel[updates]": CHANNELS,
    "test_events::test_the_typed_client_gets_every_channel[custom]": CHANNELS,
    "test_events::test_the_typed_client_gets_every_channel[tasks]": CHANNELS,
    "test_events::test_the_typed_client_gets_every_channel[checkpoints]": CHANNELS,
    "test_mcp::test_every_tool_has_a_schema_of_its_output[auto]": PLAIN,
    "test_mcp::test_every_tool_has_a_schema_of_its_output[legacy]": PLAIN,
    "test_mcp::test_a_call_gives_structured_content_and_the_same_as_text[auto]": PLAIN,
    "test_mcp::test_a_call_gives_structured_content_and_the_same_as_text[legacy]": PLAIN,
    "test_mcp::test_a_failure_is_a_result_with_the_graphs_own_message[auto]": "only the kind of the exception",
    "test_mcp::test_a_failure_is_a_result_with_the_graphs_own_message[legacy]": "only the kind of the exception",
    "test_mcp::test_what_a_node_writes_is_progress[auto]": "there is no progress",
    "test_mcp::test_what_a_node_writes_is_progress[legacy]": "there is no progress",
    "test_mcp::test_a_question_is_an_elicitation[approve-publish-auto]": NO_ELICITATION,
    "test_mcp::test_a_question_is_an_elicitation[approve-publish-legacy]": NO_ELICITATION,
    "test_mcp::test_a_question_is_an_elicitation[no-discard-auto]": NO_ELICITATION,
    "test_mcp::test_a_question_is_an_elicitation[no-discard-legacy]": NO_ELICITATION,
    "test_mcp::test_several_questions_are_several_elicitations[auto]": NO_ELICITATION,
    "test_mcp::test_several_questions_are_several_elicitations[legacy]": NO_ELICITATION,
    "test_mcp::test_a_client_without_forms_answers_with_a_tool[auto]": NO_ELICITATION,
    "test_mcp::test_a_client_without_forms_answers_with_a_tool[legacy]": NO_ELICITATION,
    "test_mcp::test_a_chat_gives_what_was_said_as_text[auto]": PLAIN,
    "test_mcp::test_a_chat_gives_what_was_said_as_text[legacy]": PLAIN,
    "test_mcp::test_calls_do_not_share_a_thread[auto]": PLAIN,
    "test_mcp::test_calls_do_not_share_a_thread[legacy]": PLAIN,
    "test_mcp::test_an_assistant_is_a_tool[auto]": PLAIN,
    "test_mcp::test_an_assistant_is_a_tool[legacy]": PLAIN,
    "test_mcp::test_the_server_speaks_the_generation_asked_for[auto]": "only the older generation",
    "test_a2a::test_there_is_a_card_without_an_assistant": "400",
    "test_a2a::test_a_message_is_streamed": FLAT,
    "test_a2a::test_a_question_needs_input_and_is_resumed[streamed]": FLAT,
}

# Cases that the reference fails at most times, or at some: they depend on its timing.
SOMETIMES = {
    "test_streams::test_ids_of_frames_are_unique_and_increasing": REPEATED,
    "test_streams::test_a_stream_goes_on_after_any_of_its_frames_without_loss_or_repeat": REPEATED,
    "test_events::test_replay_comes_before_what_is_live": "the first event of a run can be lost",
    "test_runs::test_a_second_run_can_roll_the_first_back": ROLLED,
    "test_runs::test_a_run_that_is_rolled_back_leaves_nothing": ROLLED,
}

# Patterns of cases whose whole protocol the reference does not have.
ABSENT = {
    "test_agent_protocol::*": "the reference does not have these routes",
    "test_openai::*": "the reference does not speak OpenAI's protocol",
    "test_ag_ui::*": "the reference does not speak AG-UI",
}
