import type { JsonObject } from "../../base/json.ts";

/** Sample arguments of a hook event, to test a hook program without a session. */
export function sampleArguments(event: string): JsonObject {
  return { ...ids, ...samples[event] };
}

const ids: JsonObject = { session_id: "test-session", task_id: "test-session", turn_id: "test-turn", platform: "cli" };
const call: JsonObject = { tool_name: "terminal", args: { command: "echo hello" }, tool_call_id: "test-call" };
const request: JsonObject = { provider: "test", model: "test-model", base_url: "", api_mode: "chat_completions" };
const question: JsonObject = {
  command: "rm -rf build",
  description: "deletes a folder",
  pattern_key: "delete",
  pattern_keys: ["delete"],
  session_key: "test-session",
  surface: "cli",
};

const samples: Readonly<Record<string, JsonObject>> = {
  pre_tool_call: call,
  "before-tool-call": call,
  post_tool_call: { ...call, result: '{"output":"hello"}', status: "ok", duration_ms: 42 },
  "after-tool-call": { ...call, result: '{"output":"hello"}', status: "ok", duration_ms: 42 },
  transform_tool_result: { ...call, result: '{"output":"hello"}', status: "ok", duration_ms: 42 },
  transform_terminal_output: { command: "echo hello", output: "hello\n", returncode: 0, env_type: "local" },
  pre_llm_call: { user_message: "Hello", conversation_history: [], is_first_turn: true, model: "test-model" },
  post_llm_call: { user_message: "Hello", assistant_response: "Hi.", conversation_history: [], model: "test-model" },
  transform_llm_output: { response_text: "Hi.", model: "test-model" },
  "before-response": { response_text: "Hi.", model: "test-model" },
  pre_verify: { coding: true, attempt: 0, final_response: "Done.", changed_paths: ["src/app.ts"], model: "test-model" },
  pre_api_request: { ...request, api_call_count: 1, message_count: 2, tool_count: 3 },
  post_api_request: { ...request, api_call_count: 1, api_duration: 1.2, usage: { input_tokens: 20, output_tokens: 5 } },
  api_request_error: { ...request, status_code: 503, retryable: true, reason: "server" },
  on_session_start: { model: "test-model" },
  on_session_end: {
    completed: true,
    failed: false,
    interrupted: false,
    turn_exit_reason: "answered",
    model: "test-model",
  },
  pre_approval_request: question,
  post_approval_response: { ...question, choice: "once" },
  on_skill_lifecycle: { action: "loaded", skill_name: "test", use_count: 1, provenance: "local" },
};
