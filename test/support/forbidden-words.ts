/**
 * Names and phrases that this repository does not use, each with what to write instead. Anyone may add a line.
 * `node scripts/wording.ts FOLDER` lists the hits of a folder; `test/wording.test.ts` fails on them.
 */

/** Names of variables, parameters, functions and types. Keys of objects are not checked: some are stored. */
export const forbiddenNames: Readonly<Record<string, string>> = {
  asked: "question, request",
  at: "index, offset, position, line, createdAt",
  begun: "started, or a noun",
  found: "match, matches, result, or the noun: file, entry",
  gone: "removed, or a noun",
  heard: "chunk, event, received",
  known: "a noun: knownModels, names, cached",
  least: "min…",
  longest: "max…",
  made: "created, or a noun",
  meant: "intended, target, or a noun",
  most: "max…",
  said: "message, reply, output, text",
  taken: "used, or a noun",
  told: "reported, notice, event",
  usual: "default…",
  wanted: "requested, expected, or a noun",
  Asked: "Question, Request",
  Found: "Match, or the noun",
  Ground: "what it holds: WorkspaceFiles",
  Heard: "Chunk, Event",
  Known: "what it holds: KnownModels",
  Mind: "what it holds: SessionModel",
  Room: "what it holds: DiskQuota",
  Said: "Message, Reply",
  Told: "Notice, Report",
};

export interface ForbiddenPhrase {
  /** A space matches any white space, so that a phrase is found across the end of a line. */
  readonly phrase: RegExp;
  readonly instead: string;
  /** Where the phrase is checked; everywhere when not given. */
  readonly only?: "comments";
}

/** Phrases in comments, strings of several words (messages, test names), and documents. Letter case does not matter. */
export const forbiddenPhrases: readonly ForbiddenPhrase[] = [
  { phrase: /\btold\b/, instead: "reports, notifies, passes to; with the actor as the subject" },
  { phrase: /\b(hear|hears|heard|hearing)\b/, instead: "receives, gets, learns" },
  { phrase: /\bany ?more\b(?! than)/, instead: "no longer" },
  { phrase: /\b(is|are|was|were|be|been) said\b/, instead: "message, text, history; or the actor: X reports" },
  { phrase: /(?<!\bthere )\b(is|are|was|were) no (?!longer|more than)/, instead: "is not a, has no, there is no" },
  { phrase: /\banew\b/, instead: "again; rebuild, restart, recreate" },
  { phrase: /\b(go|goes|going|gone|went) on with\b/, instead: "resume, continue" },
  { phrase: /\b(stand|stands|stood|standing) in\b/, instead: "fall back, replace, act as" },
  { phrase: /\b(bring|brings|brought|bringing)( (it|them|this|that))? back\b/, instead: "restore" },
  { phrase: /\b(take|takes|took|taken|taking)( (it|them|this|that))? back\b/, instead: "undo" },
  { phrase: /\b(made|makes|make|making)( (itself|it|them))? again\b/, instead: "rebuild, recreate" },
  { phrase: /\b(come|comes|came) down to\b/, instead: "resolves to, means" },
  { phrase: /\banswers from now on\b/, instead: "Now using X" },
  { phrase: /\b(is|are|was|were|be|been) asked about\b/, instead: "needs approval, requires confirmation" },
  {
    phrase: /\b(nobody|nothing|no one) (is|was) (asked|told|said)\b/,
    instead: "no approval is needed; without a prompt",
  },
  { phrase: /\b(is|are|was|were) begun\b/, instead: "starts, started" },
  {
    phrase: /\b(counts|holds) on\b(?! (the|a|an|this|that|its|their|every|each|one|any|all|two)\b)/,
    instead: "still applies",
  },
  { phrase: /\b(whoever|whomever)\b/, instead: "the caller, the user, a reader, anyone who" },
  { phrase: /\bLeft out:/, instead: "Undefined: or Default:", only: "comments" },
  { phrase: /\bby lot\b/, instead: "random" },
  { phrase: /\b(went|goes|gone) away\b/, instead: "disconnected, was removed, was deleted" },
  { phrase: /\bleads? nowhere\b/, instead: "is not followed, does not resolve" },
  { phrase: /\b(is a no|needs a yes|the yes of)\b/, instead: "denies, approves, needs approval" },
  { phrase: /\breads? no more\b/, instead: "max…, or why there is a limit" },
  { phrase: /\bwhat became of\b/, instead: "the outcome of" },
  { phrase: /\ball it had started\b/, instead: "its child processes" },
  { phrase: /\bof strangers\b/, instead: "untrusted" },
  { phrase: /\bforeign text\b/, instead: "untrusted text" },
  { phrase: /\bfor ever\b/, instead: "forever" },
  { phrase: /\b(is|are|was|were) on (its|their) way\b/, instead: "in transit; typed before the question appeared" },
  { phrase: /, if so\b/, instead: "a second sentence: “Undefined: it may.”", only: "comments" },
  {
    phrase: /^(Of|As) (a|an|the|its|it|they|one|all|this|each)\b/,
    instead: "the noun first: “The timeout of one call”, “The name in the settings”",
    only: "comments",
  },
  {
    phrase: /^It (has|is|was|may|can|takes|needs|ends|runs)\b/,
    instead: "the subject by its name: “The process has ended”",
    only: "comments",
  },
  { phrase: /^What (?!'|happens)/, instead: "a noun or a verb first: “Text that the model sees”", only: "comments" },
];

/** Text that keeps a forbidden phrase: sample data, quotations, names that others chose. */
export interface Quotation {
  readonly file: string;
  /** Part of the line. */
  readonly text: string;
  readonly reason: string;
}

export const quotations: readonly Quotation[] = [
  {
    file: "src/safety/injection/demands.ts",
    text: "TOLD",
    reason: "the name of a meaning in data/injection/words.json",
  },
  { file: "src/store/search/read-query.ts", text: "told", reason: "a stop word of search queries" },
  { file: "src/safety/injection/order.ts", text: "told", reason: "words of texts that are scanned" },
];

/** Files whose words are not ours or not prose: samples, generated references, bundled data. */
export const uncheckedFiles: readonly RegExp[] = [
  /^test\/fixtures\//,
  /^docs\/reference\//,
  /^test\/support\/forbidden-words\.ts$/,
  /^test\/wording\.test\.ts$/,
];
