import { valueOr } from "../../../base/result.ts";
import { type NameEffect, type KnownNames, folds, gives, keeps } from "../reading/known.ts";
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

const decodes: NameEffect = gives(({ args: [value, how] }) => {
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

const characters: NameEffect = gives(({ args }) => {
  const codes = args.flatMap((arg) => arg.items ?? [arg]).map(({ number }) => number);
  return codes.includes(undefined)
    ? tainted(taints.decoded)
    : textValue(codes.map((code) => characterOf(code ?? 0)).join(""), taints.decoded);
});

const joined: NameEffect = gives(({ self, args: [by] }) =>
  self?.items ? joinTexts(self.items, textOfValue(by) ?? ",") : undefined,
);

export function javascriptTexts(): KnownNames {
  return {
    "Buffer.from Buffer": decodes,
    atob: folds(([text = ""]) => decodedBase64(text), true),
    unescape: folds(([text = ""]) => percentDecoded(text), true),
    decodeURIComponent: folds(([text = ""]) => percentDecoded(text)),
    "String.fromCharCode String.fromCodePoint": characters,
    "String.raw String *.toString *.trim": keeps,
    "*.join": joined,
    "*.concat": gives(({ self, args }) =>
      self?.items
        ? listValue([...self.items, ...args.flatMap((arg) => arg.items ?? [arg])])
        : joinTexts([self ?? unknownValue, ...args]),
    ),
    "*.toLowerCase": folds(([text = ""]) => text.toLowerCase()),
    "*.toUpperCase": folds(([text = ""]) => text.toUpperCase()),
    "*.replace": folds(([text = "", from = "", to = ""]) => text.replace(from, () => to)),
    "*.replaceAll": folds(([text = "", from = "", to = ""]) => text.replaceAll(from, () => to)),
    "*.slice": gives(({ self, args: [from, to] }) => {
      const text = wholeText(self);
      return text === undefined ? undefined : textValue(text.slice(from?.number, to?.number), self?.taint);
    }),
    "*.substr": gives(({ self, args: [from, count] }) => {
      const text = wholeText(self);
      return text === undefined
        ? undefined
        : textValue(
            text.slice(from?.number, count?.number === undefined ? undefined : (from?.number ?? 0) + count.number),
            self?.taint,
          );
    }),
    "*.charAt": gives(({ self, args: [index] }) =>
      self?.text === undefined ? undefined : textValue(self.text[index?.number ?? 0] ?? "", self.taint),
    ),
    "*.split": gives(({ self, args: [by] }) => {
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
    "*.reverse": gives(({ self }) =>
      self?.items
        ? listValue(self.items.toReversed().map((each) => ({ ...each, taint: each.taint | taints.decoded })))
        : undefined,
    ),
    "*.map": gives(({ self, args: [fn], call }) => {
      const ref = fn?.ref;
      return self?.items && ref !== undefined
        ? listValue(self.items.slice(0, 500).map((item) => call(ref, [item])))
        : undefined;
    }),
    "*.text": gives(({ self }) => self && tainted(self.taint)),
    "console.log": gives(() => unknownValue),
  };
}

function percentDecoded(text: string): string | undefined {
  return valueOr(() => decodeURIComponent(text), undefined);
}
