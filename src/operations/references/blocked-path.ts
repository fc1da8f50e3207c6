import { basename, relative } from "node:path";

import { isInside } from "../../base/files/path.ts";

/**
 * The reason why a file must not be attached to a prompt: it holds keys or passwords, or is a shell profile. Undefined:
 * it may be attached. `path`: the real path. `homes`: folders of the user and of Hermes.
 */
export function blockedPath(path: string, homes: readonly string[]): string | undefined {
  if (keyFolders.test(path)) return "it is in a folder of keys";
  const name = basename(path);
  if (passwordFiles.test(name)) return "it contains passwords or keys";
  const below = homes.filter((home) => isInside(home, path)).map((home) => relative(home, path));
  if (below.some((each) => homeFiles.test(each))) return "it is a profile of your shell or a file of secrets";
  return below.some((each) => hermesFiles.test(each)) ? "Hermes keeps secrets in it" : undefined;
}

const keyFolders = /(?:^|\/)\.(?:ssh|aws|gnupg|kube)(?:\/|$)|(?:^|\/)skills\/\.hub(?:\/|$)/u;
const passwordFiles =
  /^(?:\.netrc|_netrc|\.pgpass|\.npmrc|\.pypirc|\.git-credentials|authorized_keys|id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?|\.env(?:\.(?:local|development|production|test|staging))?|\.envrc)$/u;
const homeFiles =
  /^(?:\.(?:bashrc|bash_profile|bash_login|bash_logout|bash_aliases|profile|zshrc|zshenv|zprofile|zlogin|zlogout|kshrc|cshrc|tcshrc|login|inputrc)|\.config\/fish\/.*|\.(?:docker|azure)\/.*|\.config\/(?:gh|gcloud)\/.*)$/u;
const hermesFiles =
  /^(?:profiles\/[^/]+\/)?(?:auth\.|\.anthropic_oauth|credentials\.json|audit-head|cache\/bws_cache|(?:auth|mcp-tokens|audit|approvals)\/)/u;
