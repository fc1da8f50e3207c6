import type { Hearing, Phrase } from "./phrase.ts";
import { bareCommands, commandPhrases } from "./phrases/command-phrases.ts";
import { filePhrases } from "./phrases/file-phrases.ts";
import { planPhrases } from "./phrases/plan-phrases.ts";
import { namePhrases, textPhrases } from "./phrases/search-phrases.ts";
import { talkPhrases } from "./phrases/talk-phrases.ts";
import { toolPhrases } from "./phrases/tool-phrases.ts";
import { maskQuoted } from "./quoted-pieces.ts";
import type { Step, Understood } from "./step.ts";

export interface Before {
  readonly lastPath?: string;
  readonly input?: string;
}

/** What the person asks for, in their order. Nothing when not all of it is understood: half of a request is not done. */
export function understand(message: string, before: Before = {}): Understood | undefined {
  if (message.length > longestMessage) return undefined;
  const masked = maskQuoted(message);
  if (masked.text.length > 2 * longest) return undefined;
  const said = masked.text.trim().replace(/(?<=\p{L})[.!?\s]+$/u, "");
  const talk = said.length > longest ? undefined : stepOf(said, { masked }, talkPhrases);
  const bare = withoutManners(masked.text);
  if (talk && ![stopping, goingOn, repeating].some((pattern) => pattern.test(bare))) return { steps: [talk] };
  if (bare.length > longest) return undefined;
  if (bare === "") return masked.text.trim() === "" ? undefined : { steps: [{ does: "talk", about: "greeting" }] };
  if (stopping.test(bare)) return { steps: [], drops: true };
  if (goingOn.test(bare)) return { steps: [], again: "go on" };
  if (repeating.test(bare)) return { steps: [], again: "repeat" };
  if (masked.isQuoted(bare)) return { steps: [{ does: "run", command: masked.meant(bare) }] };
  const correction =
    /^(?:(?:no|nein|non|wait|actually|rather|instead)(?:,\s*|\s+(?=instead|rather))|actually\s+)+(?<rest>.+)$/isu;
  const corrected = correction.exec(bare)?.groups?.["rest"] ?? bare;
  const wanted = corrected
    .replace(/^(?:instead|rather),?\s+/iu, "")
    .replace(/,?\s+(?:instead|rather|stattdessen|plutôt)$/iu, "");
  const steps = stepsOf(wanted, { masked, ...before });
  return steps && { steps, ...(wanted !== bare && { drops: true }) };
}

/** The file that a step is about, which "it" means afterwards. */
export function pathIn(step: Step): string | undefined {
  if (step.does === "move" || step.does === "copy") return step.to;
  return step.does === "read" ||
    step.does === "write" ||
    step.does === "append" ||
    step.does === "replace" ||
    step.does === "delete" ||
    step.does === "folder"
    ? step.path
    : undefined;
}

/** Longer sentences are not looked at; quoted text and code do not count. */
const longest = 2_000;
const longestMessage = 1_000_000;
const mostPieces = 24;

const stopping =
  /^(?:stop|halt|cancel|cancel (?:that|it|everything)|abort|never ?mind|forget (?:it|that)|stop (?:it|that|now|everything)|don't(?: do (?:it|that))?|no|leave it|enough|lass es|abbrechen|arrête|annule)$/iu;
const goingOn = /^(?:go on|continue|carry on|keep going|proceed|weiter|mach weiter|continue s'il te plaît|next)$/iu;
const repeating =
  /^(?:again|(?:do|run|try|say) (?:it|that|this) again|repeat(?: (?:it|that|this))?|once more|one more time|same again|noch ?mal|nochmals|encore(?: une fois)?)$/iu;

/** In this order: what is said more exactly comes first. */
const phrases: readonly Phrase[] = [
  ...talkPhrases,
  ...toolPhrases,
  ...planPhrases,
  ...commandPhrases,
  ...namePhrases,
  ...filePhrases,
  ...textPhrases,
  ...bareCommands,
];

/** The finest cut at connecting words whose pieces are all understood. */
function stepsOf(text: string, heard: Hearing): readonly Step[] | undefined {
  const pieces = cutAtConnections(text);
  const failed = new Set<string>();

  function from(start: number, lastPath: string | undefined, verb: string): readonly Step[] | undefined {
    if (start === pieces.length) return [];
    const key = JSON.stringify([start, lastPath, verb]);
    if (failed.has(key)) return undefined;
    const here = lastPath === undefined ? heard : { ...heard, lastPath };
    for (let end = start + 1; end <= pieces.length; end++) {
      const said = withoutManners(joined(pieces.slice(start, end)));
      const own = stepOf(said, here);
      const step = own ?? goingOnWith(verb, said, here);
      if (!step || (isOneCommand(step) && isPunctuation(pieces[end - 1]?.connection))) continue;
      if (takesAll.has(step.does)) {
        const whole = stepOf(withoutManners(joined(pieces.slice(start))), here);
        if (whole?.does === step.does) return [whole];
      }
      const rest = from(end, pathIn(step) ?? lastPath, own ? verbOf(said, step) : verb);
      if (rest) return [step, ...rest];
    }
    failed.add(key);
    return undefined;
  }
  return from(0, heard.lastPath, "");
}

/** What is said to them may hold anything: a plan of things to run and read. */
const takesAll: ReadonlySet<Step["does"]> = new Set(["plan", "add to plan", "remember", "recall", "delegate", "say"]);

/** "read a.txt and b.txt": the verb goes on with what looks like a file; to look at one that is not there does no harm. */
function goingOnWith(verb: string, said: string, heard: Hearing): Step | undefined {
  if (verb === "" || !/^(?:the\s+)?(?:file\s+)?\S+$/iu.test(said)) return undefined;
  const looksLikeFile = /[./]|^(?:the\s+)?file\s/iu.test(said) || heard.masked.isQuoted(said);
  const step = stepOf(`${verb} ${said}`, heard);
  return looksLikeFile || step?.does === "read" ? step : undefined;
}

function verbOf(said: string, step: Step): string {
  return pathIn(step) === undefined ? "" : (/^\S+/u.exec(said)?.[0] ?? "");
}

/** In a command a semicolon or a comma belongs to it. */
function isOneCommand({ does }: Step): boolean {
  return does === "run" || does === "start";
}

function isPunctuation(connection: string | undefined): boolean {
  return connection !== undefined && /^\s*[,;]\s*$/u.test(connection);
}

function stepOf(text: string, heard: Hearing, among = phrases): Step | undefined {
  const here = { ...heard, masked: { ...heard.masked, text } };
  for (const { pattern, make } of among) {
    const found = pattern().exec(text);
    const step = found && make((name) => found.groups?.[name], here);
    if (step) return step;
  }
  return undefined;
}

interface Piece {
  readonly text: string;
  /** What stood between it and the next one. */
  readonly connection: string;
}

function cutAtConnections(text: string): readonly Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  for (const match of text.matchAll(connection)) {
    if (pieces.length >= mostPieces - 1) break;
    pieces.push({ text: text.slice(from, match.index), connection: match[0] });
    from = match.index + match[0].length;
  }
  return [...pieces, { text: text.slice(from), connection: "" }];
}

function joined(pieces: readonly Piece[]): string {
  return pieces.map(({ text, connection }, at) => (at === pieces.length - 1 ? text : text + connection)).join("");
}

const connection =
  /(?:\s*[,;.!]?\s+(?:and then|and after that|after that|afterwards|and finally|finally|and also|also|and|then|next|und dann|und|dann|danach|et puis|et|puis|ensuite)[,:]?\s+)|[.!?;]\s+(?=\p{L})|,\s+(?=\p{L})|\s*\n+\s*(?:(?:[-*•]|\d{1,2}[.)])\s+)?/giu;

/** "Could you please … for me?" */
function withoutManners(text: string): string {
  let bare = text.trim();
  for (let before = ""; before !== bare;) {
    before = bare;
    bare = bare.replace(polite, "").replace(politeEnd, "").trim();
    if (/[^\s./?*][.!?]+$/u.test(bare) && !/\.\.$|^\?+$/u.test(bare)) bare = bare.replace(/[.!?]+$/u, "");
  }
  return bare;
}

const polite =
  /^(?:(?:please|pls|kindly|hey|hi|hello|ok|okay|now|just|so|well|then|first|hermes|bitte|hallo|jetzt|s'il (?:te|vous) plaît|maintenant)[,:!]?\s+(?=\S)|(?:can|could|would|will) you (?:please )?|(?:i (?:want|need) (?:you )?to|i(?:'d| would) like (?:you )?to|i want|let's|let us|go ahead and|kannst du(?: mir)?(?: bitte)?|könntest du(?: bitte)?|peux-tu|pouvez-vous|tu peux)\s+)/iu;
const politeEnd = /(?:,?\s+(?:please|pls|for me|thanks|thank you|bitte|danke|now|s'il (?:te|vous) plaît|merci))$/iu;
