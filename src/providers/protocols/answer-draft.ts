import { asId, newId, type CallId } from "../../base/ids.ts";
import type { JsonObject } from "../../base/json.ts";
import type { AssistantMessage, ToolCall } from "../../contracts/model/message.ts";
import type { AnswerContext } from "./adapter.ts";

interface DraftScene extends Pick<AnswerContext, "tools" | "emit"> {
  readonly endpoint: { readonly providerId: string };
}

/** An answer that is being received. Emits deltas and keeps the pieces, which are joined at the end. */
export interface AnswerDraft {
  text(delta: string): void;
  reasoning(delta: string): void;
  /** Starts a new text part. */
  breakText(): void;
  addCall(): CallDraft;
  readonly calls: readonly CallDraft[];
  textSoFar(): string;
  finish(end: DraftEnd): AssistantMessage;
}

export interface CallDraft {
  id: string | undefined;
  /** The tool name as the provider spells it. */
  readonly name: string;
  /** Adds a piece of the name, or the whole name again. */
  named(piece: string): void;
  argued(piece: string): void;
  argsSoFar(): string;
  /** Provider-specific fields. */
  extra: JsonObject | undefined;
}

export interface DraftEnd {
  readonly stop: AssistantMessage["stop"];
  readonly data?: JsonObject | undefined;
  /** The number of characters at the start of the text that were reasoning. */
  readonly misread?: number;
}

export function createAnswerDraft({ endpoint, tools, emit }: DraftScene): AnswerDraft {
  let current = "";
  const texts: string[] = [];
  let reasoning = "";
  const calls: CallDraft[] = [];

  function addCall(): CallDraft {
    const index = calls.length;
    const pieces: string[] = [];
    let name = "";
    let shown = false;
    const show = (delta: string): void => {
      if (shown) emit({ type: "call", index, delta });
      else emit({ type: "call", index, name: tools.realName(name), delta });
      shown = true;
    };
    const call: CallDraft = {
      id: undefined,
      extra: undefined,
      get name() {
        return name;
      },
      named(rawPiece) {
        const piece = rawPiece.trim();
        // Some servers repeat the whole name with every piece, some send it in pieces, and some send it last.
        if (piece === "" || piece === name || (pieces.length > 0 && name !== "")) return;
        name = name !== "" && piece.startsWith(name) ? piece : name + piece;
      },
      argued(piece) {
        if (piece === "") return;
        // Some servers send an empty object first, then the real arguments.
        if (pieces.length === 1 && pieces[0] === "{}" && piece.startsWith("{")) pieces.pop();
        pieces.push(piece);
        show(piece);
      },
      argsSoFar() {
        if (pieces.length > 1) pieces.splice(0, pieces.length, pieces.join(""));
        return pieces[0] ?? "";
      },
    };
    calls.push(call);
    return call;
  }

  return {
    calls,
    addCall,
    text(delta) {
      if (delta === "") return;
      current += delta;
      emit({ type: "text", delta });
    },
    reasoning(delta) {
      if (delta === "") return;
      reasoning += delta;
      emit({ type: "reasoning", delta });
    },
    breakText() {
      if (current !== "") texts.push(current);
      current = "";
    },
    textSoFar: () => current,
    finish({ stop, data, misread = 0 }) {
      if (misread > 0) {
        reasoning += current.slice(0, misread);
        current = current.slice(misread);
      }
      if (current !== "") texts.push(current);
      const named = uniqueIds(calls);
      const toolCalls = calls.map((call, index): ToolCall => {
        const name = tools.realName(call.name);
        // A counter for each draft, in order.
        return { id: named[index] as CallId, name, args: tools.realArgs(name, call.argsSoFar()) };
      });
      return {
        role: "assistant",
        content: texts.map((text) => ({ type: "text", text })),
        calls: toolCalls,
        ...(reasoning.trim() === "" ? {} : { reasoning }),
        stop:
          stop === "end" && toolCalls.length > 0 ? "calls" : stop === "calls" && toolCalls.length === 0 ? "end" : stop,
        ...(data === undefined ? {} : { provider: { id: endpoint.providerId, data } }),
      };
    },
  };
}

function uniqueIds(calls: readonly CallDraft[]): readonly CallId[] {
  const usedIds = new Set<string>();
  return calls.map(({ id }) => {
    let result = id === undefined || id === "" ? newId<CallId>("call") : asId<CallId>(id);
    for (let copy = 2; usedIds.has(result); copy++) result = asId<CallId>(`${id}_${copy}`);
    usedIds.add(result);
    return result;
  });
}

/** Reads a token count; 0 if it is invalid. */
export function readTokenCount(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? Math.round(value) : 0;
}
