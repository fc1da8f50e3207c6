import { once } from "../../base/async/once.ts";
import type { LoadedConfig } from "../../config/load.ts";
import type { SkillLibrary, NamedSkills } from "../../contracts/knowledge/skill.ts";
import type { ServedContent } from "../../contracts/mcp/served.ts";
import { contextFiles } from "../../kernel/prompt/context-files.ts";
import { localFolder } from "../../kernel/prompt/context-folder.ts";
import type { SecretRedactor } from "../../safety/secrets.ts";
import { createJudge } from "../prompt/judge-text.ts";

export interface ServedKnowledgeDeps {
  readonly cwd: string;
  readonly named: NamedSkills;
  library(): Promise<SkillLibrary>;
  readonly redactor: SecretRedactor;
}

/** Skills as prompts and resources, and the project's rules for agents as resources. */
export function servedKnowledge(
  config: LoadedConfig,
  { cwd, named, library, redactor }: ServedKnowledgeDeps,
): (signal: AbortSignal) => Promise<readonly ServedContent[]> {
  const judge = createJudge(config.home.path);
  const opened = once(library);
  return async (signal) => {
    const { skills } = await (await opened()).list({}, signal);
    const real = await localFolder.real(cwd);
    const isLocal = config.values.terminal.backend === "local";
    const options = { cwd: real, root: real, maxChars: maxContextChars, judge };
    const { files } = isLocal ? await contextFiles(localFolder, options) : { files: [] };
    return [
      {
        name: "skills",
        resources: skills.map(({ name, description }) => ({
          uri: `skill://${name}`,
          name,
          description,
          mimeType: "text/markdown",
          async read(_uri, _variables, until) {
            const page = await (await opened()).view(name, undefined, until);
            if (!page.ok) throw new Error(page.error.message);
            return { text: redactor.redact(page.value.content, { kind: "file" }) };
          },
          // A view counts as use of the skill.
          async version(until) {
            const source = await (await opened()).source(name, undefined, until);
            return source.ok ? source.value.text : "";
          },
        })),
        prompts: skills.map(({ name, description }) => ({
          name,
          description,
          arguments: [{ name: "request", description: "What to do with the skill", isRequired: false }],
          async get({ request = "" }, until) {
            const used = await named.use(name, request, until);
            if (!used.ok) throw new Error(used.error.message);
            return [{ role: "user", content: { type: "text", text: used.value } }];
          },
        })),
      },
      {
        name: "context files",
        resources: files.map(({ path, text }) => ({
          uri: `context:///${path}`,
          name: path,
          description: "Rules of this project for agents",
          mimeType: "text/markdown",
          read: async () => ({ text: redactor.redact(text, { kind: "file" }) }),
        })),
      },
    ];
  };
}

const maxContextChars = 100_000;
