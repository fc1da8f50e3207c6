import { type Context, matchIntents } from "./intent.ts";
import { intents, shellStep } from "./intents.ts";
import { type MaskedText, maskQuoted } from "./quoted-pieces.ts";
import type { Step } from "./step.ts";

/** A parsed prompt. */
export interface OfflineRequest {
  readonly steps: readonly Step[];
  /** True if the remaining steps of earlier requests are dropped. */
  readonly dropsRest?: boolean;
  /** Continues with the remaining steps of the last request, or repeats all of them. */
  readonly again?: "rest" | "all";
}

/** Parses a message. Returns undefined unless every part is understood, because half of a request is never executed. */
export function readRequest(message: string, context: Context = {}): OfflineRequest | undefined {
  if (message.length > maxMessageChars) return undefined;
  const masked = maskQuoted(message);
  const sentence = withoutManners(masked.text);
  if (sentence === "" || sentence.length > maxSentenceChars) return undefined;
  if (/^(?:(?:stop|cancel|abort)(?: it| that)?|never ?mind|no)$/iu.test(sentence))
    return { steps: [], dropsRest: true };
  if (/^(?:go on|continue)$/iu.test(sentence)) return { steps: [], again: "rest" };
  if (/^(?:again|repeat|once more|(?:do|run|try) (?:it|that) again)$/iu.test(sentence))
    return { steps: [], again: "all" };
  if (masked.isQuoted(sentence)) return { steps: [shellStep(masked.unquote(sentence))] };
  const instruction = sentence.replace(/^(?:no|wait|actually),\s*/iu, "").replace(/,?\s+instead$/iu, "");
  const steps = readSteps(instruction, masked, context);
  return steps && { steps, ...(instruction !== sentence && { dropsRest: true }) };
}

/** Text inside quotes does not count towards the length of the sentence. */
const maxSentenceChars = 400;
const maxMessageChars = 20_000;
const maxPieces = 10;

/** Splits at as many connecting words as possible, provided that every piece is understood. */
function readSteps(text: string, masked: MaskedText, context: Context): readonly Step[] | undefined {
  const pieces = divide(text);
  const read = (first: number, lastPath: string | undefined, verb: string): readonly Step[] | undefined => {
    if (first === pieces.length) return [];
    const here = { ...context, lastPath };
    for (let end = first + 1; end <= pieces.length; end++) {
      const sentence = withoutManners(joined(pieces.slice(first, end)));
      const own = matchIntents(intents, sentence, masked, here);
      // "read a.txt and b.txt": the verb also applies to the next word if that looks like a file.
      const isFile = verb !== "" && (/^\S*[./]\S*$/u.test(sentence) || masked.isQuoted(sentence));
      const step = own ?? (isFile ? matchIntents(intents, `${verb} ${sentence}`, masked, here) : undefined);
      if (!step || (step.takesRest && end < pieces.length)) continue;
      const path = "path" in step ? step.path : undefined;
      // A comma or a semicolon inside a command is part of the command.
      if (
        "call" in step &&
        path === undefined &&
        /^[,;]/u.test(pieces[end - 1]?.connection ?? "") &&
        step.call.name === "terminal" &&
        /^(?:run|start|\$)/iu.test(sentence)
      )
        continue;
      const rest = read(end, path ?? lastPath, own ? (/^\S+/u.exec(sentence)?.[0] ?? "") : verb);
      if (rest) return [step, ...rest];
    }
    return undefined;
  };
  return read(0, context.lastPath, "");
}

interface Piece {
  readonly text: string;
  /** The words between this piece and the next one. */
  readonly connection: string;
}

function divide(text: string): readonly Piece[] {
  const pieces: Piece[] = [];
  let start = 0;
  for (const match of text.matchAll(connections)) {
    if (pieces.length >= maxPieces - 1) break;
    pieces.push({ text: text.slice(start, match.index), connection: match[0] });
    start = match.index + match[0].length;
  }
  return [...pieces, { text: text.slice(start), connection: "" }];
}

function joined(pieces: readonly Piece[]): string {
  return pieces.map(({ text, connection }, index) => (index < pieces.length - 1 ? text + connection : text)).join("");
}

const connections =
  /[,;.!]?\s+(?:and then|after that|and finally|finally|and also|also|and|then)[,:]?\s+|[.!?;,]\s+(?=[\p{L}\ue000-\ue0ff])|\s*\n+\s*(?:(?:[-*•]|\d{1,2}[.)])\s+)?/giu;

/** Removes polite phrases such as "Could you please … for me?". */
function withoutManners(text: string): string {
  let bare = text.trim();
  for (let previous = ""; previous !== bare;) {
    previous = bare;
    bare = bare
      .replace(politeStart, "")
      .replace(politeEnd, "")
      .replace(/(?<=[^\s./?*])[.!?]+$/u, "")
      .trim();
  }
  return bare;
}

const politeStart =
  /^(?:(?:please|hey|hi|hello|ok|okay|now|just|then|first|finally|hermes)[,:!]?\s+(?=\S)|(?:can|could|would|will) you |i(?: want|'d like| would like) you to |let's )/iu;
const politeEnd = /,?\s+(?:please|for me|thanks|thank you|now)$/iu;
