/** Removes control characters and bidirectional marks from untrusted text for a terminal. */
export function withoutControls(text: string): string {
  return text.replaceAll(controls, "");
}

// oxlint-disable-next-line no-control-regex -- control characters are what it takes out
const controls = /[\0-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]/gu;
