import { encodedText } from "./encoded-text.ts";
import type { Place } from "./finding.ts";
import { type Folded, spellingsOf } from "./folded-text.ts";
import { tagText } from "./invisible-text.ts";

/** One way to read a text. */
export interface Reading {
  /** The text as given, or what it hides, decoded. */
  readonly text: string;
  readonly shown: Folded;
  /** The place of the hidden text in the original; undefined for visible text. */
  readonly hiddenAt: Place | undefined;
}

/** All ways to read a text, plain sight first: other spellings, then what is encoded in it. */
export function* readingsOf(text: string): Generator<Reading> {
  for (const shown of spellingsOf(text)) yield { text, shown, hiddenAt: undefined };
  const tags = tagText(text);
  const hidden = tags === "" ? [] : [{ start: 0, end: text.length, decoded: tags }];
  for (const { start, end, decoded } of [...encodedText(text), ...hidden]) {
    for (const shown of spellingsOf(decoded)) yield { text: decoded, shown, hiddenAt: { start, end } };
  }
}
