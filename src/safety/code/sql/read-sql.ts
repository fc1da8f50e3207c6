import type { RuleId } from "../../command/rules.ts";
import { hole } from "../../command/shell/field.ts";
import type { Effects } from "../reading/effects.ts";
import { textValue } from "../reading/value.ts";
import { readClientCommand } from "./client-commands.ts";
import { type SqlWord, sqlWords } from "./sql-words.ts";

/** Analyses SQL statement by statement, including commands of database clients. */
export function readSql(source: string, effects: Effects, depth = 0): void {
  const { sql, commands } = separate(source);
  for (const command of commands) readClientCommand(command, effects, (text) => readSql(text, effects, depth + 1));
  if (depth > 5) return;
  for (const words of statementsOf(sqlWords(sql))) readStatement(words, sql, effects, depth);
}

/** Separates commands of a client (`\! date`, `.shell date`) from SQL. */
function separate(source: string): { readonly sql: string; readonly commands: readonly string[] } {
  if (!/[\\.]|^\s*(?:system|source|tee|pager|delimiter)\b/imu.test(source)) return { sql: source, commands: [] };
  const commands: string[] = [];
  const kept = source.split("\n").map((line) => {
    const own = /^\s*(\.[a-z]+\b.*|(?:system|source|tee|pager)\s+.*)$/iu.exec(line)?.[1];
    if (own !== undefined) {
      commands.push(own);
      return "";
    }
    const index = /(?<![\\'])\\(?:!|[a-z]+)/iu.exec(line);
    if (index === null || isQuoted(line, index.index)) return line;
    commands.push(line.slice(index.index));
    return line.slice(0, index.index);
  });
  return { sql: kept.join("\n"), commands };
}

function isQuoted(line: string, index: number): boolean {
  return (line.slice(0, index).split("'").length - 1) % 2 === 1;
}

/** Returns all statements, including those inside brackets. */
function* statementsOf(words: readonly SqlWord[]): Generator<readonly SqlWord[]> {
  let from = 0;
  for (let index = 0; index <= words.length; index++) {
    const word = words[index];
    if (word !== undefined && !(word.kind === "sign" && word.text === ";")) continue;
    if (index > from) yield words.slice(from, index);
    from = index + 1;
  }
}

function readStatement(words: readonly SqlWord[], source: string, effects: Effects, depth: number): void {
  const text = source.slice(words[0]?.start, words.at(-1)?.end);
  const find = (rule: RuleId) => effects.find(rule, text);
  let starts = 0;
  for (const start of startsOf(words)) {
    const verb = words[start]?.text ?? "";
    if (start > 0 && !verbs.has(verb)) continue;
    starts += 1;
    if (starts > maxStarts) return find("too_much");
    const rule = ruleOf(start === 0 ? words : words.slice(start));
    if (rule !== undefined) find(rule);
  }
  for (let index = 0; index < words.length; index++) {
    const word = words[index];
    const next = words[index + 1];
    if (word?.kind !== "name") continue;
    const given = words.slice(index + 1, index + 5).find(({ kind }) => kind === "text")?.text;
    if (words[0]?.text === "COPY" && (word.text === "TO" || word.text === "FROM") && next?.kind === "text")
      effects.path(word.text === "TO" ? "write" : "read", textValue(next.text));
    if (word.text === "PROGRAM" && next?.kind === "text") {
      find("inline_code");
      effects.shell(textValue(next.text), text);
    } else if (/^(?:XP_CMDSHELL|SYS_EXEC|SYS_EVAL)$/u.test(word.text)) {
      find("inline_code");
      effects.shell(textValue(given ?? hole), text);
    } else if (/^PG_(?:TERMINATE|CANCEL)_BACKEND$/u.test(word.text) && !isBounded(words)) find("service");
    else if (/^(?:SP_OACREATE|LOAD_EXTENSION|DBMS_SCHEDULER|XP_REGWRITE)$/u.test(word.text)) find("unreadable_code");
    else if (word.text === "OUTFILE" || word.text === "DUMPFILE" || /^(?:LO_EXPORT|WRITEFILE)$/u.test(word.text)) {
      find("database");
      effects.path("write", textValue(given ?? hole));
    } else if (/^(?:LOAD_FILE|PG_READ_FILE|PG_READ_BINARY_FILE|LO_IMPORT|READFILE)$/u.test(word.text))
      effects.path("read", textValue(given ?? hole));
    else if (/^(?:EXECUTE|EXEC|IMMEDIATE|SP_EXECUTESQL|DO|AS)$/u.test(word.text) && given !== undefined) {
      readSql(given, effects, depth + 1);
      // If a statement is built at run time, its remaining text is unknown.
      if (/^EXEC|^IMMEDIATE$/u.test(word.text) && words.slice(index + 1).some(isJoining)) find("unreadable_code");
    }
    // `PREPARE name FROM 'text'`, or from a variable.
    else if (word.text === "PREPARE" && words.some(({ text: each }) => each === "FROM")) {
      if (given === undefined) find("unreadable_code");
      else readSql(given, effects, depth + 1);
    }
  }
}

/** `'DR' || 'OP'`, `CONCAT(…)`, `FORMAT(…)`. */
function isJoining({ kind, text }: SqlWord): boolean {
  return kind === "sign"
    ? text === "|" || text === "||" || text === "+"
    : /^(?:CONCAT(?:_WS)?|FORMAT|CHR|CHAR)$/u.test(text);
}

const maxStarts = 100;
/** Words that start another statement inside a statement. */
const verbs: ReadonlySet<string> = new Set(
  "DROP TRUNCATE DELETE UPDATE ALTER GRANT REVOKE LOAD SHUTDOWN CREATE".split(" "),
);

/** Returns the indexes at which statements start: the first word, after `WITH …`, in brackets, and inside blocks. */
function* startsOf(words: readonly SqlWord[]): Generator<number> {
  yield 0;
  for (let index = 1; index < words.length; index++) {
    const before = words[index - 1];
    const isAfter =
      before?.kind === "sign"
        ? before.text === "(" || before.text === ")"
        : before?.kind === "name" && /^(?:BEGIN|THEN|ELSE|LOOP|DO|ANALYZE|VERBOSE|AS|GO|ROW)$/u.test(before.text);
    if (isAfter && words[index]?.kind === "name") yield index;
  }
}

function ruleOf(words: readonly SqlWord[]): RuleId | undefined {
  const index = (place: number) => (words[place]?.kind === "name" ? (words[place]?.text ?? "") : "");
  switch (index(0)) {
    case "DROP":
      return words.length > 1 ? "database" : undefined;
    case "TRUNCATE":
      return words[1] === undefined || (words[1].kind === "sign" && words[1].text === "(") ? undefined : "database";
    case "DELETE":
      return isBounded(words) || !isDeletion(words) ? undefined : "database";
    case "UPDATE":
      return words.some(({ kind, text }) => kind === "name" && text === "SET") && !isBounded(words)
        ? "database"
        : undefined;
    case "ALTER":
      return alterRule(words);
    case "GRANT":
    case "REVOKE":
      return words.some(({ kind, text }) => kind === "name" && (text === "TO" || text === "FROM"))
        ? "privilege"
        : undefined;
    case "LOAD":
      return index(1) === "DATA" || index(1) === "XML" || words[1]?.kind === "text" ? "database" : undefined;
    case "SHUTDOWN":
      return "service";
    case "PURGE":
    case "RESET":
      return /^(?:BINARY|MASTER|REPLICA|SLAVE)$/u.test(index(1)) ? "database" : undefined;
    case "CREATE":
      return words.some(
        ({ kind, text }) => kind === "name" && /^(?:SUPERUSER|PLPYTHON3?U|PLPERLU|SONAME)$/u.test(text),
      ) || words.some(({ text }, place) => text === "LANGUAGE" && index(place + 1) === "C")
        ? "privilege"
        : undefined;
    case "PRAGMA":
      return index(1) === "WRITABLE_SCHEMA" ? "database" : undefined;
    case hole:
      return "unknown_code";
    default:
      return index(0).startsWith(hole) && words.length === 1 ? "unknown_code" : undefined;
  }
}

/** Matches `DELETE FROM t` and `DELETE t FROM t`, but not `ON DELETE CASCADE`. */
function isDeletion(words: readonly SqlWord[]): boolean {
  const next = words[1];
  return (
    next !== undefined &&
    !(next.kind === "name" && /^(?:CASCADE|SET|RESTRICT|NO|ON|OR|AND)$/u.test(next.text)) &&
    next.kind !== "sign"
  );
}

/** Returns whether the statement has a condition that can exclude rows. */
function isBounded(words: readonly SqlWord[]): boolean {
  const index = words.findIndex(({ kind, text }) => kind === "name" && (text === "WHERE" || text === "LIMIT"));
  if (index < 0) return false;
  const condition = words.slice(index + 1).filter(({ kind, text }) => !(kind === "sign" && /^[()]$/u.test(text)));
  const isOpen = condition.some(
    ({ text }, place) => text === "OR" && (condition[place + 1]?.text === "TRUE" || isSame(condition.slice(place + 1))),
  );
  if (isOpen) return false;
  const [a] = condition;
  if (condition.length === 1) return !(a?.text === "TRUE" || a?.kind === "number");
  return !(condition.length === 3 && isSame(condition));
}

/** `1 = 1`. */
function isSame([a, sign, b]: readonly SqlWord[]): boolean {
  const isConstant = (word: SqlWord | undefined) => word?.kind === "number" || word?.kind === "text";
  return isConstant(a) && isConstant(b) && sign?.text === "=" && a?.text === b?.text;
}

function alterRule(words: readonly SqlWord[]): RuleId | undefined {
  const names = words.flatMap(({ kind, text }) => (kind === "name" ? [text] : []));
  if (/^(?:USER|ROLE|LOGIN)$/u.test(names[1] ?? "")) return "privilege";
  if (names[1] === "SYSTEM") return "database";
  const index = names.indexOf("DROP");
  return index > 1 &&
    !/^(?:NOT|DEFAULT|EXPRESSION|IDENTITY)$/u.test(names[index + 1] ?? "") &&
    !(names.includes("COLUMN") && names.indexOf("COLUMN") < index)
    ? "database"
    : undefined;
}
