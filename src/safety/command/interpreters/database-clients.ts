import { words } from "../../../base/text/words.ts";
import { sqlWords } from "../../code/sql/sql-words.ts";
import type { Field } from "../shell/field.ts";
import { type CodeOptions, readInterpreterArguments } from "./interpreter-arguments.ts";
import { inputCode, type Interpreter } from "./interpreter.ts";

/** Describes a client that reads statements from an option or from its input. */
function client(shape: Omit<CodeOptions, "language">, language: "sql" | "javascript" = "sql"): Interpreter {
  return (ran) => {
    const { codes, values } = readInterpreterArguments(ran.argv.slice(1), { language, ...shape });
    const files = values("f", "file", "i", "input-file", "queries-file");
    const hasFile = files.some(({ text }) => text !== "-" && text !== "/dev/stdin");
    const input = codes.length > 0 || hasFile ? { rules: [] } : inputCode(ran, undefined, true);
    const texts = [...codes, ...(input.text ? [input.text] : [])];
    return { codes: texts.map((text) => ({ language, text, args: [] })), rules: input.rules };
  };
}

/** Handles `sqlite3 file.db 'SQL'`: the operands are the database file and the statements. */
const fileClient: Interpreter = (ran) => {
  const { codes, operands } = readInterpreterArguments(ran.argv.slice(1), {
    language: "sql",
    longCode: ["cmd", "c", "s"],
    longValued: ["init", "separator", "newline", "nullvalue", "mmap", "vfs", "maxsize"],
    hasSingleDash: true,
    isPrefix: false,
  });
  const [file, ...statements] = operands;
  const input = statements.length > 0 || codes.length > 0 ? { rules: [] } : inputCode(ran, undefined, true);
  const texts = [...codes, ...statements, ...(input.text ? [input.text] : [])];
  const isChanging = texts.some(changes);
  return {
    codes: texts.map((text) => ({ language: "sql", text, args: [] })),
    paths: file ? [{ how: isChanging ? "edit" : "read", path: file }] : [],
    rules: input.rules,
  };
};

/** Returns whether a statement changes the database. */
function changes({ text }: Field): boolean {
  return sqlWords(text).some(
    ({ kind, text: word }) =>
      kind === "name" && /^(?:INSERT|UPDATE|DELETE|DROP|ALTER|CREATE|REPLACE|VACUUM|ATTACH)$/u.test(word),
  );
}

const mongo = client(
  {
    longCode: ["eval"],
    longValued: ["host", "port", "username", "password", "authenticationDatabase"],
    valued: "up",
  },
  "javascript",
);

export const databaseClients: Readonly<Record<string, Interpreter>> = {
  "psql pgcli usql": client({
    code: "c",
    longCode: ["command"],
    valued: "dfhpUvFoLPRT",
    longValued: words("dbname file host port username set variable output field-separator log-file pset"),
  }),
  cockroach: client({ code: "e", longCode: ["execute"], longValued: ["url", "host", "database"] }),
  "mysql mariadb mycli": client({
    code: "e",
    longCode: ["execute"],
    valued: "hPuDS",
    attached: "p",
    longValued: words("host port user database socket default-character-set init-command defaults-file"),
  }),
  "sqlite3 sqlite duckdb": fileClient,
  sqlcmd: client({ code: "qQ", valued: "SUPdiovh" }),
  bcp: client({}),
  "clickhouse-client clickhouse": client({
    code: "q",
    longCode: ["query"],
    longValued: ["host", "port", "user", "password", "database"],
  }),
  snowsql: client({ code: "q", longCode: ["query"], valued: "acdfhoru" }),
  snow: client({ code: "q", longCode: ["query"] }),
  cqlsh: client({
    code: "e",
    longCode: ["execute"],
    valued: "fkup",
    longValued: ["file", "keyspace", "username", "password"],
  }),
  hive: client({ code: "e", valued: "fdh", longValued: ["hiveconf", "hivevar"] }),
  beeline: client({ code: "e", valued: "fnpud" }),
  "spark-sql": client({ code: "e", valued: "fd" }),
  "trino presto": client({ longCode: ["execute"], longValued: ["server", "catalog", "schema", "file"] }),
  sqlplus: client({ valued: "LRM" }),
  isql: client({ valued: "iou" }),
  influx: client({ longCode: ["execute"], longValued: ["host", "port", "database", "username"], hasSingleDash: true }),
  "mongosh mongo": mongo,
};
