import {
  methodsOf,
  type NameEffect,
  type KnownNames,
  computesText,
  computes,
  returnsItself,
} from "../reading/name-effects.ts";
import { formatBraces } from "../reading/operators.ts";
import {
  type CodeValue,
  joinTexts,
  listValue,
  tainted,
  taints,
  textOfValue,
  textOrHole,
  textValue,
  wholeText,
  characterOf,
} from "../reading/value.ts";
import { decodedBase64, decodedHex, rot13 } from "./shared-names.ts";

const inflated: NameEffect = computes(({ args: [data] }) => {
  const text = wholeText(data);
  const taint = (data?.taint ?? 0) | taints.decoded;
  if (text === undefined) return tainted(taint);
  // Loaded on demand, because it is rarely needed and slow to load.
  const { gunzipSync, inflateRawSync, inflateSync } = process.getBuiltinModule("node:zlib");
  for (const inflate of [inflateSync, gunzipSync, inflateRawSync]) {
    try {
      return textValue(inflate(Buffer.from(text, "latin1"), { maxOutputLength: 100_000 }).toString("latin1"), taint);
    } catch {
      continue;
    }
  }
  return tainted(taint);
});

const joinedItems: NameEffect = computes(({ self, args: [list] }) => {
  const parts =
    list?.items ??
    (list?.text === undefined ? undefined : Array.from(list.text).map((each) => textValue(each, list.taint)));
  return parts === undefined ? tainted(list?.taint ?? 0) : joinTexts(parts, textOrHole(self));
});

const mapped: NameEffect = computes(({ args: [fn, list], call }) => {
  const items = list?.items;
  if (items === undefined || fn?.ref === undefined || items.length > 500) return undefined;
  const { ref } = fn;
  return listValue(items.map((item) => call(ref, [item])));
});

const bytes: NameEffect = computes(({ args: [first] }) => {
  const codes = first?.items?.map(({ number }) => number);
  if (codes === undefined || codes.includes(undefined)) return first;
  return textValue(codes.map((code) => characterOf(code)).join(""), taints.decoded);
});

const character: NameEffect = computes(({ args: [code] }) =>
  code?.number === undefined ? undefined : textValue(characterOf(code.number), taints.decoded),
);

export function pythonTexts(): KnownNames {
  return {
    chr: character,
    ord: computes(({ args: [char] }) => ({ number: textOfValue(char)?.codePointAt(0) ?? 0, taint: char?.taint ?? 0 })),
    int: computes(({ args: [value, base] }) => {
      const number = value?.number ?? Number.parseInt(wholeText(value) ?? "", base?.number ?? 10);
      return Number.isNaN(number) ? undefined : { number, taint: value?.taint ?? 0 };
    }),
    "bytes bytearray": bytes,
    "str list tuple sorted *.encode *.strip *.rstrip *.lstrip *.splitlines shlex.quote": returnsItself,
    map: mapped,
    reversed: computes(({ args: [value] }) =>
      value?.text === undefined
        ? value?.items && listValue(value.items.toReversed())
        : listValue(
            Array.from(value.text)
              .toReversed()
              .map((each) => textValue(each, taints.decoded)),
          ),
    ),
    "*.join": joinedItems,
    "*.decode": computes(({ self, args: [how] }) => decodedAs(self, how)),
    "*.lower": computesText(([text = ""]) => text.toLowerCase()),
    "*.upper": computesText(([text = ""]) => text.toUpperCase()),
    "*.swapcase": computesText(([text = ""]) =>
      Array.from(text)
        .map((char) => (char === char.toLowerCase() ? char.toUpperCase() : char.toLowerCase()))
        .join(""),
    ),
    "*.replace": computesText(([text = "", from = "", to = ""]) =>
      from === "" ? text : text.replaceAll(from, () => to),
    ),
    "*.split": computes(({ self, args: [by] }) => {
      const text = wholeText(self);
      return text === undefined
        ? undefined
        : listValue(
            text
              .split(textOfValue(by) ?? /\s+/u)
              .slice(0, 500)
              .map((each) => textValue(each, self?.taint)),
          );
    }),
    "*.format": computes(({ self, args, named }) =>
      self?.text === undefined ? undefined : formatBraces(self.text, args, named, self.taint),
    ),
    ...methodsOf(
      "base64",
      "b64decode standard_b64decode urlsafe_b64decode decodebytes",
      computesText(([text = ""]) => decodedBase64(text), true),
    ),
    ...methodsOf(
      "base64",
      "b32decode b85decode a85decode",
      computes(({ args: [value] }) => tainted((value?.taint ?? 0) | taints.decoded)),
    ),
    "binascii.a2b_base64": computesText(([text = ""]) => decodedBase64(text), true),
    "base64.b16decode binascii.unhexlify binascii.a2b_hex bytes.fromhex bytearray.fromhex": computesText(
      ([text = ""]) => decodedHex(text),
      true,
    ),
    "codecs.decode": computes(({ args: [value, how] }) => decodedAs(value, how)),
    "zlib.decompress gzip.decompress": inflated,
    "shlex.split": computes(({ args: [value] }) => {
      const text = wholeText(value);
      return text === undefined
        ? undefined
        : listValue(text.split(/\s+/u).map((each) => textValue(each.replaceAll(/['"]/gu, ""))));
    }),
  };
}

/** Decodes a text with one of Python's codecs. */
function decodedAs(value: CodeValue | undefined, how: CodeValue | undefined): CodeValue | undefined {
  const text = wholeText(value);
  const coding = (textOfValue(how) ?? "").replaceAll("-", "_");
  if (text === undefined) return value;
  if (/^(?:hex|hex_codec)$/u.test(coding)) return textValue(decodedHex(text), taints.decoded);
  if (/^(?:base64|base64_codec)$/u.test(coding)) return textValue(decodedBase64(text), taints.decoded);
  return /^rot_?13$/u.test(coding) ? textValue(rot13(text), taints.decoded) : value;
}
