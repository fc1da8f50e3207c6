import { type Fact, rule } from "../fact.ts";
import { knownField } from "../shell/field.ts";
import { readOptions } from "./options.ts";
import type { Program, Programs } from "./program.ts";
import { inlineCode } from "./unknown-program.ts";
import { allOf, anyMatching, everyUse, withOption, verbs } from "./verbs.ts";

const redis: Program = (args, ran) => {
  const { operands } = readOptions(args, {
    short: "hpanusrit",
    long: ["user", "pass", "cacert", "cert", "key", "pipe-timeout"],
  });
  const given = [operands.map(({ text }) => text).join(" "), ...(ran.stdin.text?.split("\n") ?? [])];
  return given.some((text) =>
    /^\s*(?:flushall|flushdb|shutdown|debug|config\s+(?:set|rewrite|resetstat)|script\s+flush|slaveof|replicaof|cluster\s+(?:reset|flushslots)|swapdb|module\s+load|acl\s+(?:setuser|deluser)|function\s+flush|eval|evalsha|del\s+\S*\*|unlink\s+\S*\*)\b/iu.test(
      text,
    ),
  ) ||
    (ran.via.includes("xargs") && /^(?:del|unlink)$/iu.test(operands[0]?.text ?? ""))
    ? [rule("database", ...args)]
    : [];
};

/** Options whose value is SQL. */
const sql =
  (short: string, long: readonly string[]): Program =>
  (args, ran) => [
    ...readOptions(args, { short, long })
      .values(...short.split(""), ...long)
      .map((text): Fact => ({ kind: "code", language: "sql", text })),
    ...(ran.stdin.text === undefined
      ? []
      : [{ kind: "code", language: "sql", text: knownField(ran.stdin.text) } as const]),
  ];

const mongo: Program = (args, ran) => {
  const { values } = readOptions(args, {
    short: "upf",
    long: ["eval", "host", "port", "username", "password", "file"],
  });
  const texts = [...values("eval").map(({ text }) => text), ran.stdin.text ?? ""];
  return texts.some((text) => mongoDeletes.test(text)) ? [rule("database", ...args)] : [];
};

const mongoDeletes =
  /\.(?:dropDatabase|drop|dropIndexes|dropUser|dropAllUsersFromDatabase|dropRole|shutdownServer|renameCollection|fsyncLock)\s*\(|\.(?:deleteMany|remove|deleteOne)\s*\(\s*(?:\{\s*\}\s*)?[,)]|\.updateMany\s*\(\s*\{\s*\}|adminCommand\s*\(\s*\{\s*["']?shutdown/u;

const task = (words: string): Program => verbs([["database", words]]);

/** Handles `rails db:drop`, directly or through `rake` and `bin/rails`. */
const rails = task(
  "** db:drop|db:drop:*|db:reset|db:purge|db:truncate_all|db:migrate:reset|db:schema:load|db:rollback|db:setup",
);

/** Handles `php artisan migrate:fresh`: the first operand is a script. */
const artisan: Program = task(
  "artisan|*/artisan migrate:fresh|migrate:reset|migrate:refresh|db:wipe|migrate:rollback|queue:flush",
);

/** Clients and tools of databases. The interpreters analyse their SQL. */
export const databases: Programs = {
  "redis-cli": redis,
  mongosh: mongo,
  mongorestore: withOption("database", "drop"),
  pg_restore: withOption("database", "c clean", "dhpUnt"),
  "dropdb dropuser": everyUse("database", "--help", "--version"),
  mysqladmin: verbs([["database", "drop|shutdown|password|flush-privileges|kill|refresh|flush-*"]], {
    short: "hPup",
    long: ["host", "port", "user", "password"],
  }),
  influx: task("delete|setup, bucket|org delete"),
  rails: allOf(rails, (args): readonly Fact[] =>
    args[0]?.text === "runner" || args[0]?.text === "r"
      ? args.slice(1, 2).map((text): Fact => ({ kind: "code", language: "ruby", text }))
      : [],
  ),
  trino: sql("", ["execute"]),
  snowsql: sql("q", ["query"]),
  usql: sql("c", ["command"]),
  rake: rails,
  php: allOf(artisan, task("console|*/console doctrine:database:drop|doctrine:schema:drop|doctrine:fixtures:load")),
  artisan: task("migrate:fresh|migrate:reset|migrate:refresh|db:wipe|migrate:rollback"),
  python: task("manage.py|*/manage.py flush|reset_db|sqlflush|drop_test_database"),
  "manage.py": task("flush|reset_db|sqlflush"),
  "django-admin": task("flush|sqlflush"),
  prisma: allOf(task("migrate reset"), withOption("database", "force-reset accept-data-loss")),
  sequelize: task("db:drop|db:migrate:undo:all|db:seed:undo:all"),
  "sequelize-cli": task("db:drop|db:migrate:undo:all"),
  typeorm: task("schema:drop|migration:revert"),
  knex: task("migrate:rollback|migrate:down"),
  alembic: task("downgrade"),
  bq: (args): readonly Fact[] => {
    const { operands } = readOptions(args, { long: ["project_id", "location"] });
    return operands[0]?.text === "query"
      ? operands.slice(1, 2).map((text): Fact => ({ kind: "code", language: "sql", text }))
      : [];
  },
  mix: allOf(task("ecto.drop|ecto.reset|ecto.rollback"), inlineCode),
  "memcached-tool": task("** flush"),
  "cypher-shell": anyMatching("database", /\b(?:DELETE|DROP|REMOVE)\b/iu),
  wp: task("** db reset|drop|clean, ** site empty|delete, ** post|user|plugin|theme|term|comment|option delete"),
  drush: task("** sql-drop|sql:drop|site-install|si|sql:query|pm:uninstall"),
  dotnet: task("ef database drop, ef migrations remove"),
  console: task("doctrine:database:drop|doctrine:schema:drop|doctrine:fixtures:load"),
  flask: task("db downgrade"),
  flyway: task("clean|undo"),
  liquibase: task("drop*|rollback*"),
  "drizzle-kit": task("drop"),
  supabase: task("db reset"),
  dbmate: task("drop|down|rollback"),
  goose: task("** down|reset|down-to"),
  migrate: task("** drop|down"),
  hasura: task("metadata clear, migrate delete"),
  "kafka-topics kafka-topics.sh": withOption("database", "delete"),
  rabbitmqctl: task("delete_*|reset|force_reset|stop*|purge_queue|clear_*"),
  rabbitmqadmin: task("delete|purge"),
  pgbackrest: task("** stanza-delete|expire"),
  nodetool: task("drain|decommission|clearsnapshot|removenode|truncatehints"),
};
