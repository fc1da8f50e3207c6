import { err, ok, type Result } from "../../../base/result.ts";
import type { Match } from "./drifted-matches.ts";
import { fold, type FoldKinds, indentOf, isBlank } from "./fold.ts";
import { type Reindent, reindentFrom } from "./indentation.ts";
import { indentedAs } from "./indented-as.ts";
import { lineEndAt, linesOf } from "./line-ends.ts";
import type { TextEdit } from "./outcome.ts";
import { asSpelledIn } from "./spelling.ts";

/** What to write over a drifted match so that the edit means in the file what it means as asked; an error says why not. */
export function replacementFor(text: string, match: Match, edit: TextEdit, kinds: FoldKinds): Result<string, string> {
  const region = text.slice(match.start, match.end);
  if (fold(region, kinds).text !== fold(edit.old, kinds).text)
    return err("it cannot be told apart from its neighbours");
  const spelled = asSpelledIn(region, edit.old, edit.new, kinds, lineEndAt(text, match.start, match.end));
  if (!spelled.ok || !kinds.whitespace || edit.new === "") return spelled;
  if (/^[\r\n]/.test(edit.old) !== /^[\r\n]/.test(edit.new))
    return err("only one of old_string and new_string begins with a line end");
  if (/[\r\n]$/.test(edit.old) !== /[\r\n]$/.test(edit.new))
    return err("only one of old_string and new_string ends with a line end");
  return reindented(region, edit.old, spelled.value, match.wholeFirstLine);
}

/** `replacement` at the indentation of `region`, as far as the lines of `old` show what that is. */
function reindented(region: string, old: string, replacement: string, wholeFirstLine: boolean): Result<string, string> {
  const there = linesOf(region).map(indentOf);
  const asked = linesOf(old);
  const pairs = asked.flatMap((line, index) =>
    isBlank(line) || (index === 0 && !wholeFirstLine)
      ? []
      : [{ index, step: [indentOf(line), there[index] ?? ""] as const }],
  );
  const unclear = err("its indentation does not show how the new lines are to be indented");
  const [first, ...rest] = pairs;
  const side = indentedAs(
    replacement,
    pairs.map(({ index, step: [old, inFile] }) => ({ text: (asked[index] ?? "").trim(), old, inFile })),
  );
  if (side === "file") return replacement === region ? unclear : ok(replacement);
  if (side === "unclear") return unclear;
  const all = reindentFrom(pairs.map(({ step }) => step));
  const startsAfterIndent = first?.index === 0 && first.step[0] === "" && first.step[1] !== "";
  if (!startsAfterIndent) return all ? indentedLines(replacement, all, all) : unclear;

  // `old` begins with no indentation where the file has some: it was cut off there, or all of it is further left.
  const keepFirst: Reindent = (indent) => (indent === "" ? first.step[1] : undefined);
  if (rest.length > 0) {
    const isCutOff = rest.every(({ step: [old, inFile] }) => old === inFile);
    if (!isCutOff) return all ? indentedLines(replacement, all, all) : unclear;
    const following = reindentFrom(rest.map(({ step }) => step));
    return following ? indentedLines(replacement, keepFirst, following) : unclear;
  }
  const continued = linesOf(replacement)
    .slice(1)
    .filter((line) => !isBlank(line));
  if (continued.length === 0) return indentedLines(replacement, keepFirst, keepFirst);
  const isFurtherLeft = continued.some((line) => !line.startsWith(first.step[1]));
  return all && isFurtherLeft ? indentedLines(replacement, all, all) : unclear;
}

function indentedLines(text: string, first: Reindent, following: Reindent): Result<string, string> {
  const written: string[] = [];
  const lineEnd = text.includes("\n") ? "\n" : "\r";
  for (const [index, line] of text.split(lineEnd).entries()) {
    const indent = indentOf(line);
    if (isBlank(line.replace(/\r$/, ""))) {
      written.push(line);
      continue;
    }
    const wanted = (index === 0 ? first : following)(indent);
    if (wanted === undefined) return err("its indentation does not show how the new lines are to be indented");
    written.push(wanted + line.slice(indent.length));
  }
  return ok(written.join(lineEnd));
}
