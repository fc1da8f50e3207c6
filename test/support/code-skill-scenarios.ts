import { git, repository, type SkillScenario, write } from "./skill-scenario.ts";

/** Scenarios of skills about writing and changing code. */
export const codeSkillScenarios: readonly SkillScenario[] = [
  {
    skill: "merge-conflicts",
    prepare(folder) {
      repository(folder, [["base", { "price.txt": "one\ntwo\n", "gone.txt": "1\n" }]]);
      git(folder, "switch", "-q", "-c", "side");
      write(folder, { "price.txt": "one\nzwei\n" });
      git(folder, "rm", "-q", "gone.txt");
      git(folder, "commit", "-q", "-a", "-m", "price in German");
      git(folder, "switch", "-q", "main");
      write(folder, { "price.txt": "one\ndeux\n", "gone.txt": "2\n" });
      git(folder, "commit", "-q", "-a", "-m", "price in French");
      try {
        git(folder, "merge", "side");
      } catch {
        // The conflict is the subject of the scenario.
      }
    },
    steps: [
      {
        from: "sh $DIR/scripts/conflicts.sh",
        shows: [
          /operation: merge/u,
          /files in conflict: 2/u,
          /== gone\.txt: changed by ours, deleted by theirs/u,
          /== price\.txt: both changed, places: 1\n +ours +\w+ Ann: price in French\n +theirs \w+ Ann: price in German/u,
        ],
      },
      { from: "git show :1:FILE", with: "git show :1:price.txt", shows: [/^two$/mu] },
      {
        from: "sh $DIR/scripts/check-resolved.sh",
        with: "git add price.txt && sh $DIR/scripts/check-resolved.sh",
        shows: [/not resolved[^]*gone\.txt/u, /markers left:\n +price\.txt:2:<<<<<<< HEAD/u],
        fails: true,
      },
      {
        from: "git merge --continue",
        with: "printf 'one\\ndeux, zwei\\n' > price.txt && git rm -q gone.txt && git add -A && sh $DIR/scripts/check-resolved.sh && git -c user.name=Ann -c user.email=a@example.org -c core.editor=true merge --continue",
        shows: [/resolved: no file in conflict/u, /Merge branch 'side'/u],
      },
    ],
  },
  {
    skill: "refactor-safely",
    prepare(folder) {
      write(folder, {
        "sum.sh": 'echo $(($1 + $2))\n[ "$1" -ge 0 ] || echo "negative" >&2\n',
        "cases.txt": "# usual, edge, error\nsh sum.sh 1 2\nsh sum.sh -1 1\nfalse\n",
        "unstable.txt": "date +%N; echo $$\n",
      });
    },
    steps: [
      {
        from: "sh $DIR/scripts/record.sh cases.txt before",
        with: "sh $DIR/scripts/record.sh cases.txt before && cat before/0002",
        shows: [/recorded 3 cases in before, unstable: 0/u, /^0$/mu, /-- standard error\nnegative/u],
      },
      {
        from: "It runs everything",
        with: "sh $DIR/scripts/record.sh unstable.txt other",
        shows: [/differs from run to run: \$ date/u],
        fails: true,
      },
      {
        from: "sh $DIR/scripts/compare.sh cases.txt before",
        with: `printf 'a=$1; b=$2\\necho $((a + b))\\n[ "$a" -ge 0 ] || echo "negative" >&2\\n' > sum.sh; sh $DIR/scripts/compare.sh cases.txt before`,
        shows: [/no difference in 3 cases/u],
      },
      {
        from: "Exit code 0 means that nothing changed",
        with: `printf 'echo $(($1 - $2))\\n' > sum.sh; sh $DIR/scripts/compare.sh cases.txt before`,
        shows: [/^-3$/mu, /^\+-1$/mu, /the behaviour changed/u],
        fails: true,
      },
    ],
  },
  {
    skill: "write-tests",
    needs: "node",
    prepare(folder) {
      write(folder, {
        "src/price.mjs":
          "export function discount(total, member) {\n  if (total > 100 && member) return total - 10;\n  return total;\n}\nexport function forgotten() {}\n",
        "test/price.test.mjs":
          'import { discount } from "../src/price.mjs";\nif (discount(200, true) !== 190 || discount(200, false) !== 200 || discount(50, true) !== 50) process.exit(1);\n',
      });
    },
    steps: [
      { from: "sh $DIR/scripts/untested.sh src test", shows: [/^forgotten {2}src\/price\.mjs \(5 lines\)\n*$/u] },
      {
        from: "sh $DIR/scripts/mutate.sh FILE 20 <test command>",
        with: "sh $DIR/scripts/mutate.sh src/price.mjs 20 $NODE test/price.test.mjs",
        shows: [/survivor: src\/price\.mjs:2: > -> >= \n/u, /changes, 1 survivors/u],
        fails: true,
      },
      {
        from: "write the test that catches it",
        with: "echo 'if (discount(100, true) !== 100) process.exit(1);' >> test/price.test.mjs; sh $DIR/scripts/mutate.sh src/price.mjs 20 $NODE test/price.test.mjs && grep -c 'total > 100 && member' src/price.mjs",
        shows: [/changes, 0 survivors\n1/u],
      },
    ],
  },
  {
    skill: "shell-script",
    prepare(folder) {
      write(folder, {
        "bad.sh": "#!/bin/sh\ncd /srv/data\nrm -rf $DIR/*\nfor f in $(ls); do echo x; done\n[[ -f y ]] && echo y\n",
        "a b": "text\n",
      });
    },
    steps: [
      {
        from: "cp $DIR/templates/script.sh NAME.sh",
        with: "cp $DIR/templates/script.sh copy.sh && sh copy.sh -n 'a b' out && sh copy.sh 'a b' out && cat out",
        shows: [/would copy a b to out/u, /wrote out/u, /^text$/mu],
      },
      {
        from: "Run it with: no argument",
        with: "sh copy.sh",
        shows: [/usage: copy\.sh \[-n\] SOURCE TARGET/u],
        fails: true,
      },
      {
        from: "sh $DIR/scripts/check-script.sh FILE...",
        with: "sh $DIR/scripts/check-script.sh copy.sh && sh $DIR/scripts/check-script.sh bad.sh",
        shows: [
          /0 places in 1 files/u,
          /bad\.sh:1: no set -e/u,
          /bad\.sh:2: cd without a check/u,
          /bad\.sh:3: deletes below a variable that may be empty/u,
          /bad\.sh:4: loop over ls/u,
          /bad\.sh:5: Bash in a sh script/u,
        ],
        fails: true,
      },
    ],
  },
  {
    skill: "python-environment",
    needs: "python3",
    prepare(folder) {
      write(folder, {
        "main.py": "import os\nimport yaml\nimport requests.adapters\nimport helper\nfrom . import sibling\n",
        "helper.py": "",
        "requirements.txt": "PyYAML>=6  # reads settings\nflask==3.0\n",
        "pyproject.toml":
          '[project]\nname = "x"\nrequires-python = ">=3.99"\ndependencies = [\n  "rich[all]>=1",\n]\n\n[project.optional-dependencies]\ndev = ["pytest"]\n',
      });
    },
    steps: [
      {
        from: "python3 $DIR/scripts/environment.py",
        shows: [
          /python: \S+python\S* 3\.\d+/u,
          /requires-python: >=3\.99/u,
          /declared in: pyproject\.toml, requirements\.txt/u,
          /! the project needs Python >=3\.99/u,
        ],
      },
      {
        from: "python3 $DIR/scripts/dependencies.py .",
        shows: [
          /imported and not declared: 1\n {2}requests \(main\.py:3\)/u,
          /declared and never imported: 3\n {2}flask\n {2}pytest\n {2}rich\n/u,
        ],
        fails: true,
      },
      {
        from: "imported and not declared (breaks\nelsewhere)",
        with: "echo requests >> requirements.txt; python3 $DIR/scripts/dependencies.py .",
        shows: [/imported and not declared: 0/u],
      },
    ],
  },
  {
    skill: "readme-and-docs",
    needs: "node",
    prepare(folder) {
      write(folder, {
        "README.md":
          "# The tool\n\n[start](#the-tool) [lost](#nowhere) [guide](docs/guide.md) [page](docs/none.md) [web](https://example.org)\n\n```sh\nnpm run build\nnpm run deploy\n[not a link](x.md)\n```\n\nSee `src/main.ts` and `src/gone.ts`.\n",
        "docs/guide.md": "# Guide\n\n[back](../README.md#the-tool)\n",
        "src/main.ts": "",
        "package.json": '{ "scripts": { "build": "tsc" } }\n',
      });
    },
    steps: [
      {
        from: "node $DIR/scripts/check-docs.mjs .",
        shows: [
          /README\.md:3: no such heading: #nowhere/u,
          /README\.md:3: no such file: docs\/none\.md/u,
          /README\.md:7: package\.json has no script deploy/u,
          /README\.md:11: no such path: src\/gone\.ts/u,
          /4 findings in 2 pages/u,
        ],
        fails: true,
      },
    ],
  },
];
