import { join } from "node:path";

import { words } from "../../base/text/words.ts";

/**
 * Returns the existing caches of package managers and compilers, without settings and without program folders in PATH.
 */
export function packageCaches(home: string, env: Readonly<Record<string, string | undefined>>): readonly string[] {
  const cargo = env["CARGO_HOME"] ?? join(home, ".cargo");
  const gradle = env["GRADLE_USER_HOME"] ?? join(home, ".gradle");
  return [
    ...names.map((name) => join(home, name)),
    ...["registry", "git", ".package-cache", ".package-cache-mutate", ".global-cache"].map((name) => join(cargo, name)),
    ...gradleNames.map((name) => join(gradle, name)),
    ...(env["GOPATH"]?.split(":") ?? [join(home, "go")]).map((folder) => join(folder, "pkg")),
    ...variables.flatMap((name) => env[name] ?? []),
  ].filter((path) => path.startsWith("/"));
}

/** Caches below the home folder that a program creates at its first run. Creating them would fail in the sandbox. */
export const firstCaches: readonly { readonly program: string; readonly name: string }[] = [
  { program: "sh", name: ".cache" },
  { program: "npm", name: ".npm" },
  { program: "cargo", name: ".cargo/registry" },
  { program: "go", name: "go/pkg" },
  { program: "mvn", name: ".m2/repository" },
  { program: "pnpm", name: ".local/share/pnpm/store" },
];

const names: readonly string[] = words(`
  .cache .npm .node-gyp .pnpm-store .local/share/pnpm/store .local/state/pnpm .yarn/berry .yarn-cache
  .bun/install/cache .m2/repository .m2/wrapper .ivy2/cache .ivy2/local .sbt/boot .coursier .nuget/packages
  .local/share/NuGet .bundle/cache .composer/cache .pub-cache/hosted .cabal/packages .stack/pantry .conda/pkgs
  .local/share/uv/python .local/share/virtualenvs .terraform.d/plugin-cache .ccache .sccache .swiftpm/cache
  .cocoapods/repos
`);

const gradleNames: readonly string[] = words(
  "caches wrapper daemon native notifications workers jdks .tmp kotlin-profile",
);

/** Environment variables, each with the path of one cache. */
const variables: readonly string[] = words(`
  XDG_CACHE_HOME npm_config_cache NPM_CONFIG_CACHE YARN_CACHE_FOLDER PIP_CACHE_DIR UV_CACHE_DIR GOCACHE GOMODCACHE
  CCACHE_DIR SCCACHE_DIR DENO_DIR BUN_INSTALL_CACHE_DIR NUGET_PACKAGES COMPOSER_CACHE_DIR
`);
