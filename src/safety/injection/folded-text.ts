/** A text in another spelling. `at(index)` is the offset of a character in the original text. */
export interface SpelledText {
  readonly text: string;
  at(index: number): number;
}

/** Returns the spellings of a text: as it is shown, and others if there are signs of them. */
export function* spellingsOf(text: string): Generator<SpelledText> {
  const shown = readable(text);
  yield shown;
  const plain = withoutLeet(shown);
  if (plain) yield plain;
  const joined = withoutSpacing(shown);
  if (joined) yield joined;
  const parted = withInvisibleBlanks(text);
  if (parted !== undefined) yield readable(parted);
}

/**
 * Returns the text as a person reads it: without invisible characters, with entities and escapes decoded and look-alike
 * letters replaced.
 */
export function readable(text: string): SpelledText {
  if (!special.test(text)) return { text, at: (index) => index };
  const written = writer(text.length);
  let from = 0;
  for (const { 0: run, index } of text.matchAll(specials)) {
    written.copy(text, from, index);
    from = index + run.length;
    for (let offset = index; offset < from;) {
      const { shown, length } = decoded(text, offset);
      written.put(shown, offset);
      offset += length;
      // An escape sequence can be longer than the current run.
      from = Math.max(from, offset);
    }
  }
  written.copy(text, from, text.length);
  return withoutLookalikes(written.folded());
}

/** Replaces digits and symbols by the letters that they imitate. Undefined if no word of the lexicon results. */
function withoutLeet({ text, at: offset }: SpelledText): SpelledText | undefined {
  if (!/[a-z@$!]\d|\d[a-z]/iu.test(text)) return undefined;
  const mixed = text.match(/(?<![\p{L}\d])(?=[a-z@$!]*\d)(?=\d*[a-z])[a-z\d@$!]{3,}/giu);
  if (!mixed || mixed.length < 2 || !telling.test(plainDigits(mixed.join(" ")))) return undefined;
  return { text: plainDigits(text), at: offset };
}

const telling =
  /ignor|instruct|disregard|prompt|system|secret|forget|rules|reveal|guideline|bypass|overrid|previous|password/iu;

function plainDigits(text: string): string {
  return text.replaceAll(/[013457@$!|](?=[a-z\d])|(?<=[a-z\d])[013457@$!|]/giu, (sign) => leet[sign] ?? sign);
}

/** Replaces each invisible character between letters with a space if it acts as one. Undefined if there is none. */
function withInvisibleBlanks(text: string): string | undefined {
  return parting.test(text) ? text.replaceAll(partings, " ") : undefined;
}

const parting = /(?<=\p{L}{2})[\u200b-\u200d\u2060-\u2064\ufeff](?=\p{L}{2})/u;
const partings = /(?<=\p{L})[\u200b-\u200d\u2060-\u2064\ufeff](?=\p{L})/gu;

/** Joins spaced letters, such as `i g n o r e` or `i.g.n.o.r.e`, into words. Undefined if there are none. */
function withoutSpacing({ text, at: offset }: SpelledText): SpelledText | undefined {
  if (!spaced.test(text)) return undefined;
  const written = writer(text.length);
  let from = 0;
  for (const { 0: run, index } of text.matchAll(spacedRun)) {
    written.copy(text, from, index);
    from = index + run.length;
    const hasMarks = /[.\-_*·]/u.test(run);
    for (let place = index; place < from; place++) {
      const char = text.charAt(place);
      // One gap separates letters of a word, and two gaps separate words. With other joining marks, a space separates
      // words.
      const isGap = gap.test(char);
      const isBetween = isGap && (gap.test(text.charAt(place + 1)) || (char === " " && hasMarks));
      if (isBetween) written.put(" ", place);
      else if (!isGap) written.put(char, place);
    }
  }
  written.copy(text, from, text.length);
  const joined = written.folded();
  return { text: joined.text, at: (index) => offset(joined.at(index)) };
}

const gap = /[ .\-_*·]/u;
const spaced = /(?:(?<![\p{L}\d])\p{L}[ .\-_*·]){4}\p{L}(?![\p{L}\d])/u;
const spacedRun = /(?<![\p{L}\d])(?:\p{L}[ .\-_*·]{1,3}){4,}\p{L}(?![\p{L}\d])/gu;

/** Builds a text and records the original offset of each character. */
function writer(expected: number) {
  let places = new Int32Array(expected + 16);
  let length = 0;
  const pieces: string[] = [];
  const grow = (by: number): void => {
    if (length + by <= places.length) return;
    const larger = new Int32Array((length + by) * 2);
    larger.set(places);
    places = larger;
  };
  return {
    copy(text: string, from: number, to: number): void {
      if (from >= to) return;
      pieces.push(text.slice(from, to));
      grow(to - from);
      for (let offset = from; offset < to; offset++) places[length++] = offset;
    },
    put(shown: string, from: number): void {
      pieces.push(shown);
      grow(shown.length);
      places.fill(from, length, length + shown.length);
      length += shown.length;
    },
    folded(): SpelledText {
      const last = length === 0 ? 0 : (places[length - 1] ?? 0) + 1;
      return { text: pieces.join(""), at: (index) => (index < length ? (places[index] ?? last) : last) };
    },
  };
}

function decoded(text: string, offset: number): { readonly shown: string; readonly length: number } {
  const code = text.charCodeAt(offset);
  if (code === 0x26 || code === 0x5c || code === 0x25) return decodeEscape(text, offset);
  if (code < 0x80) return { shown: "", length: 1 };
  const char = String.fromCodePoint(text.codePointAt(offset) ?? 0);
  return { shown: unseen.test(char) ? "" : plainLetter(char), length: char.length };
}

// ── characters ──────────────────────────────────────────────────────────────────────────────────────────────────────

/* oxlint-disable no-misleading-character-class, no-control-regex -- this part is about these characters */
const unseen =
  /[\u0080-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\u{e0000}-\u{e01ef}]/u;

/**
 * Converts full-width, bold, circled and accented Latin letters to plain ones; other scripts get their standard form.
 */
function plainLetter(char: string): string {
  const plainChar = smallCapitals[char] ?? undivided[char] ?? char.normalize("NFKC");
  const apart = plainChar.normalize("NFKD");
  if (/^[A-Za-z]/u.test(apart)) return apart.replaceAll(/\p{M}/gu, "");
  return plainChar === "ı" ? "i" : /^[\u0300-\u036f]$/u.test(plainChar) ? "" : plainChar;
}

/** Replaces letters that look like Latin ones, in words that mix scripts. */
function withoutLookalikes({ text, at: offset }: SpelledText): SpelledText {
  if (!/[\u0370-\u052f]/u.test(text)) return { text, at: offset };
  return { text: text.split("\n").map(lineWithoutLookalikes).join("\n"), at: offset };
}

function lineWithoutLookalikes(line: string): string {
  if (!/[\u0370-\u052f]/u.test(line)) return line;
  const isLatin = (line.match(/[a-z]/giu)?.length ?? 0) > (line.match(/[\u0370-\u052f]/gu)?.length ?? 0);
  return line.replaceAll(/[\p{L}\p{N}]+/gu, (word) =>
    /[a-z]/iu.test(word) || (isLatin && isAllLookalike(word))
      ? word.replaceAll(/[\u0370-\u052f]/gu, (letter) => lookalikes[letter] ?? letter)
      : word,
  );
}

/** Returns whether a word among Latin words consists only of look-alike letters. */
function isAllLookalike(word: string): boolean {
  return Array.from(word).every((letter) => lookalikes[letter] !== undefined);
}

const undivided: Readonly<Record<string, string>> = {
  ł: "l",
  Ł: "L",
  ø: "o",
  Ø: "O",
  đ: "d",
  Đ: "D",
  ß: "ss",
  æ: "ae",
  Æ: "AE",
  œ: "oe",
};

const smallCapitals: Readonly<Record<string, string>> = Object.fromEntries(
  Array.from("ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘǫʀꜱᴛᴜᴠᴡʏᴢ", (letter, index) => [letter, "abcdefghijklmnopqrstuvwyz".charAt(index)]),
);

const lookalikes: Readonly<Record<string, string>> = Object.fromEntries(
  "аa вb еe кk мm нh оo рp сc тt уy хx іi јj ѕs ԁd ԛq ԝw һh ӏl гr пn АA ВB ЕE КK МM НH ОO РP СC ТT УY ХX ІI ЈJ ЅS αa βb εe ιi κk νv οo ρp τt υu χx ωw ΑA ΒB ΕE ΖZ ΗH ΙI ΚK ΜM ΝN ΟO ΡP ΤT ΥY ΧX ϲc ϳj"
    .split(" ")
    .map((pair) => [pair.charAt(0), pair.charAt(1)]),
);

const leet: Readonly<Record<string, string>> = {
  0: "o",
  1: "i",
  3: "e",
  4: "a",
  5: "s",
  7: "t",
  "@": "a",
  $: "s",
  "!": "i",
  "|": "l",
};

/** Only these characters are checked individually: escapes, control characters, non-ASCII. */
const special = /[^\t\n\r\x20-\x24\x27-\x5b\x5d-\x7e]/u;
const specials = /[^\t\n\r\x20-\x24\x27-\x5b\x5d-\x7e]+/gu;

// ── escapes ─────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Decodes `&#105;`, `&lt;`, `\n`, `\u0069`, `\x69` and `%69`. Anything else stays unchanged. */
function decodeEscape(text: string, from: number): { readonly shown: string; readonly length: number } {
  const part = text.slice(from, from + 12);
  const match = escapes.exec(part);
  if (!match) return { shown: part.charAt(0), length: 1 };
  const { decimal, hex, name, letter, unit } = match.groups ?? {};
  const length = match[0].length;
  if (name !== undefined) return { shown: entities[name] ?? match[0], length };
  if (letter !== undefined) return { shown: letter === "n" ? "\n" : " ", length };
  const code = decimal === undefined ? Number.parseInt(hex ?? unit ?? "", 16) : Number.parseInt(decimal, 10);
  const shown = code >= 0x20 && code <= 0x10ffff ? String.fromCodePoint(code) : " ";
  return { shown, length };
}

const escapes =
  /^(?:&#(?<decimal>\d{2,7});?|&#x(?<hex>[0-9a-f]{2,6});?|&(?<name>[a-z]{2,6});|\\(?<letter>[nrt])|(?:\\u(?=[0-9a-f]{4})|\\x|%)(?<unit>(?<=u)[0-9a-f]{4}|(?<!u)[0-9a-f]{2}))/iu;
const entities: Readonly<Record<string, string>> = {
  lt: "<",
  gt: ">",
  amp: "&",
  quot: '"',
  apos: "'",
  nbsp: " ",
  shy: "",
  zwj: "",
  zwnj: "",
};
