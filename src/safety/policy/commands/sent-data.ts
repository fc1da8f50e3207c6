import { words } from "../../../base/text/words.ts";
import { readOptions } from "../../command/programs/options.ts";
import type { Field } from "../../command/shell/field.ts";
import type { SimpleCommand } from "../../command/shell/simple-command.ts";

/** Returns the host or the service that gets data of this machine, or a request that may change its data. */
export function receiverOfData(ran: SimpleCommand, name: string): string | undefined {
  const args = ran.argv.slice(1);
  const host = receivers.get(name)?.(args, ran);
  return host === undefined || isHere(host) ? undefined : host;
}

type Receiver = (args: readonly Field[], ran: SimpleCommand) => string | undefined;

const curl: Receiver = (args) => {
  const { has, value, operands } = readOptions(args, {
    short: "XdFTHoAbceKmuUwxYyrECQtzP",
    long: words(
      "request data data-raw data-binary data-urlencode json form upload-file header output url user url-query",
    ),
  });
  const method = value("X", "request")?.text ?? "GET";
  const isSending =
    !/^(?:GET|HEAD|OPTIONS)$/iu.test(method) ||
    (has("d", "data", "data-raw", "data-binary", "data-urlencode", "json") && !has("G", "get")) ||
    has("F", "form", "form-string", "T", "upload-file");
  return isSending ? (hostOf(value("url")?.text ?? operands[0]?.text ?? "") ?? "an unknown host") : undefined;
};

const wget: Receiver = (args) => {
  const { operands, value, has } = readOptions(args, { short: "OPoeUai", long: ["method", "body-data", "post-data"] });
  const isSending =
    has("post-data", "post-file", "body-data", "body-file") || !/^(?:GET|HEAD)$/iu.test(value("method")?.text ?? "GET");
  return isSending ? hostOf(operands[0]?.text ?? "") : undefined;
};

/** Handles `http POST host a=b` and `http host a=b`. */
const httpie: Receiver = (args) => {
  const operands = args.filter(({ text }) => !text.startsWith("-")).map(({ text }) => text);
  const hasMethod = /^[A-Z]+$/u.test(operands[0] ?? "");
  const [address = "", ...items] = hasMethod ? operands.slice(1) : operands;
  const isSending = hasMethod
    ? !/^(?:GET|HEAD|OPTIONS)$/u.test(operands[0] ?? "")
    : items.some((item) => /^[\w.-]+(?:=|:=|@)/u.test(item));
  return isSending ? hostOf(address) : undefined;
};

/** Handles `scp file host:`. */
const copier: Receiver = (args) => {
  if (args.some(({ text }) => /^--dry-run$|^-[a-zA-Z]*n/u.test(text))) return undefined;
  const last = args.findLast(({ text }) => !text.startsWith("-"))?.text ?? "";
  return /^(?:rsync|scp|sftp):\/\/[^/]+|^[^/:]+(?=:)/u.exec(last)?.[0];
};

/** Handles `aws s3 cp . s3://bucket`. */
const bucket: Receiver = (args) => {
  const operands = args.filter(({ text }) => !text.startsWith("-")).map(({ text }) => text);
  const isCopy = operands.some((text) => /^(?:cp|copy|sync|mv|rsync|upload\w*|put\w*)$/u.test(text));
  return isCopy ? /^(?:s3|gs|az|https?):\/\/[^/]+/u.exec(operands.at(-1) ?? "")?.[0] : undefined;
};

const feed: Receiver = (args, { stdin }) => {
  const [host = ""] = args.filter(({ text }) => /^[\w.-]*[a-z][\w.-]*(?::\d+)?$/iu.test(text)).map(({ text }) => text);
  const hasInput = stdin.text === undefined ? stdin.from.length > 0 : stdin.text.trim() !== "";
  return hasInput && host !== "" ? hostOf(host) : undefined;
};

const receivers: ReadonlyMap<string, Receiver> = new Map([
  ["curl", curl],
  ["wget", wget],
  ...words("http https xh").map((name): [string, Receiver] => [name, httpie]),
  ...words("scp rsync").map((name): [string, Receiver] => [name, copier]),
  ...words("aws gsutil gcloud az").map((name): [string, Receiver] => [name, bucket]),
  ["openssl", (args, ran) => (args[0]?.text === "s_client" ? feed(args.slice(1), ran) : undefined)],
  ...words("nc telnet socat").map((name): [string, Receiver] => [name, feed]),
]);

function hostOf(address: string): string | undefined {
  return /^(?:[a-z]+:\/\/)?(?:[^/@]*@)?(\[[^\]]*\]|[^/:?#]*)/iu.exec(address)?.[1];
}

function isHere(host: string): boolean {
  return /^(?:localhost|127(?:\.\d+){3}|0\.0\.0\.0|\[?::1\]?|)$|\.(?:localhost|test)$/u.test(host);
}
