import fc from "fast-check";

const surrogates = { first: 0xd800, count: 0x800 };

/**
 * Every code point except lone surrogates. `unit: "binary"` of fast-check means the same, but its first use computes a
 * table of all code points, which takes a second in every process.
 */
const character = fc.nat(0x10ffff - surrogates.count).map(
  (index) => String.fromCodePoint(index < surrogates.first ? index : index + surrogates.count),
  (text) => {
    const point = typeof text === "string" ? (text.codePointAt(0) ?? 0) : 0;
    return point < surrogates.first ? point : point - surrogates.count;
  },
);

export function anyText(constraints: { readonly maxLength?: number } = {}): fc.Arbitrary<string> {
  return fc.string({ ...constraints, unit: character });
}
