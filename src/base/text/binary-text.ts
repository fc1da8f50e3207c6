/**
 * Whether text decoded from this many bytes of UTF-8 has many control characters or invalid bytes. A few are allowed.
 */
export function looksBinary(text: string, bytes: number): boolean {
  if (count(text, strange) > bytes / 10) return true;
  return bytes >= 32 && count(text, noCharacter) > bytes * 0.3;
}

// All but bell, backspace, tab, line ends, form feed and escape.
// oxlint-disable-next-line no-control-regex -- these characters are what it counts
const strange = /[\0-\x06\x0b\x0e-\x1a\x1c-\x1f\x7f]/gu;
const noCharacter = /\ufffd/gu;

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}
