import { isObject, type JsonObject } from "../../../base/json.ts";
import { plural } from "../../../base/text.ts";
import { type Act, block, oneCall, type Outcome, remarks, stringIn } from "../act.ts";

/** Any tool by its name, with the arguments as they were given. */
export function callsTool(name: string, args: JsonObject): Act {
  return oneCall(name, args, (outcome) => `${name} answered:\n\n${block(outcome.text)}`);
}

export function remembers(text: string): Act {
  return oneCall("memory", { action: "add", target: "memory", content: text }, () => `I wrote down: ${text}`);
}

export function recalls(text: string): Act {
  const args = text === "" ? {} : { query: text };
  const about = text === "" ? "" : ` about "${text}"`;
  return oneCall("session_search", args, ({ data }) => {
    const results = Array.isArray(data["results"]) ? data["results"].filter(isObject) : [];
    const notes = remarks(data, ["note", "bounded", "behind"]);
    if (results.length === 0) return `Earlier conversations have nothing${about}.${notes}`;
    return `This is what earlier conversations have${about}:\n\n${results.map(recalled).join("\n")}${notes}`;
  });
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
    return `For "${query}" there ${matches.length === 1 ? "is" : "are"}:\n${matches.map(({ name, description }) => `- ${name}: ${description}`).join("\n")}`;
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
