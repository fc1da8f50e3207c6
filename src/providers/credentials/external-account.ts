import { existsSync } from "node:fs";
import { join } from "node:path";

import type { Lookup } from "../endpoint.ts";

/** A program on this machine whose sign-in Hermes can use. */
export type ExternalProgram = "claude" | "gh" | "gcloud" | "az";

export interface ExternalAccount {
  /**
   * The source of the tokens: `file` is a Google account file, `entra` is an Entra ID app; otherwise the program
   * itself.
   */
  readonly by: "file" | "entra" | Exclude<ExternalProgram, "gcloud">;
  /** The file whose existence shows that the program is signed in. */
  readonly file: string;
  /** A label for the user. */
  readonly label: string;
}

/**
 * Returns whether the program is signed in, judged by the existence of its files. Neither starts the program nor reads
 * the files.
 */
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
