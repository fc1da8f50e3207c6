import { readdirSync, realpathSync, statSync } from "node:fs";
import { basename, join } from "node:path";

import { codeOf, describeFault } from "../../base/files/file-fault.ts";
import { readFileBeneath } from "../../base/files/open-beneath.ts";
import { isInside } from "../../base/files/path.ts";
import { quoteForShellIfNeeded } from "../../base/text/shell-quote.ts";
import type { AgentDefinition } from "../../contracts/session/agents.ts";
import { maxAgentFileBytes, readAgentText } from "./agent-text.ts";

/** A folder with agent files. A file must not leave the folder `within` through a link. */
export interface AgentFolder {
  readonly path: string;
  readonly source: AgentDefinition["source"];
  readonly within?: string;
}

export interface AgentProblem {
  readonly path: string;
  readonly message: string;
  /** The file is not offered as an agent. */
  readonly isUnusable: boolean;
}

export interface AgentFiles {
  /** Agents by name, in the order of the folders; the first file with a name wins. */
  readonly agents: readonly AgentDefinition[];
  readonly problems: readonly AgentProblem[];
}

export interface AgentFilesOptions {
  /** Returns why the text of a file must not be used as a prompt; undefined if it may be used. */
  readonly judge: (text: string) => Promise<string | undefined>;
  /** Returns why the agent cannot use the model that its file names. */
  readonly modelFault: (model: string, source: AgentDefinition["source"]) => string | undefined;
}

const maxFiles = 200;

/** Reads the agents of several folders. A faulty file does not affect the others. */
export async function readAgentFiles(folders: readonly AgentFolder[], options: AgentFilesOptions): Promise<AgentFiles> {
  const agents = new Map<string, AgentDefinition>();
  const problems: AgentProblem[] = [];
  for (const folder of folders) {
    const names = agentFileNames(folder.path);
    const left = names.length - maxFiles;
    if (left > 0) problems.push({ path: folder.path, message: `${left} more files are not read.`, isUnusable: true });
    for (const name of names.slice(0, maxFiles)) {
      const path = join(folder.path, name);
      const { agent, messages } = await readAgentFile(path, folder, options);
      const earlier = agent && agents.get(agent.name);
      const isUnusable = agent === undefined;
      problems.push(...messages.map((message) => ({ path, message, isUnusable })));
      if (!agent) continue;
      if (!earlier) agents.set(agent.name, agent);
      else if (earlier.source === agent.source)
        problems.push({ path, message: `${earlier.path} has the same name and is used instead.`, isUnusable: true });
    }
  }
  return { agents: [...agents.values()], problems };
}

async function readAgentFile(
  path: string,
  folder: AgentFolder,
  { judge, modelFault }: AgentFilesOptions,
): Promise<{ readonly agent?: AgentDefinition; readonly messages: readonly string[] }> {
  const text = textAt(path, folder);
  if ("fault" in text) return { messages: [text.fault] };
  const read = readAgentText(text.text, basename(path, ".md"));
  if (!read.agent) return { messages: read.problems };
  const { source } = folder;
  const why = source === "bundled" ? undefined : await judge(text.text.replace(/^\uFEFF/u, "").trim());
  if (why !== undefined)
    return {
      messages: [`It is not offered: ${why}. If the file is fine: hermes trust ${quoteForShellIfNeeded(path)}`],
    };
  const { model, ...agent } = read.agent;
  const fault = model === undefined ? undefined : modelFault(model, source);
  return {
    agent: { ...agent, ...(model !== undefined && fault === undefined && { model }), source, path },
    messages: [...read.problems, ...(fault === undefined ? [] : [fault])],
  };
}

/** A link may point to any file of this machine, and its text would be sent to the provider. */
function textAt(path: string, { within }: AgentFolder): { readonly text: string } | { readonly fault: string } {
  try {
    const real = realpathSync(path);
    if (within !== undefined && !isInside(realpathSync(within), real))
      return { fault: `It is a link out of the project, to ${real}.` };
    if (!real.endsWith(".md")) return { fault: `It is a link to ${real}, which is not a Markdown file.` };
    const stat = statSync(real);
    if (!stat.isFile()) return { fault: "It is not a file." };
    if (stat.size > maxAgentFileBytes)
      return { fault: `It has ${stat.size} bytes; an agent file has at most ${maxAgentFileBytes}.` };
    const { bytes } = readFileBeneath(real);
    if (bytes.includes(0)) return { fault: "It is not text." };
    return { text: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8") };
  } catch (thrown) {
    return {
      fault: `It cannot be read: ${codeOf(thrown) === "ENOENT" ? "a broken link" : describeFault(thrown, path).message}.`,
    };
  }
}

/** The agent files in a folder, sorted; empty if the folder is missing. */
export function agentFileNames(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith(".md") && !/^(?:readme|\.)/iu.test(name))
      .toSorted();
  } catch {
    return [];
  }
}
