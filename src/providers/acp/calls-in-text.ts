import { isObject, type JsonValue, parseJson } from "../../base/json.ts";

/**
 * Extracts calls from the text of a model that writes them between `<tool_call>` and `</tool_call>`, from chunks that
 * may split the text anywhere. A tag counts only outside of code and before JSON, so that an answer can mention tags.
 */
export interface ToolCallSplitter {
  push(delta: string): void;
  /** Ends the answer and emits text that was held back. A call without a closing tag is still accepted. */
  end(): void;
}

export interface ToolCallSink {
  text(delta: string): void;
  /** `args` is the raw text, which may not be valid JSON. The name is empty if it cannot be parsed. */
  call(name: string, args: string): void;
}

const opening = "<tool_call>";
const closing = "</tool_call>";

export function createToolCallSplitter(sink: ToolCallSink): ToolCallSplitter {
  let held = "";
  /** The call that is being parsed. */
  let call: CallReader | undefined;
  /** True if the JSON is broken, so that the ends of strings are unknown. Then the next closing tag ends the call. */
  let isPlain = false;
  const lines = createLineWatch();
  /** True while white space after a call is skipped. */
  let skipSpace = false;

  function say(piece: string): void {
    lines.pass(piece);
    const shown = skipSpace ? piece.trimStart() : piece;
    if (shown === "") return;
    skipSpace = false;
    sink.text(shown);
  }

  /** Returns the rest after the opening tag of a call, or undefined if all input was emitted or held back. */
  function readText(input: string): string | undefined {
    let emitted = 0;
    for (let index = input.indexOf("<"); index >= 0; index = input.indexOf("<", index + 1)) {
      const tag = input.slice(index, index + opening.length).toLowerCase();
      if (!opening.startsWith(tag)) continue;
      say(input.slice(emitted, index));
      emitted = index;
      if (tag === opening && lines.isInCode()) continue;
      const body = input.slice(index + opening.length).trimStart();
      if (body === "") {
        held = input.slice(index);
        return undefined;
      }
      if (!/^[{[]/u.test(body)) continue;
      call = createCallReader(isPlain);
      return body;
    }
    say(input.slice(emitted));
    return undefined;
  }

  function readCall(input: string, reader: CallReader): string | undefined {
    const read = reader.push(input);
    if (read === undefined) return undefined;
    finish(read.body);
    return read.rest;
  }

  function finish(body: string): void {
    call = undefined;
    skipSpace = true;
    for (const { name, args } of callsIn(body)) sink.call(name, args);
  }

  function read(input: string): void {
    let rest: string | undefined = input;
    while (rest !== undefined && rest !== "") rest = call === undefined ? readText(rest) : readCall(rest, call);
  }

  function end(): void {
    if (call === undefined) {
      say(held);
      held = "";
      return;
    }
    const body = call.soFar();
    const index = body.search(/<\/tool_call>/iu);
    finish(index < 0 ? body : body.slice(0, index));
    if (index < 0) return;
    isPlain = true;
    read(body.slice(index + closing.length));
    end();
  }

  return {
    push(delta) {
      const input = held + delta;
      held = "";
      read(input);
    },
    end,
  };
}

interface CallReader {
  /** Returns the call and the rest after it, once its closing tag has arrived. */
  push(input: string): { readonly body: string; readonly rest: string } | undefined;
  soFar(): string;
}

/** Reads up to the closing tag. A tag inside a JSON string is part of the string. */
function createCallReader(isPlain: boolean): CallReader {
  const pieces: string[] = [];
  /** The end of the text is not scanned yet, because it may be the start of a tag. */
  let tail = "";
  let inString = false;
  let isEscaped = false;
  return {
    soFar: () => pieces.join("") + tail,
    push(input) {
      const text = tail + input;
      let offset = 0;
      for (; offset < text.length; offset++) {
        const code = text.charCodeAt(offset);
        if (isEscaped) isEscaped = false;
        else if (inString) {
          if (code === backslash) isEscaped = true;
          else if (code === quote) inString = false;
        } else if (code === quote && !isPlain) inString = true;
        else if (code === lessThan) {
          const tag = text.slice(offset, offset + closing.length).toLowerCase();
          if (tag === closing)
            return { body: pieces.join("") + text.slice(0, offset), rest: text.slice(offset + closing.length) };
          if (closing.startsWith(tag)) break;
        }
      }
      pieces.push(text.slice(0, offset));
      tail = text.slice(offset);
      return undefined;
    },
  };
}

const [quote, backslash, lessThan] = [34, 92, 60];

/** Tracks whether the next character is inside a code block or directly after a backtick. */
function createLineWatch() {
  let head = "";
  let last = "";
  let isFenced = false;
  return {
    pass(text: string): void {
      if (text === "") return;
      last = text.slice(-1);
      const [first = "", ...others] = text.split("\n");
      head += first.slice(0, headChars - head.length);
      for (const line of others) {
        if (/^ {0,3}(?:```|~~~)/u.test(head)) isFenced = !isFenced;
        head = line.slice(0, headChars);
      }
    },
    isInCode: () => isFenced || last === "`",
  };
}

/** The start of a line, which shows whether the line opens or closes a code block. */
const headChars = 6;

function callsIn(body: string): readonly { readonly name: string; readonly args: string }[] {
  const text = body.trim();
  const parsed = parseJson(text, { maxChars: 2 ** 26, maxDepth: 512 });
  const list: readonly JsonValue[] = !parsed.ok ? [] : Array.isArray(parsed.value) ? parsed.value : [parsed.value];
  const calls = list.flatMap((one) => {
    if (!isObject(one) || typeof one["name"] !== "string") return [];
    const args = one["arguments"] ?? one["parameters"] ?? one["input"] ?? {};
    return [{ name: one["name"], args: typeof args === "string" ? args : JSON.stringify(args) }];
  });
  return calls.length > 0 && calls.length === list.length ? calls : [brokenCall(text)];
}

/** The model then sees its own call with unparsed arguments. */
function brokenCall(text: string): { readonly name: string; readonly args: string } {
  const name = /"name"\s*:\s*"([^"\\]{1,200})"/u.exec(text)?.[1] ?? "";
  const args = /"(?:arguments|parameters|input)"\s*:\s*([\s\S]*)$/u.exec(text)?.[1]?.replace(/\}\s*$/u, "");
  return { name, args: args?.trim() || text };
}
