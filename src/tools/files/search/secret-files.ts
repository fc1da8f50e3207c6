import { join } from "node:path";

import { isInside } from "../../../base/files/path.ts";
import type { FileFilter } from "./file-filter.ts";
import type { Root } from "./search.ts";

/**
 * Leaves out what nobody may read by its name: searching a folder around it would be a way in. A file that is named
 * itself has been judged. `homes`: of Hermes.
 */
export function withoutSecrets({ folder, file }: Root, homes: readonly string[]): FileFilter {
  const isSecret = (path: string) => {
    const whole = join(folder, path);
    const home = homes.find((each) => isInside(each, whole));
    return ofPeople.test(path) || (home !== undefined && ofHermes.test(whole.slice(home.length)));
  };
  return { takes: (path) => file !== undefined || !isSecret(path), namesHidden: false };
}

const ofPeople =
  /(?:^|\/)(?:\.env(?:\.(?:local|development|production|test|staging))?|\.envrc|\.netrc|\.pgpass|\.pypirc|\.git-credentials)$|(?:^|\/)(?:\.(?:ssh|aws|gnupg|kube|docker|azure)|\.config\/(?:gh|gcloud))\//u;

const ofHermes =
  /^(?:\/profiles\/[^/]+)?\/(?:auth\.|\.anthropic_oauth|webhook_subscriptions|credentials\.json|audit-head|cache\/bws_cache|(?:auth|mcp-tokens|skills\/\.hub|audit|approvals)\/)/u;
