import { oneLine, plural } from "../../base/text/text.ts";
import { durationText, timeText } from "../../base/text/time-text.ts";
import { version } from "../../base/version.ts";
import type { ContentPart } from "../../contracts/model/message.ts";
import type { Branch } from "../../contracts/session/session-tree.ts";
import { exchangesUpTo } from "../branches.ts";
import { escapeHtml } from "./escape-html.ts";
import { markdownHtml } from "./markdown-html.ts";
import {
  sessionLabel,
  type ReadableCall,
  type ReadableExchange,
  type ReadablePart,
  type ReadableSession,
} from "./readable-session.ts";

/**
 * A self-contained page: no script, no loaded resource, and a content security policy that forbids both. Radio buttons
 * and a style rule for each branch select the branch.
 */
export function* htmlPage(session: ReadableSession): Generator<string> {
  const { record, exchanges } = session;
  const ways = waysOf(session);
  yield `<!doctype html>
<html lang="">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="generator" content="Hermes ${escapeHtml(version)}">
<title>${escapeHtml(sessionLabel(record))}</title>
<style>${pageStyle}${ways.length > 1 ? ways.map(wayStyle).join("") : ""}</style>
</head>
<body>
${ways.length > 1 ? ways.map(wayInput).join("") : ""}
<header>
<h1>${escapeHtml(sessionLabel(record))}</h1>
<ul class="facts">${factsOf(session)
    .map((fact) => `<li>${escapeHtml(fact)}</li>`)
    .join("")}</ul>
</header>
${ways.length > 1 ? `<nav aria-label="Branches">${ways.map((way) => labelFor(way, way.name)).join("")}</nav>` : ""}
<main>
`;
  const siblings = Map.groupBy(exchanges, ({ after }) => after);
  for (const exchange of exchanges) yield exchangeHtml(exchange, siblings.get(exchange.after) ?? [], ways);
  if (exchanges.length === 0) yield `<p class="note">This session is empty.</p>\n`;
  yield `</main>
<footer>Session ${escapeHtml(record.id)}. Exported by Hermes; secrets that it knows are hidden.</footer>
</body>
</html>
`;
}

interface Way extends Branch {
  /** The id of the branch's radio button. */
  readonly id: string;
  readonly numbers: ReadonlySet<number>;
}

/** The maximum number of branches on a page. */
const maxBranches = 200;

function waysOf({ tree }: ReadableSession): readonly Way[] {
  const messages = tree.branches.filter(({ last, isCurrent }) => last !== undefined || isCurrent);
  const shown = messages
    .toSorted((a, b) => Number(b.isCurrent) - Number(a.isCurrent) || b.changedAt - a.changedAt)
    .slice(0, maxBranches);
  return tree.branches
    .filter((branch) => shown.includes(branch))
    .map((branch, index) => ({ ...branch, id: `w${index + 1}`, numbers: new Set(exchangesUpTo(tree, branch.last)) }));
}

function wayStyle({ id }: Way): string {
  const chosen = `label[for="${id}"]{border-color:var(--accent);color:var(--accent)}`;
  return `\n#${id}:checked~main article:not(.${id}){display:none}#${id}:checked~nav ${chosen}#${id}:checked~main ${chosen}#${id}:focus-visible~nav label[for="${id}"]{outline:2px solid var(--accent)}`;
}

function wayInput({ id, name, isCurrent }: Way): string {
  return `<input class="way" type="radio" name="way" id="${id}" aria-label="Branch ${escapeHtml(name)}"${isCurrent ? " checked" : ""}>`;
}

function labelFor({ id }: Way, text: string): string {
  return `<label for="${id}">${escapeHtml(text)}</label>`;
}

function factsOf({ record, tokens, costUsd, exchanges, tree }: ReadableSession): readonly string[] {
  const { createdAt, model, cwd, tags } = record;
  return [
    timeText(createdAt),
    ...(model === undefined ? [] : [model]),
    plural(exchanges.length, "exchange"),
    ...(tree.branches.length > 1 ? [plural(tree.branches.length, "branch")] : []),
    ...(tokens > 0 ? [`${tokens.toLocaleString("en")} tokens`] : []),
    ...(costUsd === undefined ? [] : [`$${costUsd.toFixed(costUsd < 0.1 ? 4 : 2)}`]),
    ...(cwd === undefined ? [] : [cwd]),
    ...(tags ?? []).map((tag) => `#${tag}`),
  ];
}

function exchangeHtml(exchange: ReadableExchange, beside: readonly ReadableExchange[], ways: readonly Way[]): string {
  const { number, at: askedAt, parts } = exchange;
  const on = ways.filter(({ numbers }) => numbers.has(number)).map(({ id }) => id);
  const classes = ways.length > 1 ? ` class="${on.join(" ")}"` : "";
  return `<article id="x${number}"${classes}>
<div class="head"><a href="#x${number}">${number}</a><time>${escapeHtml(timeText(askedAt))}</time>${forkHtml(exchange, beside, ways)}</div>
${parts.map(partHtml).join("\n")}
</article>
`;
}

/** Returns links to the alternatives of an exchange. */
function forkHtml({ number }: ReadableExchange, beside: readonly ReadableExchange[], ways: readonly Way[]): string {
  if (ways.length < 2 || beside.length < 2) return "";
  const labels = beside.flatMap((each) => {
    const way = ways.find(({ numbers }) => numbers.has(each.number));
    const text = oneLine(each.asked || each.answered, 40);
    if (!way) return [];
    return each.number === number
      ? [`<span>${escapeHtml(`${each.number} ${text}`)}</span>`]
      : [labelFor(way, `${each.number} ${text}`)];
  });
  return `<span>one of ${beside.length}:</span>${labels.join("")}`;
}

function partHtml(part: ReadablePart): string {
  switch (part.kind) {
    case "asked":
      return `<div class="asked">${part.content.map((each) => contentHtml(each, escapeHtml)).join("")}</div>`;
    case "answered": {
      const thought =
        part.reasoning.trim() === ""
          ? ""
          : `<details><summary>Thoughts</summary><div>${markdownHtml(part.reasoning)}</div></details>\n`;
      const output = part.content.map((each) => contentHtml(each, markdownHtml)).join("");
      return output.trim() === "" ? thought : `${thought}<div class="answered">${output}</div>`;
    }
    case "call":
      return callHtml(part);
    case "shortened":
      return `<details><summary>${part.title}</summary><div>${markdownHtml(part.text)}</div></details>`;
    case "damaged":
      return `<p class="note">An entry is damaged: ${escapeHtml(part.why)}</p>`;
  }
}

function callHtml({ tool, args, result }: ReadableCall): string {
  const mark = !result ? "–" : result.isOk ? `<span class="good">✓</span>` : `<span class="bad">✗</span>`;
  const took = result && result.durationMs >= 1000 ? `, ${durationText(result.durationMs)}` : "";
  const output = result
    ? result.content.map((each) => contentHtml(each, (text) => `<pre>${bounded(text)}</pre>`)).join("")
    : `<p class="note">It has no result.</p>`;
  const given = args.trim() === "" || args.trim() === "{}" ? "" : `<pre>${bounded(args)}</pre>`;
  return `<details><summary>${mark} <b>${escapeHtml(tool)}</b> ${escapeHtml(oneLine(args.slice(0, 1_000), 120))}${took}</summary><div>${given}${output}</div></details>`;
}

/** The maximum number of characters of one result on the page. */
const maxChars = 100_000;

function bounded(text: string): string {
  if (text.length <= maxChars) return escapeHtml(text);
  return `${escapeHtml(text.slice(0, maxChars))}\n… ${text.length - maxChars} more characters`;
}

function contentHtml(part: ContentPart, textHtml: (text: string) => string): string {
  switch (part.type) {
    case "text":
      return textHtml(part.text);
    case "image": {
      const { mimeType, data } = part;
      const isShown = /^image\/(?:png|jpeg|gif|webp)$/u.test(mimeType) && /^[A-Za-z0-9+/]+={0,2}$/u.test(data);
      return isShown ? `<p><img alt="" src="data:${mimeType};base64,${data}"></p>` : `<p class="note">[image]</p>`;
    }
    case "audio":
      return `<p class="note">[audio]</p>`;
    case "video":
      return `<p class="note">[video]</p>`;
    case "file":
      return `<p class="note">[file ${escapeHtml(part.path)}]</p>`;
  }
}

/** The style of an exported page: follows the reader's light or dark theme and loads nothing. */
const pageStyle = `
:root{color-scheme:light dark;--bg:#fbfaf8;--card:#fff;--ink:#1f2328;--soft:#656d76;--line:#e2e0db;--accent:#9a5b1f;--tint:#f6efe6;--code:#f3f2ee;--good:#1a7f37;--bad:#b3261e}
@media (prefers-color-scheme:dark){:root{--bg:#15171a;--card:#1c1f23;--ink:#e4e6e9;--soft:#949ba4;--line:#30343a;--accent:#e0a35c;--tint:#26221c;--code:#22262b;--good:#57ab5a;--bad:#f47067}}
*{box-sizing:border-box}
body{margin:0;background:var(--bg);color:var(--ink);font:16px/1.6 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",sans-serif;overflow-wrap:anywhere}
header,nav,main,footer{max-width:52rem;margin:0 auto;padding:0 1.25rem}
header{padding-top:2.5rem}
h1{font-size:1.75rem;line-height:1.25;margin:0 0 .5rem}
h3,h4,h5,h6{line-height:1.3;margin:1.2em 0 .4em;font-size:1.1em}
.facts{display:flex;flex-wrap:wrap;gap:.25rem 1rem;color:var(--soft);font-size:.85rem;margin:0;padding:0;list-style:none}
a{color:var(--accent)}
.way{position:absolute;opacity:0;pointer-events:none}
nav{position:sticky;top:0;z-index:1;display:flex;flex-wrap:wrap;gap:.4rem;padding-top:.75rem;padding-bottom:.75rem;background:var(--bg);border-bottom:1px solid var(--line);margin-top:1rem;max-height:40vh;overflow:auto}
label{cursor:pointer;border:1px solid var(--line);border-radius:999px;padding:.1rem .75rem;font-size:.85rem;background:var(--card);color:var(--soft)}
label:hover{border-color:var(--accent);color:var(--accent)}
article{margin:1.75rem 0;scroll-margin-top:5rem}
article:target>.head{color:var(--accent)}
.head{display:flex;flex-wrap:wrap;align-items:center;gap:.5rem;color:var(--soft);font-size:.8rem;margin-bottom:.4rem}
.head a{color:inherit;text-decoration:none;font-variant-numeric:tabular-nums}
.asked{background:var(--tint);border-left:3px solid var(--accent);border-radius:0 .5rem .5rem 0;padding:.6rem 1rem;margin:.5rem 0;white-space:pre-wrap}
.answered{background:var(--card);border:1px solid var(--line);border-radius:.6rem;padding:.4rem 1.1rem;margin:.5rem 0}
.answered>:first-child{margin-top:.5em}
p{margin:.6em 0}
ul,ol{padding-left:1.4rem;margin:.5em 0}
pre,code{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace;font-size:.86em}
code{background:var(--code);border-radius:.3rem;padding:.1em .3em}
pre{background:var(--code);border-radius:.5rem;padding:.75rem 1rem;overflow:auto;max-height:32rem;white-space:pre-wrap;margin:.6em 0}
pre code{background:none;padding:0;font-size:1em}
blockquote{margin:.6em 0;padding-left:1rem;border-left:3px solid var(--line);color:var(--soft)}
.wide{overflow-x:auto}
table{border-collapse:collapse;font-size:.92em}
th,td{border:1px solid var(--line);padding:.3rem .6rem;text-align:left}
details{border:1px solid var(--line);border-radius:.5rem;margin:.4rem 0;background:var(--card);font-size:.92em}
summary{cursor:pointer;padding:.35rem .8rem;color:var(--soft);overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
summary b{color:var(--ink);font-weight:600}
details[open]>summary{border-bottom:1px solid var(--line)}
details>div{padding:.2rem .8rem}
.good{color:var(--good)}.bad{color:var(--bad)}
.note{color:var(--soft);font-size:.85rem;font-style:italic}
img{max-width:100%;border-radius:.4rem}
footer{color:var(--soft);font-size:.8rem;padding-top:1.5rem;padding-bottom:3rem;border-top:1px solid var(--line);margin-top:2rem}
@media print{nav{position:static}pre{max-height:none}body{background:none}}
`.trim();
