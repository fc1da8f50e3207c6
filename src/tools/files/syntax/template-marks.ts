/**
 * A text that an engine fills in before anyone parses it (Helm, Jinja, ERB): the same with each mark as a value, and marks
 * that stand alone on their lines as blanks. Undefined for a text without marks, and for a very long one. Offsets stay.
 */
export function withoutTemplateMarks(text: string): string | undefined {
  if (text.length > mostChars || !/\{\{|\{%|<%/u.test(text)) return undefined;
  const plain = text.replace(mark, (found, offset: number) => {
    const isValue = found.startsWith("{{") || found.startsWith("<%=");
    return isValue && !isAlone(text, offset, offset + found.length) ? `0${blank(found.slice(1))}` : blank(found);
  });
  return plain === text ? undefined : plain;
}

/** Does it have marks that decide what comes, so that it need not parse before they did? */
export function hasTemplateBranches(text: string): boolean {
  return /\{%|<%[^=]|\{\{-?\s*(?:if|else|end|range|with|define|template|include|block|tpl|toYaml|\/\*|#|\/)/u.test(
    text,
  );
}

function isAlone(text: string, start: number, end: number): boolean {
  return (
    /(?:^|\n)[ \t]*$/u.test(text.slice(Math.max(0, start - 200), start)) &&
    /^[ \t]*(?:\r?\n|$)/u.test(text.slice(end, end + 200))
  );
}

function blank(text: string): string {
  return text.replace(/[^\r\n]/gu, " ");
}

const mark = /\{\{[^]{0,500}?\}\}|\{%[^]{0,500}?%\}|<%[^]{0,500}?%>/gu;
const mostChars = 1_000_000;
