import type { Effects } from "../reading/effects.ts";
import { textValue } from "../reading/value.ts";

/**
 * Commands of a database client itself: `\!`, `\o`, `\copy` of psql; `.shell`, `.output` of sqlite3; `system` of mysql.
 */
export function readClientCommand(line: string, effects: Effects, readSql: (text: string) => void): void {
  const [, name = "", rest = ""] = /^\s*[\\.]?(!|[a-z_+]+)\s*([^]*)$/iu.exec(line) ?? [];
  const value = rest.replace(/;\s*$/u, "").trim();
  const file = value.replace(/^(['"])([^]*)\1$/u, "$2");
  switch (name.toLowerCase()) {
    case "!":
    case "shell":
    case "system":
    case "pager":
      if (value !== "") effects.carry(textValue(value), line);
      return;
    case "o":
    case "out":
    case "w":
    case "output":
    case "once":
    case "tee":
    case "log":
    case "g":
      if (file.startsWith("|")) effects.shell(textValue(file.slice(1)), line);
      else if (file !== "") effects.path("write", textValue(file.split(/\s/u).at(-1) ?? file));
      return;
    case "backup":
    case "save":
      effects.path("write", textValue(file.split(/\s/u).at(-1) ?? file));
      return;
    case "import":
    case "read":
      if (file.startsWith("|")) effects.shell(textValue(file.slice(1)), line);
      return;
    case "load":
      return effects.find("unreadable_code", line);
    case "gexec":
      return effects.find("unknown_code", line);
    case "copy":
      return copy(value, line, effects, readSql);
    default:
  }
}

function copy(value: string, line: string, effects: Effects, readSql: (text: string) => void): void {
  const [, way = "", program, file] = /\b(to|from)\s+(?:program\s+'([^']*)'|'?([^'\s]+)'?)/iu.exec(value) ?? [];
  if (program !== undefined) {
    effects.find("inline_code", line);
    effects.shell(textValue(program), line);
  } else if (file !== undefined && !/^(?:stdin|stdout|pstdin|pstdout)$/iu.test(file))
    effects.path(way.toLowerCase() === "to" ? "write" : "read", textValue(file));
  const query = /^\((.*)\)/su.exec(value)?.[1];
  if (query !== undefined) readSql(query);
}
