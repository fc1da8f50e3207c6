import assert from "node:assert/strict";
import { test } from "node:test";

import fc from "fast-check";

import type { JsonObject } from "../../base/json.ts";
import { protocols } from "../endpoint.ts";
import { loadAdapter } from "./load-adapter.ts";
import { createToolWriter } from "./wire-tools.ts";

/** Words that decoders look for, so that random documents exercise much of their code. */
const words = (
  "choices delta message content tool_calls function arguments name index id usage finish_reason " +
  "reasoning reasoning_content reasoning_details type text item response output output_index summary " +
  "encrypted_content call_id content_block thinking signature input partial_json candidates parts " +
  "functionCall args thoughtSignature thought finishReason"
).split(" ");
const types = (
  "message_start content_block_start content_block_delta content_block_stop message_delta message " +
  "text_delta thinking_delta input_json_delta tool_use text thinking reasoning function_call " +
  "response.output_item.added response.output_item.done response.output_text.delta response.completed " +
  "response.function_call_arguments.delta stop tool_calls STOP end_turn completed"
).split(" ");
const { document } = fc.letrec((tie) => ({
  leaf: fc.oneof(fc.constantFrom(...types, "", null, 0, 1, true), fc.string({ maxLength: 5 })),
  document: fc.oneof(
    { maxDepth: 6, depthSize: "medium" },
    tie("leaf"),
    fc.array(tie("document"), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...words), tie("document"), { maxKeys: 5 }),
  ),
}));
const event = fc.dictionary(fc.constantFrom(...words), document, { maxKeys: 6 });

for (const protocol of protocols) {
  test(`${protocol}: the decoder handles any documents without exception or invalid events`, async () => {
    const speaker = await loadAdapter(protocol);
    const tools = await createToolWriter("openai")([]);
    const endpoint = { providerId: "p", protocol, baseUrl: "http://x" };
    fc.assert(
      fc.property(
        fc.array(event, { maxLength: 6 }),
        fc.option(fc.constantFrom("error", "ping", "x")),
        (events, name) => {
          let text = "";
          const decoder = speaker.decoder({
            endpoint,
            tools,
            emit: (delta) => {
              if (delta.type === "text") text += delta.delta;
            },
          });
          // Safe cast: the value consists of JSON values.
          for (const value of events) decoder.json(value as JsonObject, name ?? undefined);
          decoder.done();
          const { message } = decoder.answer();
          assert.equal(new Set(message.calls.map(({ id }) => id)).size, message.calls.length);
          assert.equal(message.content.map((part) => (part.type === "text" ? part.text : "?")).join(""), text);
          if (message.stop === "calls" || message.stop === "end")
            assert.equal(message.stop === "calls", message.calls.length > 0);
          JSON.stringify(message);
        },
      ),
      { numRuns: 300 },
    );
  });
}
