import type { Tokens } from "./tokens.ts";

/**
 * Returns whether the verb at this position is an instruction to the reader. These are not instructions: a negated
 * verb, a verb with its own subject, or a purpose ("attackers ignore", "tricks the model to ignore", "To ignore all
 * rules, set …").
 */
export function isOrder({ words, sentences, isInner }: Tokens, index: number): boolean {
  if (isInner[index]) return false;
  const word = (back: number): string =>
    sentences[index - back] === sentences[index] ? (words[index - back] ?? "") : "";
  const first = word(1);
  if (first === "") return true;
  for (let back = 1; back <= (first === "to" ? 5 : 3); back++) {
    const candidate = word(back);
    if (negations.has(candidate) && !(candidate === "not" && hedges.has(word(back - 1)))) return false;
  }
  if (first === "or" || first === "nor") {
    for (let back = 4; back <= 10; back++) {
      if (negations.has(word(back))) return false;
    }
  }
  if (first === "to") return isOrderedTo(word);
  if (modals.has(first)) {
    for (let back = 2; back <= 6; back++) {
      if (relatives.has(word(back))) return false;
      if (readers.has(word(back))) return !conditions.has(word(back + 1)) && !conditions.has(word(back + 2));
    }
    return false;
  }
  if (first === "you") return demands.has(word(3)) || (!conditions.has(word(2)) && !enables.has(word(2)));
  if (readers.has(first) && [word(2), word(3), word(4)].some((candidate) => makes.has(candidate))) return false;
  if (adverbs.has(first)) return !subjects.has(word(2));
  return !subjects.has(first);
}

function isOrderedTo(word: (back: number) => string): boolean {
  const before = word(2);
  if (before === "" || purposes.has(before)) return false;
  for (let back = 2; back <= 8; back++) {
    if (reports.has(word(back))) return false;
  }
  return ordersDirectly.has(before) || [before, word(3), word(4), word(5)].some((candidate) => orderers.has(candidate));
}

const set = (list: string): ReadonlySet<string> => new Set(list.split(" "));

const negations = set(
  "not never don't dont cannot can't won't doesn't didn't shouldn't mustn't avoid refuse refuses nor nicht nie niemals nunca jamais не никогда wouldn't couldn't isn't unless prevent prevents against cant n't neither hardly",
);
const hedges = set("hesitate only just forget");
const modals = set("may might could can would will should must shall cannot gonna");
const readers = set(
  "you assistant agent ai llm model chatbot bot assistants agents models llms claude chatgpt copilot gemini hermes everyone system u",
);
const conditions = set("if when unless because that how why what where whether although while lets let before once");
const enables = set(
  "lets let makes help helps allow allows that if when unless once before until as where how why because than",
);
const adverbs = set(
  "simply just also then always often sometimes usually easily completely totally accidentally silently",
);
const subjects = set(
  "make makes let lets that which who they he she it we i attackers attacker users hackers models students parsers people compilers tools scripts this would've does did often sometimes usually llms texts linters browsers servers clients tests developers programmers drivers employees kids children it'll we'll they'll i'll option flag how cannot",
);
const demands = set(
  "requires require demands needs insists important necessary essential crucial means imperative expects",
);
const relatives = set("that which who");
const makes = set("make makes made let lets letting making have has having");
const purposes = set(
  "how used way ways able option possible order safe attempt attempts attempted attempting tries try tried trying want wants wanted method ability tendency easy easier easily reason reasons chance failure refuse fail fails failed told tells asks asked instructed instructs tricked allows lets made designed intended hard flag setting what supposed choose chose chooses tend tends seem seems began starts happens prompt prompts",
);
const reports = set(
  "tells told instructs instructed asks asked tricks tricked trick convinces convinced causes cause caused gets forces forced force makes allows allow enables attacker attackers try tries attempt attempts hackers hacker adversary manipulate manipulates persuades persuaded coerce fool fools used lets",
);

const ordersDirectly = set("need needs have has supposed");
const orderers = set(
  "you must want wants order ordered required requires require instructed instruct asking please assistant agent agents ai ais llm model sure going hereby command going remember are is free allowed permitted authorized acceptable okay ok user begin proceed hesitate",
);
