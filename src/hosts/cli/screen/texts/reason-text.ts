import { escapeInvisible } from "../../escape-invisible.ts";
import type { ScreenTexts } from "./english.ts";
import { translateReply } from "./translate-reply.ts";

/** The reason of a question. In another language, only its values and the command after its sentence stay as they are. */
export function reasonText(reason: string, reasons: ScreenTexts["reasons"]): string {
  const from = reason.indexOf(": ");
  const sentence = from < 0 ? reason : reason.slice(0, from);
  const own = reasons[sentence] ?? translateReply(sentence, reasons);
  if (own === sentence) return escapeInvisible(reason);
  return escapeInvisible(from < 0 ? own : `${own}：${reason.slice(from + 2)}`);
}

/** The text below a call that was denied or stopped, in the language of the screen. */
export function failureText(text: string, { reasons, failures }: Pick<ScreenTexts, "reasons" | "failures">): string {
  const denied = failures["denied: {}."];
  if (denied === undefined || !text.startsWith(start)) return translateReply(text, failures);
  const [why, comment, end] = denialParts(text.slice(start.length));
  const listed = why.split("; ");
  const isReasons = listed.length <= maxReasons;
  const list = isReasons ? listed.map((reason) => translateReply(reasonText(reason, reasons), failures)) : [why];
  const rest = [comment, end].map((part) => translateReply(part, failures));
  return [denied.replace("{1}", () => list.join("；")), ...rest].join("");
}

const start = "denied: ";
/** A command with more parts is not translated, because that would take long. */
const maxReasons = 20;

/** The reasons, the words of the user, and who denied the call. Reasons may contain sentences of a command. */
function denialParts(text: string): readonly [string, string, string] {
  const whyEnd = text.search(
    /\. (?:Your reason: |You denied |The (?:tool|call) |This is |A rule |It needs |Only |Too many )/u,
  );
  if (whyEnd < 0) return [text.replace(/\.$/u, ""), "", ""];
  const rest = text.slice(whyEnd + 2);
  if (!rest.startsWith("Your reason: ")) return [text.slice(0, whyEnd), "", rest];
  const commentEnd = rest.search(/\. (?:You denied |The (?:tool|call) |This is |A rule |It needs |Only |Too many )/u);
  if (commentEnd < 0) return [text.slice(0, whyEnd), rest, ""];
  return [text.slice(0, whyEnd), rest.slice(0, commentEnd + 1), rest.slice(commentEnd + 2)];
}
