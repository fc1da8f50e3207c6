/** Removes characters that change text direction or control the terminal. */
export function withoutControlChars(text: string): string {
  return text.replaceAll(unwanted, "");
}

/** Escapes plain text for an element or a quoted attribute. */
export function escapeHtml(text: string): string {
  return withoutControlChars(text).replaceAll(/[&<>"'`]/gu, (char) => names[char] ?? "");
}

const names: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
  "`": "&#96;",
};

// oxlint-disable-next-line no-control-regex -- removes control characters
const unwanted = /[\0-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]/gu;
