import { posix } from "node:path";

import { isInside } from "../../../base/files/path.ts";
import { words } from "../../../base/text/words.ts";
import { readOptions } from "../../command/programs/options.ts";
import { hole } from "../../command/shell/field.ts";
import type { SimpleCommand } from "../../command/shell/simple-command.ts";
import type { ProjectFiles } from "./build-output.ts";

/** Returns the programs that a package manager installs, by the names of their packages. */
export function installedPrograms({ argv }: SimpleCommand, name: string): readonly string[] {
  const verb = installers.get(name);
  const index = argv.findIndex(({ text }) => verb?.test(text));
  if (index < 0) return [];
  const { operands, has } = readOptions(argv.slice(index + 1), {
    short: "rcepCi",
    long: words("requirement git branch tag version features index-url prefix target"),
  });
  if (has("path", "e", "editable")) return [];
  return operands
    .filter(({ text }) => !/^[./]/u.test(text) && (name !== "go" || text.includes("@")))
    .map(({ text }) => posix.basename(text.replace(/(?<=.)[@=<>~![][^/]*$/u, "").replace(/\/v\d+$/u, "")))
    .filter((program) => !wellKnown.has(program));
}

const installers: ReadonlyMap<string, RegExp> = new Map([
  ...words("go cargo pip pipx uv gem brew conda mamba dotnet").map((name): [string, RegExp] => [name, /^install$/u]),
  ...words("npm pnpm yarn bun").map((name): [string, RegExp] => [name, /^(?:install|i|add)$/u]),
]);

/** Returns the package that a command installs by name, unless it is a common one. */
export function namedPackage({ argv }: SimpleCommand, program: string): string | undefined {
  const verb = adders.get(program);
  const index = argv.findIndex(({ text }, place) => place > 0 && place < 5 && verb?.test(text));
  if (index < 0) return undefined;
  const { operands } = readOptions(argv.slice(index + 1), packageOptions);
  // The first operand of helm is the name of the release.
  return operands
    .slice(program === "helm" ? 1 : 0)
    .map(({ text }) => text)
    .find((text) => !isLocal(text) && !isCommonPackage(text.replace(/[=<>~![].*$/su, "")));
}

/** A file or a folder of the project, or a part of the toolchain. */
function isLocal(text: string): boolean {
  return /^\.{0,2}(?:\/|$)|^\.\[|^\.\.?$|^\.\/|^file:|^workspace:|\.(?:txt|toml|lock)$/u.test(text);
}

const packageOptions = {
  short: "rcepCiwtnf",
  long: words(
    "requirement requirements constraint features index-url extra-index-url find-links registry prefix target workspace filter group python version file name platform",
  ),
};

const adders: ReadonlyMap<string, RegExp> = new Map([
  ...words("npm pnpm yarn bun").map((name): [string, RegExp] => [
    name,
    /^(?:install|i|add|in|ins|isntall|link|ln|it)$/u,
  ]),
  ...words(
    "pip pipx uv poetry pdm hatch rye pipenv conda mamba micromamba gem brew port apt-get dnf apk zypper snap flatpak choco winget scoop yum cargo mix nimble opam luarocks cpanm dart flutter expo asdf mise vcpkg",
  ).map((name): [string, RegExp] => [name, /^(?:install|add|inject|require)$/u]),
  ["go", /^(?:get|install)$/u],
  ["helm", /^(?:install|upgrade)$/u],
  ["composer", /^(?:require|create-project)$/u],
  ["dotnet", /^package$/u],
]);

/** Handles `python -m name`. */
export function moduleOf({ argv }: SimpleCommand, name: string): string | undefined {
  return name === "python" ? argv.find((_, index) => argv[index - 1]?.text === "-m")?.text : undefined;
}

/** Returns the package or program that a runner downloads if it is missing. */
export function fetchedTool({ argv }: SimpleCommand, name: string): string | undefined {
  const args = argv.slice(1);
  const direct = /^(?:npx|bunx|pnpx|uvx)$/u.test(name);
  const index = args.findIndex(({ text }) => verbsOf.get(name)?.test(text));
  const isTemplate = /^(?:create|init)$/u.test(args[index]?.text ?? "");
  if (!direct && index < 0) return undefined;
  const { operands, value } = readOptions(args.slice(direct ? 0 : index + 1), {
    short: "pcw",
    long: ["package", "from", "with", "workspace", "call"],
    isPrefix: true,
  });
  const tool = (value("p", "package", "from") ?? operands[0])?.text;
  if (tool === undefined || value("c", "call") !== undefined) return undefined;
  if (isTemplate && args[index]?.text === "init" && /^[.-]/u.test(tool)) return undefined;
  if (isTemplate) return isTemplateName.test(tool) ? `create-${tool}` : tool;
  if (name === "go") return tool.includes("@") && !tool.startsWith("golang.org/") ? tool : undefined;
  // Without an option or `tool`, it runs a program of the project.
  if (name === "uv") return args[index - 1]?.text === "tool" ? tool : value("with", "from")?.text;
  if (name === "deno") return /^(?:npm|jsr|https?):/u.test(tool) ? tool : undefined;
  if (name === "nix") return tool.startsWith("nixpkgs#") ? undefined : tool;
  return tool;
}

const verbsOf: ReadonlyMap<string, RegExp> = new Map([
  ["npm", /^(?:exec|x|create|init)$/u],
  ["pnpm", /^(?:dlx|create)$/u],
  ["yarn", /^(?:dlx|create)$/u],
  ["bun", /^(?:x|create)$/u],
  ["uv", /^run$/u],
  ["dub", /^run$/u],
  ["pipx", /^run$/u],
  ["deno", /^(?:run|test|bench|serve)$/u],
  ["go", /^run$/u],
  ["nix", /^(?:run|shell)$/u],
]);

/** The rest of a name, as in `npm create vite`. */
const isTemplateName = /^[a-z][\w-]*(?:@\S+)?$/u;

/** The program is installed in the project, or is a common tool that is downloaded by this name. */
export async function isInstalled(
  tool: string,
  { cwd }: SimpleCommand,
  workspace: string,
  project: ProjectFiles | undefined,
): Promise<boolean> {
  if (isCommonTool(tool)) return true;
  const name = withoutVersion(tool);
  const folders = isInside(workspace, cwd) ? [cwd, workspace] : [cwd];
  for (const folder of project && !cwd.includes(hole) ? folders : []) {
    const file = posix.join(folder, "node_modules/.bin", posix.basename(name));
    if (project && !(await project.isMissing(file))) return true;
  }
  return false;
}

/** Returns whether a package is a common tool, or a template of a common framework. */
export function isCommonTool(tool: string): boolean {
  const name = withoutVersion(tool);
  return (
    wellKnown.has(name) ||
    commonModule.test(name) ||
    commonScope.test(name) ||
    templates.has(name.replace(/^create-/u, ""))
  );
}

function isCommonPackage(name: string): boolean {
  return commonPackages.has(withoutVersion(name)) || isCommonTool(name);
}

function withoutVersion(tool: string): string {
  return tool.replace(/(?<=.)@[^/]*$/u, "");
}

const commonModule =
  /^(?:golang\.org\/x\/|google\.golang\.org\/|github\.com\/(?:golang|go-delve|golangci|air-verse|golang-migrate|google|kubernetes-sigs|vektra|onsi|swaggo|a-h)\/)/u;

const commonScope = /^@(?:types|angular|vue|nestjs|storybook|playwright|biomejs)\//u;

/** Packages that very many projects use. */
const commonPackages: ReadonlySet<string> = new Set(
  words(`
  express react react-dom vue svelte zod axios lodash dotenv cors uuid next fastify koa hono pg mysql2 mongoose redis ws
  jsonwebtoken bcrypt chalk commander yargs date-fns dayjs shx @testing-library/react @testing-library/jest-dom
  @types/node requests numpy pandas scipy matplotlib scikit-learn torch torchvision transformers django flask fastapi
  uvicorn gunicorn sqlalchemy pydantic httpx aiohttp click rich pip setuptools wheel virtualenv jupyter pillow boto3
  psycopg2-binary celery redis pyyaml beautifulsoup4 lxml openai anthropic serde serde_json tokio clap anyhow thiserror
  reqwest rand regex tracing axum github.com/gin-gonic/gin github.com/stretchr/testify github.com/spf13/cobra
  guzzlehttp/guzzle monolog/monolog symfony/console phpunit/phpunit rspec puma pg sidekiq Newtonsoft.Json
  jq curl wget git gcc g++ make cmake ninja ninja-build build-essential pkg-config python3 python3-pip python3-venv nodejs
  npm unzip zip vim nano tmux htop tree ca-certificates openssh-client postgresql-client sqlite3 libssl-dev llvm clang
  shellcheck gh go rust node python golang openssl gnupg rsync
`),
);

/** Templates for `npx create-NAME` and `npm create NAME`. */
const templates: ReadonlySet<string> = new Set(
  words(`
  vite next-app react-app vue svelte astro nuxt remix expo expo-app t3-app solid preact electron-vite strapi-app docusaurus
  turbo react-router tauri-app hono payload-app medusa-app react-native-app nx-workspace gatsby vitepress storybook
  playwright eslint rspack lit elysia qwik angular redwood-app nest-app fastify
`),
);

const wellKnown: ReadonlySet<string> = new Set(
  words(`
  tsc typescript ts-node tsx eslint prettier jest vitest mocha webpack vite rollup esbuild next nuxt astro gatsby expo
  react-scripts react-native ng vue playwright cypress storybook sb husky lint-staged commitlint changeset lerna nx turbo
  prisma drizzle-kit typeorm knex sequelize-cli tailwindcss postcss sass serve http-server live-server json-server nodemon
  concurrently rimraf npm-check-updates ncu depcheck madge knip degit serverless sst wrangler vercel netlify firebase-tools
  semantic-release release-it standard xo rome biome c8 nyc tap ava swc babel pkg node-gyp license-checker markdownlint
  markdownlint-cli markdownlint-cli2 cspell black ruff flake8 mypy isort pytest tox nox poetry pre-commit httpie cookiecutter
  pyright sphinx-build mkdocs twine build uv pip setuptools wheel pnpm yarn npm corepack bundler rails rake ripgrep fd-find bat eza sd just
  cargo-edit cargo-watch cargo-nextest cargo-audit cargo-deny cargo-llvm-cov wasm-pack trunk gopls dlv staticcheck
  golangci-lint goimports degit tiged air mockgen stringer govulncheck vercel @anthropic-ai/claude-code @openai/codex pm2
`),
);
