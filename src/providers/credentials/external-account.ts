import { existsSync } from "node:fs";
import { join } from "node:path";

import type { Lookup } from "../endpoint.ts";

/** Another program of the user that is signed in somewhere. */
export type ExternalProgram = "claude" | "gh" | "gcloud" | "az";

export interface ExternalAccount {
  /** How its tokens are got: `file` as of a Google account, `entra` as of a program that Azure knows, else by the lender. */
  readonly by: "file" | "entra" | Exclude<ExternalProgram, "gcloud">;
  /** What shows that somebody is signed in. */
  readonly file: string;
  /** For people. */
  readonly label: string;
}

/** Is somebody signed in with this program, as far as its files tell? Nothing is started or read. */
export function findExternalAccount(
  lender: ExternalProgram,
  env: Lookup,
  userFolder: string,
): ExternalAccount | undefined {
  const folderOf = (name: string, defaultPath: string) => env(name)?.trim() || join(userFolder, defaultPath);
  const places: Readonly<Record<ExternalProgram, ExternalAccount>> = {
    claude: {
      by: "claude",
      file: join(folderOf("CLAUDE_CONFIG_DIR", ".claude"), ".credentials.json"),
      label: "Claude Code",
    },
    gh: { by: "gh", file: join(folderOf("GH_CONFIG_DIR", ".config/gh"), "hosts.yml"), label: "gh auth token" },
    gcloud: {
      by: "file",
      file: join(folderOf("CLOUDSDK_CONFIG", ".config/gcloud"), "application_default_credentials.json"),
      label: "gcloud auth application-default",
    },
    az: { by: "az", file: join(folderOf("AZURE_CONFIG_DIR", ".azure"), "azureProfile.json"), label: "az login" },
  };
  const client = env("AZURE_CLIENT_ID")?.trim() ?? "";
  if (lender === "az" && client !== "" && env("AZURE_TENANT_ID")?.trim() && env("AZURE_CLIENT_SECRET"))
    return { by: "entra", file: client, label: "AZURE_CLIENT_ID" };
  const place = places[lender];
  return existsSync(place.file) ? place : undefined;
}
