import { isObject, type JsonObject } from "../../../base/json.ts";
import { firstSentence, plural } from "../../../base/text/text.ts";
import { type Act, block, failure, oneCall, type Outcome, remarks, stringIn } from "../act.ts";

/** Any tool by its name, with the arguments as they were given. */
export function callsTool(name: string, args: JsonObject): Act {
  return oneCall(name, args, (outcome) => `${name} answered:\n\n${block(outcome.text)}`);
}

export function remembers(text: string): Act {
  return oneCall("memory", { action: "add", target: "memory", content: text }, () => `I wrote down: ${text}`);
}

export function forgets(text: string): Act {
  return oneCall("memory", { action: "remove", target: "memory", old_text: text }, () => `I forgot: ${text}`);
}

/** What was written down, then what was said in earlier conversations. */
export function recalls(text: string): Act {
  const about = text === "" ? "" : ` about "${text}"`;
  const search = { name: "session_search", args: text === "" ? {} : { query: text } };
  return (seen, tools) => {
    const pages = tools.canReach("memory") ? ["memory", "user"] : [];
    const target = pages[seen.length];
    if (target !== undefined) return { call: { name: "memory", args: { target } } };
    const notes = seen.slice(0, pages.length).flatMap((page) => notesIn(page, text));
    const noted = notes.length === 0 ? "" : `My notes${about}:\n${notes.map((note) => `- ${note}`).join("\n")}`;
    // Without words to look for, everything that was ever said would fit.
    if (noted !== "" && text === "") return { say: noted };
    const found = seen[pages.length];
    if (!found) return { call: search };
    if (found.failed) return noted === "" ? failure(found) : { say: noted };
    const said = conversationsIn(found, about);
    return { say: noted === "" ? said : `${noted}\n\n${said}` };
  };
}

function notesIn({ data }: Outcome, text: string): readonly string[] {
  const notes = Array.isArray(data["entries"]) ? data["entries"].filter((note) => typeof note === "string") : [];
  const words = text.toLowerCase().match(/[\p{L}\p{N}]{2,}/gu) ?? [];
  const telling = words.filter((word) => !/^(?:the|my|me|our|about|what|that|said|is|of|in)$/u.test(word));
  return notes.filter((note) => telling.every((word) => note.toLowerCase().includes(word)));
}

function conversationsIn({ data }: Outcome, about: string): string {
  const results = Array.isArray(data["results"]) ? data["results"].filter(isObject) : [];
  const notes = remarks(data, ["note", "bounded", "behind"]);
  if (results.length === 0) return `Earlier conversations have nothing${about}.${notes}`;
  return `This is what earlier conversations have${about}:\n\n${results.map(recalled).join("\n")}${notes}`;
}

/** `- 2026-11-15, 20261115_101500_3f9c2a: …the words where they stand…` */
function recalled(result: Readonly<Record<string, unknown>>): string {
  const day = (stringIn(result, "match_at") ?? stringIn(result, "last_active") ?? "").slice(0, 10);
  const words = stringIn(result, "snippet") ?? stringIn(result, "title") ?? stringIn(result, "preview") ?? "";
  return `- ${day}, ${stringIn(result, "session_id") ?? ""}: ${words.replaceAll(">>>", "**").replaceAll("<<<", "**")}`;
}

export function delegates(task: string): Act {
  return oneCall("delegate_task", { goal: task }, (outcome) => `The helper answered:\n\n${block(outcome.text)}`);
}

export function runsCode(code: string): Act {
  return oneCall("execute_code", { code }, (outcome) => `The code ran:\n\n${block(outcome.text)}`);
}

export function searchesWeb(query: string): Act {
  return oneCall("web_search", { query }, (outcome) => `The web search gave:\n\n${block(outcome.text)}`);
}

export function fetches(url: string): Act {
  return oneCall("web_extract", { urls: [url] }, (outcome) => block(outcome.text));
}

export const showsTools: Act = (_, { names }) => {
  const own = names.filter((name) => !["tool_search", "tool_describe", "tool_call"].includes(name));
  const more = names.includes("tool_search") ? ' There are more: say "find a tool for …".' : "";
  return {
    say: `${plural(own.length, "tool")} here: ${own.join(", ")}.${more} You can call each by its name: use tool ${own[0] ?? "NAME"} with {"…": "…"}.`,
  };
};

export function findsTool(query: string): Act {
  return oneCall("tool_search", { query }, (outcome) => {
    const matches = matchesIn(outcome);
    if (matches.length === 0) return `No other tool fits "${query}".`;
    return `For "${query}" there ${matches.length === 1 ? "is" : "are"}:\n${matches.map(({ name, description }) => `- ${name}: ${firstSentence(description, 160)}`).join("\n")}`;
  });
}

export function matchesIn({
  data,
}: Pick<Outcome, "data">): readonly { readonly name: string; readonly description: string }[] {
  const { matches } = data;
  if (!Array.isArray(matches)) return [];
  return matches
    .filter(isObject)
    .map(({ name, description }) => ({ name: String(name), description: String(description) }));
}
