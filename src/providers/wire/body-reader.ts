import { isObject, type JsonObject, parsedJson } from "../../base/json.ts";
import { createLineReader } from "../../base/text/line-reader.ts";

/** Receives the content of a response body. */
export interface BodySink {
  /** One document of the stream, or the whole answer. `event`: the event name, if any. */
  json(value: JsonObject, event: string | undefined): void;
  /** Called for the mark `[DONE]`. */
  done(): void;
  /** Called if the body cannot be read. Nothing follows. */
  broken(why: string): void;
}

export interface BodyReader {
  push(bytes: Buffer): void;
  end(): void;
}

/** The maximum length to read of a body in an unexpected format. */
const maxForeignChars = 8000;

/**
 * Parses server-sent events, JSON lines, one JSON document or a list of documents. The format is detected from the
 * body, regardless of the content type.
 */
export function createBodyReader(sink: BodySink, maxLineChars = 16 * 2 ** 20): BodyReader {
  let kind: "events" | "lines" | "document" | "foreign" | undefined;
  let data: string | undefined;
  let event: string | undefined;
  let broken = false;
  /** The last line that is not JSON. It becomes the reason if the stream ends there. */
  let odd = "";
  const document: string[] = [];
  const lines = createLineReader(maxLineChars, take, (limit) => fail(`a line of more than ${limit >> 20} MB`));

  function fail(why: string): void {
    if (!broken) sink.broken(why);
    broken = true;
  }

  function take(line: string): void {
    if (broken) return;
    if (kind === "events") return takeField(line);
    if (kind === undefined) {
      const start = line.trimStart().charCodeAt(0);
      if (Number.isNaN(start)) return;
      if (start === brace || start === bracket) kind = "lines";
      else kind = line.startsWith("<") || !/^[a-z]*:/u.test(line) ? "foreign" : "events";
      if (kind === "events") return takeField(line);
    }
    if (kind === "lines" && line.trim() !== "" && !takeLine(line)) kind = "document";
    if (kind === "document") document.push(line);
    else if (kind === "foreign" && document.length < 200) document.push(line.slice(0, maxForeignChars));
  }

  function takeLine(line: string): boolean {
    // The first line of a document that spans several lines.
    if (line.length < 2) return false;
    const value = parsedJson(line);
    if (value === undefined) return false;
    deliver(value, undefined);
    return true;
  }

  function takeField(line: string): void {
    if (line === "") return dispatch();
    const first = line.charCodeAt(0);
    if (first === colon) return;
    if (line.startsWith("data:")) {
      const value = line.slice(line.charCodeAt(5) === space ? 6 : 5);
      if (startsDocument(value)) dispatchComplete();
      data = data === undefined ? value : `${data}\n${value}`;
    } else if (line.startsWith("event:")) {
      dispatchComplete();
      event = line.slice(6).trim();
    }
    // A raw error that a proxy wrote into the stream.
    else if (first === brace) deliver(parsedJson(line), "error");
  }

  /** Some servers omit the blank line between two events. */
  function dispatchComplete(): void {
    if (data !== undefined && endsDocument(data) && parsedJson(data) !== undefined) dispatch();
  }

  function dispatch(): void {
    if (data !== undefined && data !== "") {
      const value = parsedJson(data);
      odd = "";
      if (value !== undefined) deliver(value, event);
      else if (data.trim() === "[DONE]") sink.done();
      else if (event === "error") sink.json({ error: { message: data } }, event);
      else if (data.charCodeAt(0) === brace) fail("a piece of the stream that is not JSON");
      else odd = data.slice(0, maxForeignChars);
    }
    data = undefined;
    event = undefined;
  }

  function deliver(value: unknown, name: string | undefined): void {
    // Safe cast: the value was parsed from JSON.
    if (isObject(value)) sink.json(value as JsonObject, name);
    else if (Array.isArray(value)) for (const one of value) deliver(one, name);
  }

  return {
    push: (bytes) => lines.push(bytes),
    end() {
      lines.end();
      if (broken) return;
      if (kind === "events") {
        // A complete last event is used even without its blank line.
        if (data !== undefined && (parsedJson(data) !== undefined || data.trim() === "[DONE]")) dispatch();
        if (odd !== "") fail(describeUnexpectedBody(odd));
      } else if (kind === "document") {
        const value = parsedJson(document.join("\n"));
        if (value === undefined) fail("JSON that ends early or is damaged");
        else deliver(value, undefined);
      } else if (kind === "foreign") fail(withAdvice(describeUnexpectedBody(document.join("\n"))));
    },
  };
}

const brace = 123;
const bracket = 91;
const colon = 58;
const space = 32;

function startsDocument(text: string): boolean {
  return /^\s*[{[]/u.test(text);
}

function endsDocument(text: string): boolean {
  return /[}\]]\s*$/u.test(text.slice(-8));
}

const webPage = "a web page";
const noText = "bytes that are not text";

/** A body in such a format usually comes from another server. */
export function isForeignBody(what: string): boolean {
  return what.startsWith(webPage) || what.startsWith(noText);
}

function withAdvice(what: string): string {
  return isForeignBody(what) ? `${what}; is the base URL right? It usually ends in /v1` : what;
}

/** Describes a page or a text briefly. */
export function describeUnexpectedBody(whole: string): string {
  const body = whole.slice(0, maxForeignChars);
  // oxlint-disable-next-line no-control-regex -- text does not contain these control characters
  if (/[\u0000-\u0008\uFFFD]/u.test(body)) return noText;
  if (!/^\s*(?:<!doctype|<html|<\?xml|<head|<body)/iu.test(body)) return squeezed(body);
  const title = /<title[^>]*>([^<]{1,200})/iu.exec(body)?.[1] ?? /<h1[^>]*>([^<]{1,200})/iu.exec(body)?.[1];
  return title === undefined ? webPage : `${webPage}: ${squeezed(title)}`;
}

function squeezed(text: string): string {
  const line = text.slice(0, 2000).replaceAll(/\s+/gu, " ").trim();
  return line.length > 300 ? `${line.slice(0, 299).toWellFormed()}…` : line;
}
