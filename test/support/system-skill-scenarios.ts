import { type SkillScenario, write } from "./skill-scenario.ts";

/** Scenarios of skills about data, machines and networks. */
export const systemSkillScenarios: readonly SkillScenario[] = [
  {
    skill: "sql-migration",
    needs: "sqlite3",
    prepare(folder) {
      write(folder, {
        "schema.sql":
          "create table users(id integer primary key, name text);\ninsert into users values (1, 'Ann'), (2, 'Bob');\ncreate table orders(id integer primary key, user_id integer references users(id));\ninsert into orders values (1, 1);\n",
        "001_mail.up.sql": "alter table users add column mail text;\n",
        "001_mail.down.sql": "alter table users drop column mail;\n",
        "002_bad.up.sql": "delete from users where id = 1;\n",
        "003_lossy.up.sql": "alter table users add column note text;\nupdate users set name = upper(name);\n",
        "003_lossy.down.sql": "alter table users drop column note;\n",
      });
    },
    steps: [
      {
        from: "sh $DIR/scripts/try-migration.sh DATABASE.db NNN_name.up.sql NNN_name.down.sql",
        with: "sqlite3 app.db < schema.sql && sh $DIR/scripts/try-migration.sh app.db 001_mail.up.sql 001_mail.down.sql && sqlite3 app.db .schema",
        shows: [
          /\+table\|users\|CREATE TABLE users\(.*mail text\)/u,
          /all checks passed; app\.db was only read/u,
          /CREATE TABLE users\(id integer primary key, name text\);/u,
        ],
      },
      {
        from: "checks integrity and foreign keys",
        with: "sh $DIR/scripts/try-migration.sh app.db 002_bad.up.sql",
        shows: [/before users 2\nafter {2}users 1/u, /broken foreign keys: 1/u, /a check failed/u],
        fails: true,
      },
      {
        from: "compares schema and rows with the beginning",
        with: "sh $DIR/scripts/try-migration.sh app.db 003_lossy.up.sql 003_lossy.down.sql",
        shows: [/the data is not as before: 2 rows were lost or changed/u],
        fails: true,
      },
    ],
  },
  {
    skill: "json-files",
    needs: "node",
    prepare(folder) {
      write(folder, {
        "a.json": `${JSON.stringify({ server: { port: 80 }, tags: ["a"], items: [{ id: 1, price: 2 }, { id: 2 }], old: { key: 1 } }, null, 4)}\n`,
        "lines.jsonl": '{"a":1}\n{"a":2,"b":null}\n',
        "broken.json": '{"a": 1,}\n',
      });
    },
    steps: [
      {
        from: "node $DIR/scripts/shape.mjs FILE",
        with: "node $DIR/scripts/shape.mjs a.json && node $DIR/scripts/shape.mjs lines.jsonl && ! node $DIR/scripts/shape.mjs broken.json",
        shows: [
          /\$\.items {2}list ×1, longest 2/u,
          /\$\.items\[\]\.price {2}number ×1, missing in 1, e\.g\. 2/u,
          /2 documents/u,
          /broken\.json is not JSON/u,
        ],
      },
      {
        from: `node $DIR/scripts/set.mjs FILE server.port=8080 tags[0]='"new"' old.key=`,
        with: `cp a.json b.json && node $DIR/scripts/set.mjs b.json server.port=8080 'tags[0]="new"' old.key= && cat b.json`,
        shows: [/server\.port: 80 -> 8080/u, /^ {4}"server": \{\n {8}"port": 8080/mu, /"old": \{\}\n\}\n?$/u],
      },
      {
        from: "node $DIR/scripts/compare.mjs OLD NEW",
        with: "node $DIR/scripts/compare.mjs a.json b.json",
        shows: [
          /~ \$\.server\.port: 80 -> 8080/u,
          /~ \$\.tags\[0\]: "a" -> "new"/u,
          /- \$\.old\.key: 1/u,
          /3 differences/u,
        ],
        fails: true,
      },
    ],
  },
  {
    skill: "tls-certificates",
    needs: "openssl",
    prepare() {},
    steps: [
      {
        from: "sh $DIR/scripts/make-dev-cert.sh ./certs app.test localhost 127.0.0.1",
        with: "sh $DIR/scripts/make-dev-cert.sh ./certs app.test localhost 127.0.0.1 && ls -l certs/app.test-key.pem",
        shows: [/app\.test\.pem: OK/u, /-rw------- /u],
      },
      {
        from: "sh $DIR/scripts/check-cert.sh CERT.pem KEY.pem",
        with: "sh $DIR/scripts/check-cert.sh certs/app.test.pem certs/app.test-key.pem",
        shows: [
          /names: DNS:app\.test, DNS:localhost, IP Address:127\.0\.0\.1/u,
          /the key belongs to it/u,
          /problems: 0/u,
        ],
      },
      {
        from: "a key of another certificate",
        with: "sh $DIR/scripts/check-cert.sh certs/app.test.pem certs/ca-key.pem",
        shows: [/! the key belongs to another certificate/u],
        fails: true,
      },
    ],
  },
  {
    skill: "scheduled-job",
    needs: "python3",
    prepare() {},
    steps: [
      {
        from: "python3 $DIR/scripts/next-runs.py '30 2 * * 1-5' 5",
        with: "python3 $DIR/scripts/next-runs.py '30 2 * * 1-5' 2 2026-11-13T12:00 && python3 $DIR/scripts/next-runs.py '0 9 13 * fri' 2 2026-11-01T00:00",
        shows: [/Mon 2026-11-16 02:30\nTue 2026-11-17 02:30\nFri 2026-11-06 09:00\nFri 2026-11-13 09:00/u],
      },
      {
        from: "refuses lines that cron would not take or that never match",
        with: "python3 $DIR/scripts/next-runs.py '61 * * * *'; python3 $DIR/scripts/next-runs.py '0 0 30 2 *'",
        shows: [/'61' is not within 0 to 59/u, /it never runs/u],
        fails: true,
      },
      {
        from: "cp $DIR/templates/job.sh ./NAME-job.sh",
        with: "cp $DIR/templates/job.sh ok-job.sh && JOB_STATE=$PWD/ok sh ok-job.sh && cat ok/logs/*.log && ls ok",
        shows: [/nothing to do yet\nend .*, exit code 0/u, /last-success/u],
      },
      {
        from: "once with a work step that fails, twice at the same time",
        with: `sed 's/echo "nothing to do yet"/until [ -f go ]; do sleep 0.1; done; false/' ok-job.sh > bad-job.sh; JOB_STATE=$PWD/bad sh bad-job.sh & first=$!; until [ -f bad/lock/pid ]; do sleep 0.1; done; JOB_STATE=$PWD/bad sh bad-job.sh; echo "second: $?"; touch go; wait $first; echo "first: $?"; ls bad; exit 1`,
        shows: [
          /already running \(pid \d+\)/u,
          /second: 75/u,
          /failed with exit code 1/u,
          /first: 1/u,
          /first: 1\nlogs\n*$/u,
        ],
        fails: true,
      },
    ],
  },
  {
    skill: "network-debug",
    needs: "python3",
    prepare(folder) {
      write(folder, {
        "serve.py":
          'import http.server\nserver = http.server.HTTPServer(("127.0.0.1", 0), http.server.SimpleHTTPRequestHandler)\nopen("port.new", "w").write(str(server.server_address[1]))\nimport os\nos.rename("port.new", "port")\nfor _ in range(1):\n    server.handle_request()\n',
      });
    },
    steps: [
      {
        from: "python3 $DIR/scripts/reach.py https://example.org/health",
        with: "python3 serve.py 2>/dev/null & server=$!; until [ -f port ]; do sleep 0.1; done; python3 $DIR/scripts/listeners.py | grep $(cat port); python3 $DIR/scripts/reach.py http://127.0.0.1:$(cat port)/port; code=$?; wait $server; exit $code",
        shows: [
          /127\.0\.0\.1 +this machine only +python3? ?.*\(pid \d+\)/u,
          /name: 127\.0\.0\.1 is 127\.0\.0\.1/u,
          /\(IPv4\): connected/u,
          /HTTP: 200 OK/u,
          /reachable/u,
        ],
      },
      { from: "python3 $DIR/scripts/listeners.py", shows: [/\d+ listening ports/u] },
      {
        from: "The last line names the layer that\nfails",
        with: "python3 $DIR/scripts/reach.py http://127.0.0.1:$(cat port)/",
        shows: [/refused/u, /fails at: port \(refused\)/u],
        fails: true,
      },
    ],
  },
  {
    skill: "backup-files",
    prepare(folder) {
      write(folder, {
        "data/a/one.txt": "1\n",
        "data/b c/two words.txt": "2\n",
        "data/cache/big.bin": "x",
        "data/.backupignore": "# a cache\ncache/\n",
        "store/data-20200101-000000.tar.gz": "old",
        "store/data-20210101-000000.tar.gz": "older",
        "store/data-precious.tar.gz": "of somebody else",
      });
    },
    steps: [
      {
        from: "sh $DIR/scripts/backup.sh /srv/data /var/backups/data 14",
        with: "sh $DIR/scripts/backup.sh ./data ./store 2 && ls store && tar -tzf store/data-202[2-9]*.tar.gz",
        shows: [
          /backed up 2 files to .*store\/data-\d{8}-\d{6}\.tar\.gz \(\d+ bytes\)/u,
          /deleted data-20200101-000000\.tar\.gz/u,
          /data-20210101-000000\.tar\.gz\n/u,
          /data-precious\.tar\.gz/u,
          /\.\/b c\/two words\.txt/u,
        ],
      },
      {
        from: "sh $DIR/scripts/verify.sh /var/backups/data/FILE.tar.gz",
        with: "sh $DIR/scripts/verify.sh store/data-202[2-9]*.tar.gz",
        shows: [/restore verified: 2 files/u],
      },
      {
        from: "fails when the source is empty or missing",
        with: "mkdir empty; sh $DIR/scripts/backup.sh ./empty ./store; head -c 150 store/data-202[2-9]*.tar.gz > half.tar.gz; sh $DIR/scripts/verify.sh half.tar.gz",
        shows: [/is empty: is a disk missing\?/u, /the archive is damaged/u],
        fails: true,
      },
    ],
  },
];
