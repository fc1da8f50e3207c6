import type { JsonObject } from "../../../src/base/json.ts";
import { argumentPieces, piecesOf, stopOf, usageOf, type Dialect, type ScriptedTurn } from "./turn.ts";

/** Gemini. Calls are sent whole, and without ids unless the script has them. */
export const geminiDialect: Dialect = {
  wantsStream: ({ path }) => path.includes(":streamGenerateContent"),
  stream(turn, _request, number) {
    const parts = partsOf(turn, number);
    const chunk = (part: JsonObject): JsonObject => ({
      candidates: [{ content: { role: "model", parts: [part] }, index: 0 }],
      modelVersion: "m",
    });
    const events = [...parts.map((part) => ({ data: chunk(part) })), ...(turn.events ?? []).map((data) => ({ data }))];
    if (turn.errorInStream) return [...events, { data: geminiDialect.error(turn.errorInStream) }];
    return [...events, { data: { ...lastCandidate(turn, []), ...wireUsage(turn) }, end: true }];
  },
  whole: (turn, _request, number) => ({ ...lastCandidate(turn, partsOf(turn, number)), ...wireUsage(turn) }),
  error: ({ message, status = 400, code = "INVALID_ARGUMENT" }) => ({ error: { code: status, message, status: code } }),
};

function partsOf(turn: ScriptedTurn, number: number): readonly JsonObject[] {
  return [
    ...piecesOf(turn.reasoning).map((text) => ({ text, thought: true })),
    ...piecesOf(turn.text).map((text) => ({ text })),
    ...(turn.calls ?? []).map((call, index): JsonObject => {
      const id = call.id === undefined ? {} : { id: call.id };
      // An object that the test wrote.
      const args = JSON.parse(argumentPieces(call).join("") || "{}") as JsonObject;
      const signature = index === 0 && turn.reasoning !== undefined ? { thoughtSignature: `signed-${number}` } : {};
      return { functionCall: { ...id, name: call.name, args }, ...signature };
    }),
  ];
}

function lastCandidate(turn: ScriptedTurn, parts: readonly JsonObject[]): JsonObject {
  const finishReason = { end: "STOP", calls: "STOP", length: "MAX_TOKENS", refused: "SAFETY" }[stopOf(turn)];
  return { candidates: [{ content: { role: "model", parts }, finishReason, index: 0 }] };
}

function wireUsage(turn: ScriptedTurn): JsonObject {
  const usage = usageOf(turn);
  if (!usage) return {};
  return {
    usageMetadata: {
      promptTokenCount: usage.input,
      candidatesTokenCount: usage.output - usage.reasoning,
      thoughtsTokenCount: usage.reasoning,
      cachedContentTokenCount: usage.cacheRead,
      totalTokenCount: usage.input + usage.output,
    },
  };
}
