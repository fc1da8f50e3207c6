import { encodedText } from "./encoded-text.ts";
import type { TextRange } from "./finding.ts";
import { type SpelledText, spellingsOf } from "./folded-text.ts";
import { tagText } from "./invisible-text.ts";

/** One interpretation of a text. */
export interface TextReading {
  /** The original text, or the decoded hidden text. */
  readonly text: string;
  readonly shown: SpelledText;
  /** The position of the hidden text in the original text. Undefined for visible text. */
  readonly hiddenAt: TextRange | undefined;
}

/** Returns all interpretations of a text, the visible one first: other spellings, then encoded text. */
export function* readingsOf(text: string): Generator<TextReading> {
  for (const shown of spellingsOf(text)) yield { text, shown, hiddenAt: undefined };
  const tags = tagText(text);
  const hidden = tags === "" ? [] : [{ start: 0, end: text.length, decoded: tags }];
  for (const { start, end, decoded } of [...encodedText(text), ...hidden]) {
    for (const shown of spellingsOf(decoded)) yield { text: decoded, shown, hiddenAt: { start, end } };
  }
}
