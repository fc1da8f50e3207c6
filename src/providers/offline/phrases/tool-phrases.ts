import { isObject, parseJson } from "../../../base/json.ts";
import { type Phrase, phrase } from "../phrase.ts";

/** What is said to tools that are not always there, and to any tool by its name. */
export const toolPhrases: readonly Phrase[] = [
  phrase(
    "(?:remember|memori[sz]e|note|keep in mind|don't forget|merke dir|merk dir|souviens-toi|retiens)(?: that| this| dass| que)?:? <text>",
    (part, { masked }) => {
      const text = masked.meant(part("text") ?? "");
      return /^(?:this|that|it)$/iu.test(text) ? undefined : { does: "remember", text };
    },
  ),
  phrase("forget (?:that|about|my note (?:about|that)):? <text>", (part, { masked }) => ({
    does: "forget",
    text: masked.meant(part("text") ?? ""),
  })),
  phrase(
    "(?:show|show me|read|list|what(?:'s| is) in)(?: my| the| your| all)* (?:memory|memories)|(?:search|look in)(?: my| the| your)? (?:memory|memories|notes) for <text>",
    (part, { masked }) => ({ does: "recall", text: masked.meant(part("text") ?? "") }),
  ),
  phrase(
    "(?:recall(?: what (?:i|we) said)?|what do you (?:remember|know)|do you remember|what did (?:i|we) (?:say|talk|do|write)|what have (?:i|we) (?:said|done)|search (?:our|my|old|past|earlier) (?:conversations?|chats?|sessions?|history) for|woran erinnerst du dich|que sais-tu)(?: about| of| on| über| de)?:? ?(?<text>.*?)",
    (part, { masked }) => ({
      does: "recall",
      text: masked.meant(part("text") ?? "").replace(/\?$/u, ""),
    }),
  ),
  phrase(
    "(?:delegate|hand over|let (?:a|another) (?:sub-?agent|helper|agent)|ask (?:a|another) (?:sub-?agent|helper|agent) to|give (?:a|another) (?:sub-?agent|helper) the task|start a sub-?agent (?:to|that|for)|use a sub-?agent (?:to|for))(?: the task| this)?:? <task>",
    (part, { masked }) => ({
      does: "delegate",
      task: masked.meant(part("task") ?? ""),
    }),
  ),
  phrase(
    "(?:run|execute|eval|evaluate)(?: the| this| some| following)*(?: python| script)* (?:code|python|script):? <code>",
    (part, { masked }) =>
      masked.isQuoted(part("code") ?? "") ? { does: "code", code: masked.meant(part("code") ?? "") } : undefined,
  ),
  phrase(
    "(?:search|look up|google)(?: on| in)? the (?:web|internet|net)(?: for)? <query>|(?:google|web search(?: for)?) <query2>|search (?:online|the internet) for <query3>",
    (part, { masked }) => ({
      does: "search web",
      query: masked.meant(part("query") ?? part("query2") ?? part("query3") ?? ""),
    }),
  ),
  phrase(
    "(?:fetch|download|open|read|get|visit|show me|show|lies|ouvre)(?: the)?(?: page| url| site| website)?(?: at)? (?<url>https?://[^\\s]+)",
    (part, { masked }) => ({
      does: "fetch",
      url: masked.written(part("url") ?? ""),
    }),
  ),
  phrase(
    "(?:what|which|list|show|show me)(?: the| your| all| me)*(?: available)? tools(?: (?:do you have|are there|can you use|have you got|are available|you have))?",
    () => ({ does: "tools" }),
  ),
  phrase(
    "(?:find|search for|look for|is there|do you have)(?: me)? (?:a|any|some) tools? (?:for|to|that can|that) <query>",
    (part, { masked }) => ({
      does: "find tool",
      query: masked.meant(part("query") ?? ""),
    }),
  ),
  phrase(
    "(?:use|call|run|try|invoke)(?: the)? tool (?<name>[\\w.-]+)(?:,?(?: with)?(?: the)?(?: arguments?| args)?:? ?(?<args>\\{.*\\}|[\\ue000-\\ue0ff]))?",
    toolCall,
  ),
  phrase(
    "(?:use|call|invoke)(?: the)? (?<name>[a-z][\\w.-]*_[\\w.-]+)(?: tool)?(?:,?(?: with)?(?: the)?(?: arguments?| args)?:? ?(?<args>\\{.*\\}|[\\ue000-\\ue0ff]))?",
    toolCall,
  ),
  phrase(
    "(?:use|call|invoke)(?: the)?(?: tool)? (?<name>[a-z][\\w.-]*)(?: tool)?,? with(?: the)?(?: arguments?| args)?:? ?(?<args>\\{.*\\})",
    toolCall,
  ),
];

const limits = { maxChars: 100_000, maxDepth: 50 };

function toolCall(part: (name: string) => string | undefined, { masked }: Parameters<Phrase["make"]>[1]) {
  const written = part("args");
  const parsed = parseJson(written === undefined ? "{}" : masked.meant(written), limits);
  if (!parsed.ok || !isObject(parsed.value)) return undefined;
  return { does: "tool", name: part("name") ?? "", args: parsed.value } as const;
}
