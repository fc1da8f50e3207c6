import { type Hearing, type Phrase, phrase } from "../phrase.ts";

const plan =
  "(?:plan|todo list|to-do list|todos|to-dos|todo|task list|tasks|checklist|aufgaben|aufgabenliste|liste de tâches|tâches)";
const my = "(?:the |my |our |a |an |meinen |meine |einen |mon |ma |mes |un )?";

export const planPhrases: readonly Phrase[] = [
  phrase(
    `(?:show|list|read|see|display|what(?:'s| is| are)|zeige|montre)(?: me)? (?:left (?:on|in) )?(?:on )?${my}(?:current )?${plan}(?: list)?`,
    () => ({ does: "show plan" }),
  ),
  phrase(
    `(?:what(?:'s| is) (?:left|next|open)|what is (?:there )?(?:left )?to do|what do i have to do|${plan})`,
    () => ({ does: "show plan" }),
  ),
  phrase(`(?:clear|empty|delete|reset|forget|drop|remove|lösche|efface) ${my}(?:whole |entire )?${plan}`, () => ({
    does: "clear plan",
  })),
  phrase(
    `(?:make|create|write|set up|start|new|erstelle|mache|fais|crée)(?: me)? ${my}(?:new )?${plan}(?: for me)?(?: (?:with|for|of|to|mit|avec))?(?: the)?(?: steps?| items?| following)*:? ?<items>`,
    (part, heard) => withItems(part("items"), heard, (items) => ({ does: "plan", items })),
  ),
  phrase(`(?:plan|todo|todos|to-do):? <items>`, (part, heard) =>
    withItems(part("items"), heard, (items) => ({ does: "plan", items })),
  ),
  phrase(
    `(?:add|put|append|note|füge|ajoute)(?: the)?(?: tasks?| items?| todos?| steps?)?:? <items> (?:to|on|onto|in|zu|à) ${my}${plan}(?: hinzu)?`,
    (part, heard) => withItems(part("items"), heard, (items) => ({ does: "add to plan", items })),
  ),
  phrase(`add(?: a| an| the)?(?: new)? (?:task|todo|to-do|item|step)s?(?: to ${my}${plan})?:? <items>`, (part, heard) =>
    withItems(part("items"), heard, (items) => ({ does: "add to plan", items })),
  ),
  phrase(
    `(?:mark|set|check|tick)(?: off)? (?:(?:the )?(?:task|todo|item|step|number|nr)s? )?#?<which> (?:as )?(?:done|completed|complete|finished|erledigt|fait)`,
    done,
  ),
  phrase(`(?:tick|check|cross) off (?:(?:the )?(?:task|todo|item|step|number)s? )?#?<which>`, done),
  phrase(
    `(?:i (?:have )?|i've )?(?:finish(?:ed)?|complete(?:d)?|done with|did) (?:the )?(?:task|todo|item|step|number) #?<which>`,
    done,
  ),
  phrase(`(?:(?:task|todo|item|step|number) )#?<which> is (?:done|finished|complete|completed)`, done),
  phrase(
    `(?:start|begin|work on|mark) (?:(?:the )?(?:task|todo|item|step|number) )#?<which>(?: as (?:started|in progress|begun))?`,
    (part, { masked }) => ({
      does: "mark",
      which: masked.meant(part("which") ?? ""),
      status: "in_progress",
    }),
  ),
  phrase(
    `(?:cancel|drop|remove|delete) (?:(?:the )?(?:task|todo|item|step|number) )#?<which>(?: from ${my}${plan})?`,
    (part, { masked }) => ({
      does: "mark",
      which: masked.meant(part("which") ?? ""),
      status: "cancelled",
    }),
  ),
];

function done(part: (name: string) => string | undefined, { masked }: Hearing) {
  return { does: "mark", which: masked.meant(part("which") ?? ""), status: "completed" } as const;
}

/** Lines, numbered or not; else what commas and semicolons part. */
function withItems<T>(
  captured: string | undefined,
  { masked }: Hearing,
  make: (items: readonly string[]) => T,
): T | undefined {
  const text = masked.isQuoted(captured ?? "") ? masked.meant(captured ?? "") : masked.written(captured ?? "");
  const lines = text.split(/\r?\n/u).filter((line) => line.trim() !== "");
  const pieces = lines.length > 1 ? lines : text.split(/\s*(?:;|,(?:\s+and)?(?=\s)|(?:\s|^)\(?\d{1,2}[.)](?=\s))\s*/u);
  const last = pieces.length > 1 && lines.length <= 1 ? (pieces.at(-1) ?? "").split(/\s+(?:and|und|et)\s+/u) : [];
  const items = [...(last.length > 1 ? [...pieces.slice(0, -1), ...last] : pieces)]
    .map((piece) =>
      piece
        .trim()
        .replace(/^(?:[-*•]|\(?\d{1,2}[.)]|and |then |und |et )\s*/iu, "")
        .replace(/[.;,]$/u, "")
        .trim(),
    )
    .filter((piece) => piece !== "")
    .slice(0, 50);
  return items.length === 0 ? undefined : make(items);
}
