import { codeSkillScenarios } from "./code-skill-scenarios.ts";
import { git, repository, type SkillScenario, write } from "./skill-scenario.ts";
import { systemSkillScenarios } from "./system-skill-scenarios.ts";

const counter = (body: string) => `#!/bin/sh\n${body}\n`;

export const skillScenarios: readonly SkillScenario[] = [
  ...codeSkillScenarios,
  ...systemSkillScenarios,
  {
    skill: "code-review",
    prepare(folder) {
      repository(folder, [["first", { "src/pay.ts": "export const pay = 1;\n" }]]);
      git(folder, "switch", "-q", "-c", "work");
      write(folder, {
        "src/pay.ts": 'export const pay = 2;\nconsole.log("debug");\nconst apiKey = "abcdefgh12345678";\n',
        "src/auth.ts": "try { login(); } catch (e) { }\ntest.only('x', () => {});\n",
      });
      git(folder, "add", "-A");
      git(folder, "commit", "-q", "-m", "change payment");
    },
    steps: [
      {
        from: "sh $DIR/scripts/diff-scope.sh main...HEAD",
        shows: [
          /2 files changed/u,
          /== sensitive files\nsrc\/auth\.ts/u,
          /== debug output\nsrc\/pay\.ts:2:/u,
          /== possible secrets\nsrc\/pay\.ts:3:/u,
          /== disabled tests\nsrc\/auth\.ts:2:/u,
          /== swallowed errors\nsrc\/auth\.ts:1:/u,
          /change payment/u,
        ],
      },
    ],
  },
  {
    skill: "debug-failing-test",
    prepare(folder) {
      const commits = ["one", "two", "three", "breaks it", "five"].map(
        (subject, index) =>
          [subject, { "value.txt": `${index < 3 ? "good" : "bad"}\n`, [`${index}.txt`]: subject }] as const,
      );
      repository(folder, [["start", { "test.sh": counter("grep -q good value.txt") }], ...commits]);
    },
    steps: [
      {
        from: "sh $DIR/scripts/repeat.sh 20 <test command>",
        with: "sh $DIR/scripts/repeat.sh 5 sh test.sh",
        shows: [/5\/5 failed/u, /first failure: run 1/u],
        fails: true,
      },
      {
        from: "sh $DIR/scripts/first-bad.sh GOOD_COMMIT <test command>",
        with: "sh $DIR/scripts/first-bad.sh HEAD~4 sh test.sh && git status -sb",
        shows: [/first bad commit: \w+ Ann \S+ breaks it/u, /3\.txt/u, /## main/u],
      },
    ],
  },
  {
    skill: "git-rescue",
    prepare(folder) {
      repository(folder, [
        ["kept", { "a.txt": "1" }],
        ["precious work", { "b.txt": "2" }],
      ]);
      git(folder, "reset", "-q", "--hard", "HEAD~1");
    },
    steps: [
      {
        from: "git status && git branch rescue/$(date +%Y%m%d-%H%M%S) HEAD",
        shows: [/On branch main/u],
      },
      {
        from: "sh $DIR/scripts/lost-commits.sh",
        shows: [/precious work/u, /git branch found HASH/u],
      },
      {
        from: "git branch found HASH",
        with: "git branch found $(sh $DIR/scripts/lost-commits.sh | awk '/precious/ { print $1 }') && git show found:b.txt && git branch",
        shows: [/^2/mu, /rescue\//u],
      },
    ],
  },
  {
    skill: "release-notes",
    prepare(folder) {
      repository(folder, [["feat: first", { "a.txt": "1" }]]);
      git(folder, "tag", "v1.0.0");
      for (const [index, subject] of [
        "feat(cli): a new flag (#12)",
        "fix: no crash on empty input",
        "feat!: drop the old format",
        "chore: tidy",
        "Write more",
      ].entries()) {
        write(folder, { [`${index}.txt`]: subject });
        git(folder, "add", "-A");
        git(folder, "commit", "-q", "-m", subject);
      }
    },
    steps: [
      {
        from: "sh $DIR/scripts/changes-since.sh",
        shows: [
          /range: v1\.0\.0\.\.HEAD \(5 commits, 1 authors\)/u,
          /== breaking\n- feat!: drop the old format/u,
          /== features\n- feat\(cli\): a new flag \(#12\) \[\w+\]/u,
          /== fixes\n- fix: no crash/u,
          /== others\n- Write more/u,
          /== inside \(users do not notice\)\n- chore: tidy/u,
        ],
      },
      {
        from: `git diff "$(git describe --tags --abbrev=0)" -- '*.d.ts' '*api*' '*schema*' '*migrations*' CHANGELOG.md`,
        shows: [],
      },
    ],
  },
  {
    skill: "dependency-upgrade",
    needs: "node",
    prepare(folder) {
      const lock = (packages: Readonly<Record<string, unknown>>) =>
        JSON.stringify({ lockfileVersion: 3, packages: { "": {}, ...packages } });
      const old = { "node_modules/a": { version: "1.0.0" }, "node_modules/b": { version: "2.0.0" } };
      repository(folder, [["lock", { "package-lock.json": lock(old) }]]);
      const now = {
        "node_modules/a": { version: "1.1.0" },
        "node_modules/c": { version: "0.1.0", hasInstallScript: true },
      };
      write(folder, { "package-lock.json": lock(now) });
    },
    steps: [
      {
        from: "node $DIR/scripts/lock-diff.mjs",
        shows: [
          /== changed: 1\n {2}a 1\.0\.0 -> 1\.1\.0/u,
          /== added: 1\n {2}c 0\.1\.0/u,
          /== removed: 1\n {2}b 2\.0\.0/u,
          /== new install scripts: 1\n {2}c/u,
        ],
      },
    ],
  },
  {
    skill: "api-client-from-openapi",
    needs: "node",
    prepare(folder) {
      const pet = {
        type: "object",
        required: ["id"],
        properties: { id: { type: "integer" }, name: { type: "string" } },
      };
      const json = (schema: unknown) => ({ content: { "application/json": { schema } } });
      const ref = { $ref: "#/components/schemas/Pet" };
      const api = {
        openapi: "3.0.3",
        info: { title: "Pets", version: "1" },
        servers: [{ url: "https://pets.example" }],
        paths: {
          "/pets/{petId}": {
            get: {
              operationId: "getPet",
              summary: "One pet",
              parameters: [
                { name: "petId", in: "path", required: true, schema: { type: "integer" } },
                { name: "deep", in: "query", schema: { type: "boolean" } },
              ],
              responses: { 200: json(ref), 404: {} },
            },
          },
          "/pets": {
            post: {
              operationId: "addPet",
              requestBody: { required: true, ...json(ref) },
              responses: { 201: json(ref) },
            },
            delete: { operationId: "dropAll", responses: { 204: {} } },
          },
        },
        components: { schemas: { Pet: pet } },
      };
      const call = `
import { ApiError, createClient } from "./client.ts";
const seen = [];
const answer = (status, body) => new Response(body, { status });
const api = createClient({ headers: { authorization: "Bearer x" }, fetch: async (url, init) => {
  seen.push(init.method + " " + url + " " + (init.body ?? ""));
  return url.includes("404") ? answer(404, "no such pet") : answer(200, JSON.stringify({ id: 7 }));
} });
console.log(JSON.stringify(await api.getPet({ petId: 7, deep: true })));
console.log(JSON.stringify(await api.addPet({ body: { id: 8, name: "Rex" } })));
console.log(await api.getPet({ petId: 404 }).catch((error) => error instanceof ApiError && error.status + " " + error.body));
console.log(seen.join("\\n"));
`;
      write(folder, { "api.json": JSON.stringify(api), "use.mjs": call });
    },
    steps: [
      {
        from: "node $DIR/scripts/list-operations.mjs api.json",
        shows: [/GET +\/pets\/\{petId\} {2}getPet\(petId:path, deep\?:query\) -> 200,404/u, /addPet\(\) \+body/u],
      },
      {
        from: "node $DIR/scripts/make-client.mjs api.json client.ts getPet,addPet",
        with: "node $DIR/scripts/make-client.mjs api.json client.ts getPet,addPet && $NODE use.mjs",
        shows: [
          /client\.ts: 2 operations, 1 types/u,
          /\{"id":7\}/u,
          /GET https:\/\/pets\.example\/pets\/7\?deep=true/u,
          /POST https:\/\/pets\.example\/pets \{"id":8,"name":"Rex"\}/u,
          /404 no such pet/u,
        ],
      },
    ],
  },
  {
    skill: "performance-profile",
    needs: "node",
    prepare(folder) {
      write(folder, {
        "app.js":
          "function slowPart() { let n = 0; for (let i = 0; i < 3e8; i++) n += i % 7; return n; }\nslowPart();\n",
      });
    },
    steps: [
      {
        from: "sh $DIR/scripts/time-it.sh 10 <command>",
        with: "sh $DIR/scripts/time-it.sh 3 sleep 0.02",
        shows: [/runs 3 {3}min \d+\.\d ms {3}median \d+\.\d ms {3}max/u],
      },
      { from: "node --cpu-prof --cpu-prof-dir=prof app.js", shows: [] },
      { from: "node $DIR/scripts/top-functions.mjs prof", shows: [/ms sampled/u, /slowPart.*app\.js:1/u] },
    ],
  },
  {
    skill: "codebase-tour",
    prepare(folder) {
      repository(folder, [
        [
          "first",
          { "README.md": "# It\n", "src/main.ts": "1\n2\n", "package.json": '{\n"scripts": {\n"test": "x"\n}\n}\n' },
        ],
        ["more", { "src/main.ts": "1\n2\n3\n", "src/part/a.ts": "1\n" }],
      ]);
    },
    steps: [
      {
        from: "sh $DIR/scripts/map.sh",
        shows: [
          /4 files, 2 commits/u,
          /\d+ +2 +ts/u,
          /README\.md/u,
          /"test": "x"/u,
          /src\/main\.ts/u,
          /2 src\/main\.ts/u,
        ],
      },
    ],
  },
  {
    skill: "docker-compose-service",
    prepare(folder) {
      write(folder, {
        "bad.yaml":
          'services:\n  web:\n    image: nginx:latest\n    privileged: true\n    ports:\n      - "80:80"\n  db:\n    image: postgres\n    environment:\n      POSTGRES_PASSWORD: hunter2\n',
      });
    },
    steps: [
      { from: "cp $DIR/templates/compose.yaml compose.yaml", shows: [] },
      {
        from: "sh $DIR/scripts/check-compose.sh compose.yaml",
        with: "PATH=/usr/bin:/bin sh $DIR/scripts/check-compose.sh compose.yaml",
        shows: [/nothing to say about compose\.yaml/u],
      },
      {
        from: "sh $DIR/scripts/check-compose.sh compose.yaml",
        with: "PATH=/usr/bin:/bin sh $DIR/scripts/check-compose.sh bad.yaml",
        shows: [
          /danger: web: privileged/u,
          /warning: web: the image has the tag latest/u,
          /warning: web: a port is open to every network/u,
          /danger: db: a secret in plain text/u,
          /warning: db: the image has no version/u,
          /warning: db: no healthcheck/u,
        ],
        fails: true,
      },
    ],
  },
  {
    skill: "systemd-service",
    needs: "systemd-analyze",
    prepare() {},
    steps: [
      {
        from: "sh $DIR/scripts/make-unit.sh NAME /path/to/program arguments > NAME.service",
        with: `sh $DIR/scripts/make-unit.sh hermes-demo /bin/sleep '5 %' > hermes-demo.service && cat hermes-demo.service`,
        shows: [/ExecStart=\/bin\/sleep "5 %%"/u, /ProtectSystem=strict/u, /DynamicUser=yes/u],
      },
      {
        from: "systemd-analyze verify ./NAME.service",
        with: "systemd-analyze verify ./hermes-demo.service 2>&1 | grep -i hermes-demo; echo checked",
        shows: [/^checked/mu],
      },
    ],
  },
  {
    skill: "log-triage",
    prepare(folder) {
      const lines = [
        "2026-11-15T10:00:01Z INFO start",
        "2026-11-15T10:01:02Z ERROR user 17 not found",
        "2026-11-15T10:01:03Z ERROR user 99 not found",
        "2026-11-15T10:05:00Z ERROR connect 10.0.0.7:5432 refused",
        "2026-11-15T10:05:01Z WARN slow 120 ms",
      ];
      write(folder, { "app.log": `${lines.join("\n")}\n` });
    },
    steps: [
      {
        from: "sh $DIR/scripts/summarize-errors.sh app.log",
        shows: [
          /4 lines of 3 kinds/u,
          /2 {2}2026-11-15T10:01:02 \.\. 2026-11-15T10:01:03 {2}ERROR user # not found/u,
          /ERROR connect <address> refused/u,
        ],
      },
      {
        from: "sh $DIR/scripts/per-minute.sh 'ERROR|FATAL' app.log",
        shows: [/2026-11-15T10:01 +2 #+/u, /2026-11-15T10:05 +1 #+/u],
      },
    ],
  },
  {
    skill: "incident-report",
    prepare(folder) {
      write(folder, {
        "api.log": "2026-11-15 14:05:00 ERROR 500 for /pay\n",
        "deploy.log": "[2026-11-15T14:03:10] deploy v2 by bot\n[2026-11-15T14:20:00] rollback to v1\n",
        "chat.txt": "2026-11-15T14:09:00 anna: pages are slow | checkout\n",
      });
    },
    steps: [
      {
        from: "sh $DIR/scripts/timeline.sh api.log deploy.log chat.txt > timeline.md",
        with: "sh $DIR/scripts/timeline.sh api.log deploy.log chat.txt > timeline.md; cat timeline.md",
        shows: [
          /14:03:10 \| deploy v2 by bot \| deploy\.log \|\n\| 2026-11-15T14:05:00 \| ERROR 500 for \/pay \| api\.log \|\n\| 2026-11-15T14:09:00 \| anna: pages are slow \\\| checkout/u,
          /14:20:00 \| rollback to v1/u,
        ],
      },
      {
        from: "cp $DIR/templates/report.md incident-YYYY-MM-DD.md",
        with: "cp $DIR/templates/report.md incident-2026-11-15.md && grep -c '^##' incident-2026-11-15.md",
        shows: [/^[1-9]/mu],
      },
    ],
  },
  {
    skill: "disk-full",
    prepare(folder) {
      write(folder, { "var/big.log": "x".repeat(3_000_000), "var/small.txt": "1" });
    },
    steps: [
      { from: "df -h . && df -i .", shows: [/Filesystem/u] },
      {
        from: "sh $DIR/scripts/biggest.sh /var 20",
        with: "sh $DIR/scripts/biggest.sh ./var 5",
        shows: [/== files \(KB\)\n\d+\t\.\/var\/big\.log/u, /== folders \(KB\)\n\d+\t\.\/var/u],
      },
    ],
  },
  {
    skill: "data-with-sqlite",
    needs: "sqlite3",
    prepare(folder) {
      write(folder, {
        "sales.csv": 'date,region,amount\n2026-01-03,North,10.50\n2026-01-20,South,4\n2026-02-01,"North, far",\n',
        "orders.csv": "id,n\n1,5\n1,6\n2,7\n",
      });
    },
    steps: [
      {
        from: "sh $DIR/scripts/load-csv.sh data.db sales.csv orders.csv",
        shows: [
          /== sales: 3 rows/u,
          /amount +(?:real,integer,null|[a-z,]+), empty 1, distinct 2/u,
          /== orders: 3 rows/u,
          /n +integer, empty 0, distinct 3, 5 \.\. 7/u,
        ],
      },
      {
        from: `sqlite3 -box data.db "select id, count(*) n from orders group by id having n > 1 limit 10"`,
        shows: [/│ 1 +│ 2 +│/u],
      },
      {
        from: `sqlite3 -box data.db "select strftime('%Y-%m', date) as month, round(sum(amount), 2) as total from sales group by month order by month"`,
        shows: [/2026-01 │ 14\.5/u],
      },
    ],
  },
  {
    skill: "security-audit",
    prepare(folder) {
      // Put together here, so that no scanner takes this file for a leak.
      const key = ["AKIA", "ABCDEFGHIJKLMNOP"].join("");
      repository(folder, [
        ["leak", { "config.js": `const key = "${key}";\n`, ".env": "A=1\n" }],
        [
          "hide it",
          {
            "config.js": "const key = process.env.KEY;\n",
            "app.js": 'const { exec } = require("child_process");\nexec("ls " + req.query.dir);\n',
          },
        ],
      ]);
    },
    steps: [
      {
        from: "sh $DIR/scripts/find-secrets.sh",
        shows: [/== files that should not be in git\n\.env/u, /commit \w+ \S+ Ann: config\.js: .*AKIA\*{8}/u],
      },
      {
        from: "sh $DIR/scripts/risky-code.sh",
        shows: [/== commands from text\napp\.js:1:/u, /done: read each place/u],
      },
    ],
  },
];
