import { computes, type NameEffect } from "../reading/name-effects.ts";
import { unknownValue, type CodeValue } from "../reading/value.ts";

export function decodedBase64(text: string): string {
  return Buffer.from(text, "base64").toString("latin1");
}

export function decodedHex(text: string): string {
  return Buffer.from(text.replaceAll(/\s/gu, ""), "hex").toString("latin1");
}

export function rot13(text: string): string {
  return text.replaceAll(/[a-z]/giu, (char) => {
    const base = char <= "Z" ? 65 : 97;
    return String.fromCodePoint(((char.charCodeAt(0) - base + 13) % 26) + base);
  });
}

/** Handles functions that change the permissions of a file. Access for everybody is a separate finding. */
export function changesPermission(pathAt: number, modeAt: number): NameEffect {
  return computes(({ args, effects, words }) => {
    effects.path("permission", args[pathAt]);
    if (opensToAll(args[modeAt])) effects.find("permission_open", words);
    return unknownValue;
  });
}

function opensToAll(mode: CodeValue | undefined): boolean {
  const bits = mode?.number ?? Number.parseInt(mode?.text ?? "0", 8);
  return (bits & 0o002) !== 0 || (bits & 0o6000) !== 0;
}

/** Returns a constant value, whatever the arguments are. */
export function constantResult(value: CodeValue): NameEffect {
  return computes(() => value);
}
