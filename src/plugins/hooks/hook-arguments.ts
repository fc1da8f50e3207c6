import type { OriginalHookName } from "../../contracts/host/hook.ts";

/**
 * The keyword arguments and the answer of each Python Hermes hook, for the reference page. A test compares them with
 * real events.
 */
export const hookArguments: Readonly<
  Record<OriginalHookName, { readonly args: string; readonly answer?: string; readonly note?: string }>
> = {
  pre_tool_call: {
    args: "tool_name args task_id session_id turn_id tool_call_id api_request_id middleware_trace",
    answer:
      '`{"action": "block", "message"}` or `{"decision": "block", "reason"}` blocks; `{"action": "approve", "message", "rule_key"?}` asks a person; `{"args": {…}}` changes the arguments; `{"action": "allow"}` or nothing lets it pass',
  },
  post_tool_call: {
    args: "tool_name args task_id session_id turn_id tool_call_id api_request_id middleware_trace result duration_ms status error_type error_message",
  },
  transform_tool_result: {
    args: "tool_name args task_id session_id turn_id tool_call_id api_request_id result duration_ms status error_type error_message",
    answer: "returned text replaces the result",
  },
  transform_terminal_output: {
    args: "command output returncode task_id session_id turn_id env_type",
    answer: "returned text replaces the output",
  },
  pre_llm_call: {
    args: "session_id task_id turn_id user_message conversation_history messages is_first_turn model platform parent_session_id sender_id",
    answer:
      '`{"context": text}` or plain text is added to the user message of this turn only; a context over 10,000 characters is saved to a file, and the message gets its first and last 500 characters',
  },
  post_llm_call: {
    args: "session_id task_id turn_id user_message assistant_response conversation_history messages model platform",
    note: "Fires only for a turn that ends with an answer.",
  },
  transform_llm_output: {
    args: "response_text session_id task_id turn_id model platform",
    answer: "returned text replaces the answer unless it is empty",
  },
  pre_verify: {
    args: "session_id task_id turn_id platform model coding attempt final_response changed_paths",
    answer:
      '`{"action": "continue", "message"}` or `{"decision": "block", "reason"}` keeps the turn going, at most `agent.max_verify_nudges` times',
  },
  pre_api_request: {
    args: "session_id task_id turn_id api_request_id platform provider model base_url api_mode api_call_count retry_count message_count tool_count max_tokens approx_input_tokens request_char_count started_at middleware_trace request",
    note: "`request` contains the last 4,000 characters of the messages and the names of the tools.",
  },
  post_api_request: {
    args: "session_id task_id turn_id api_request_id platform provider model base_url api_mode api_call_count retry_count message_count tool_count max_tokens api_duration started_at ended_at first_chunk_at finish_reason response_model usage assistant_content_chars assistant_tool_call_count response",
  },
  api_request_error: {
    args: "session_id task_id turn_id api_request_id platform provider model base_url api_mode api_call_count retry_count message_count tool_count max_tokens api_duration started_at max_retries retryable next_action retry_after status_code reason error",
    note: "Fires for each failed attempt.",
  },
  transform_api_error_classification: {
    args: "session_id task_id turn_id api_request_id provider model status_code error_type error_code error_message error_body reason",
    answer:
      '`{"reason", "retryable"?, "message"?}`: rate_limit, overloaded, server_error, auth, billing, context_overflow, model_not_found …',
  },
  on_stream_start: { args: "session_id task_id turn_id api_request_id model platform" },
  on_stream_delta: { args: "session_id task_id turn_id api_request_id delta text platform" },
  on_stream_end: { args: "session_id task_id turn_id api_request_id model text platform" },
  on_interim_message: { args: "session_id task_id turn_id api_request_id text message platform" },
  on_session_start: {
    args: "session_id task_id turn_id model platform",
    note: "Fires at the first turn of a session.",
  },
  on_session_end: {
    args: "session_id task_id turn_id completed failed interrupted turn_exit_reason model platform",
    note: "Fires at the end of every turn.",
  },
  on_session_finalize: { args: "session_id task_id turn_id platform reason" },
  on_session_reset: { args: "session_id task_id turn_id platform" },
  subagent_start: {
    args: "parent_session_id parent_turn_id parent_subagent_id child_session_id child_subagent_id child_role child_goal",
  },
  subagent_stop: {
    args: "parent_session_id parent_turn_id child_session_id child_role child_summary child_status tool_call_history duration_ms",
  },
  pre_approval_request: {
    args: "session_id task_id turn_id command description pattern_key pattern_keys session_key surface tool_name tool_call_id",
  },
  post_approval_response: {
    args: "session_id task_id turn_id command description pattern_key pattern_keys session_key surface tool_name tool_call_id choice",
    note: "`choice` is once, session, always, deny or timeout.",
  },
  pre_gateway_dispatch: {
    args: "session_id task_id turn_id event gateway session_store",
    answer: '`{"action": "skip"}`, `{"action": "rewrite", "text"}` or `{"action": "allow"}`',
  },
  on_skill_lifecycle: {
    args: "session_id task_id turn_id action skill_name provenance use_count reused reuse_after_patch",
  },
  pre_context_compression: { args: "session_id task_id turn_id messages tokens_before platform" },
  on_compression_complete: {
    args: "session_id task_id turn_id old_session_id in_place tokens_before tokens_after platform",
  },
};
