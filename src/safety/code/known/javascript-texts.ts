import { valueOr } from "../../../base/result.ts";
import { type NameEffect, type KnownNames, computesText, computes, returnsItself } from "../reading/name-effects.ts";
import {
  unknownValue,
  joinTexts,
  listValue,
  tainted,
  taints,
  textOfValue,
  textValue,
  wholeText,
  characterOf,
} from "../reading/value.ts";
import { decodedBase64, decodedHex } from "./shared-names.ts";

const decodes: NameEffect = computes(({ args: [value, how] }) => {
  const text = wholeText(value);
  const coding = textOfValue(how);
  if (coding === undefined && value?.items) {
    const codes = value.items.map(({ number }) => number);
    return codes.includes(undefined)
      ? undefined
      : textValue(codes.map((code) => characterOf(code ?? 0)).join(""), taints.decoded);
  }
  if (text === undefined) return coding === undefined ? value : tainted((value?.taint ?? 0) | taints.decoded);
  if (coding === "base64" || coding === "base64url") return textValue(decodedBase64(text), taints.decoded);
  return coding === "hex" ? textValue(decodedHex(text), taints.decoded) : value;
});

const characters: NameEffect = computes(({ args }) => {
  const codes = args.flatMap((arg) => arg.items ?? [arg]).map(({ number }) => number);
  return codes.includes(undefined)
    ? tainted(taints.decoded)
    : textValue(codes.map((code) => characterOf(code ?? 0)).join(""), taints.decoded);
});

const joined: NameEffect = computes(({ self, args: [by] }) =>
  self?.items ? joinTexts(self.items, textOfValue(by) ?? ",") : undefined,
);

export function javascriptTexts(): KnownNames {
  return {
    "Buffer.from Buffer": decodes,
    atob: computesText(([text = ""]) => decodedBase64(text), true),
    unescape: computesText(([text = ""]) => percentDecoded(text), true),
    decodeURIComponent: computesText(([text = ""]) => percentDecoded(text)),
    "String.fromCharCode String.fromCodePoint": characters,
    "String.raw String *.toString *.trim": returnsItself,
    "*.join": joined,
    "*.concat": computes(({ self, args }) =>
      self?.items
        ? listValue([...self.items, ...args.flatMap((arg) => arg.items ?? [arg])])
        : joinTexts([self ?? unknownValue, ...args]),
    ),
    "*.toLowerCase": computesText(([text = ""]) => text.toLowerCase()),
    "*.toUpperCase": computesText(([text = ""]) => text.toUpperCase()),
    "*.replace": computesText(([text = "", from = "", to = ""]) => text.replace(from, () => to)),
    "*.replaceAll": computesText(([text = "", from = "", to = ""]) => text.replaceAll(from, () => to)),
    "*.slice": computes(({ self, args: [from, to] }) => {
      const text = wholeText(self);
      return text === undefined ? undefined : textValue(text.slice(from?.number, to?.number), self?.taint);
    }),
    "*.substr": computes(({ self, args: [from, count] }) => {
      const text = wholeText(self);
      return text === undefined
        ? undefined
        : textValue(
            text.slice(from?.number, count?.number === undefined ? undefined : (from?.number ?? 0) + count.number),
            self?.taint,
          );
    }),
    "*.charAt": computes(({ self, args: [index] }) =>
      self?.text === undefined ? undefined : textValue(self.text[index?.number ?? 0] ?? "", self.taint),
    ),
    "*.split": computes(({ self, args: [by] }) => {
      const text = wholeText(self);
      const sign = wholeText(by);
      return text === undefined || sign === undefined
        ? undefined
        : listValue(
            text
              .split(sign)
              .slice(0, 500)
              .map((each) => textValue(each, self?.taint)),
          );
    }),
    "*.reverse": computes(({ self }) =>
      self?.items
        ? listValue(self.items.toReversed().map((each) => ({ ...each, taint: each.taint | taints.decoded })))
        : undefined,
    ),
    "*.map": computes(({ self, args: [fn], call }) => {
      const ref = fn?.ref;
      return self?.items && ref !== undefined
        ? listValue(self.items.slice(0, 500).map((item) => call(ref, [item])))
        : undefined;
    }),
    "*.text": computes(({ self }) => self && tainted(self.taint)),
    "console.log": computes(() => unknownValue),
  };
}

function percentDecoded(text: string): string | undefined {
  return valueOr(() => decodeURIComponent(text), undefined);
}
