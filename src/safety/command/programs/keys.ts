import { path, rule } from "../fact.ts";
import { readOptions } from "./options.ts";
import type { Program, Programs } from "./program.ts";
import { allOf, everyUse, withOption, firstMatching, verbs } from "./verbs.ts";

const read = (words: string) => verbs([["secret_read", words]]);

const gpg: Program = (args) => {
  const has = (pattern: RegExp) => args.some(({ text }) => pattern.test(text));
  if (has(/^--(?:export-secret|list-secret|gen-revoke)|^-K$/u)) return [rule("secret_read", ...args)];
  if (has(/^--delete-/u)) return [rule("user_secret", ...args)];
  return readOptions(args, { short: "oru", long: ["output", "recipient", "local-user", "homedir"] })
    .values("o", "output")
    .filter(({ text }) => text !== "-")
    .map((file) => path("write", file));
};

const decrypting = withOption("secret_read", "d decrypt", "io");

/** Programs that manage keys and passwords. */
export const keys: Programs = {
  "gpg gpg2": gpg,
  op: read("read|inject, item|document get|delete, vault delete"),
  bw: read("get|list|export|delete"),
  lpass: read("show|export|rm"),
  pass: read("show|rm|edit|-c|cp|mv"),
  gopass: read("show|rm|cat|otp"),
  security: read(
    "find-generic-password|find-internet-password|dump-keychain|export|delete-keychain|delete-generic-password|unlock-keychain",
  ),
  "secret-tool": read("lookup|search|clear"),
  keyring: read("get|del"),
  "keepassxc-cli": read("show|export|rm|clip"),
  sops: allOf(read("decrypt"), decrypting),
  age: decrypting,
  "ansible-vault": read("decrypt|view|edit|rekey"),
  "ssh-copy-id": everyUse("persistence"),
  "cmdkey unshadow mimikatz": everyUse("secret_read"),
  "kwallet-query": withOption("secret_read", "r read-password", "rwf"),
  // Programs that give a registry password to docker.
  "docker-credential-desktop docker-credential-pass docker-credential-secretservice docker-credential-osxkeychain":
    firstMatching("secret_read", /^(?:get|list)$/u),
  npm: (args) =>
    args.some(({ text }) => /^(?:get|config)$/u.test(text)) &&
    args.some(({ text }) => /:_(?:authToken|password|auth)$/u.test(text))
      ? [rule("secret_read", ...args)]
      : [],
  // In the BSD style `e` shows the variables of every process.
  ps: firstMatching("secret_read", /^[a-z]*e[a-z]*$/u),
  getent: firstMatching("secret_read", /^g?shadow$/u),
};
