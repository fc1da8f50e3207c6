import { below, type NameEffect, type KnownNames, folds, gives, keeps } from "../reading/known.ts";
import { filled } from "../reading/operators.ts";
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

const inflated: NameEffect = gives(({ args: [data] }) => {
  const text = wholeText(data);
  const taint = (data?.taint ?? 0) | taints.decoded;
  if (text === undefined) return tainted(taint);
  // Seldom needed, and dear to load.
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

const joinedItems: NameEffect = gives(({ self, args: [list] }) => {
  const parts =
    list?.items ??
    (list?.text === undefined ? undefined : Array.from(list.text).map((each) => textValue(each, list.taint)));
  return parts === undefined ? tainted(list?.taint ?? 0) : joinTexts(parts, textOrHole(self));
});

const mapped: NameEffect = gives(({ args: [fn, list], call }) => {
  const items = list?.items;
  if (items === undefined || fn?.ref === undefined || items.length > 500) return undefined;
  const { ref } = fn;
  return listValue(items.map((item) => call(ref, [item])));
});

const bytes: NameEffect = gives(({ args: [first] }) => {
  const codes = first?.items?.map(({ number }) => number);
  if (codes === undefined || codes.includes(undefined)) return first;
  return textValue(codes.map((code) => characterOf(code)).join(""), taints.decoded);
});

const character: NameEffect = gives(({ args: [code] }) =>
  code?.number === undefined ? undefined : textValue(characterOf(code.number), taints.decoded),
);

export function pythonTexts(): KnownNames {
  return {
    chr: character,
    ord: gives(({ args: [char] }) => ({ number: textOfValue(char)?.codePointAt(0) ?? 0, taint: char?.taint ?? 0 })),
    int: gives(({ args: [value, base] }) => {
      const number = value?.number ?? Number.parseInt(wholeText(value) ?? "", base?.number ?? 10);
      return Number.isNaN(number) ? undefined : { number, taint: value?.taint ?? 0 };
    }),
    "bytes bytearray": bytes,
    "str list tuple sorted *.encode *.strip *.rstrip *.lstrip *.splitlines shlex.quote": keeps,
    map: mapped,
    reversed: gives(({ args: [value] }) =>
      value?.text === undefined
        ? value?.items && listValue(value.items.toReversed())
        : listValue(
            Array.from(value.text)
              .toReversed()
              .map((each) => textValue(each, taints.decoded)),
          ),
    ),
    "*.join": joinedItems,
    "*.decode": gives(({ self, args: [how] }) => decodedAs(self, how)),
    "*.lower": folds(([text = ""]) => text.toLowerCase()),
    "*.upper": folds(([text = ""]) => text.toUpperCase()),
    "*.swapcase": folds(([text = ""]) =>
      Array.from(text)
        .map((char) => (char === char.toLowerCase() ? char.toUpperCase() : char.toLowerCase()))
        .join(""),
    ),
    "*.replace": folds(([text = "", from = "", to = ""]) => (from === "" ? text : text.replaceAll(from, () => to))),
    "*.split": gives(({ self, args: [by] }) => {
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
    "*.format": gives(({ self, args, named }) =>
      self?.text === undefined ? undefined : filled(self.text, args, named, self.taint),
    ),
    ...below(
      "base64",
      "b64decode standard_b64decode urlsafe_b64decode decodebytes",
      folds(([text = ""]) => decodedBase64(text), true),
    ),
    ...below(
      "base64",
      "b32decode b85decode a85decode",
      gives(({ args: [value] }) => tainted((value?.taint ?? 0) | taints.decoded)),
    ),
    "binascii.a2b_base64": folds(([text = ""]) => decodedBase64(text), true),
    "base64.b16decode binascii.unhexlify binascii.a2b_hex bytes.fromhex bytearray.fromhex": folds(
      ([text = ""]) => decodedHex(text),
      true,
    ),
    "codecs.decode": gives(({ args: [value, how] }) => decodedAs(value, how)),
    "zlib.decompress gzip.decompress": inflated,
    "shlex.split": gives(({ args: [value] }) => {
      const text = wholeText(value);
      return text === undefined
        ? undefined
        : listValue(text.split(/\s+/u).map((each) => textValue(each.replaceAll(/['"]/gu, ""))));
    }),
  };
}

/** A text as one of the codecs of the language reads it. */
function decodedAs(value: CodeValue | undefined, how: CodeValue | undefined): CodeValue | undefined {
  const text = wholeText(value);
  const coding = (textOfValue(how) ?? "").replaceAll("-", "_");
  if (text === undefined) return value;
  if (/^(?:hex|hex_codec)$/u.test(coding)) return textValue(decodedHex(text), taints.decoded);
  if (/^(?:base64|base64_codec)$/u.test(coding)) return textValue(decodedBase64(text), taints.decoded);
  return /^rot_?13$/u.test(coding) ? textValue(rot13(text), taints.decoded) : value;
}
