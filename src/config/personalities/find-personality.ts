import { ownValue } from "../../base/json.ts";
import type { LoadedConfig } from "../load.ts";
import { builtinPersonalities } from "./builtin-personalities.ts";

export interface NamedPersonality {
  readonly name: string;
  readonly text: string;
  readonly isOwn: boolean;
}

/** The built-in personalities and those of `agent.personalities`, which win on a name clash. */
export function listPersonalities({ values }: Pick<LoadedConfig, "values">): readonly NamedPersonality[] {
  const own = Object.entries(values.agent.personalities)
    .filter(([name]) => /^[\w-]{1,64}$/u.test(name))
    .map(([name, parts]) => ({
      name: name.toLowerCase(),
      text: textOf(parts),
      isOwn: true,
    }));
  const builtin = Object.keys(builtinPersonalities)
    .filter((name) => !own.some((each) => each.name === name))
    .map((name) => ({ name, text: ownValue(builtinPersonalities, name) ?? "", isOwn: false }));
  return [...builtin, ...own];
}

export function findPersonality(name: string, config: Pick<LoadedConfig, "values">): NamedPersonality | undefined {
  const requested = name.trim().toLowerCase();
  return listPersonalities(config).find((each) => each.name === requested);
}

type Parts = LoadedConfig["values"]["agent"]["personalities"][string];

function textOf({ system_prompt, tone, style }: Parts): string {
  return [system_prompt, ...(tone === "" ? [] : [`Tone: ${tone}`]), ...(style === "" ? [] : [`Style: ${style}`])]
    .filter((line) => line !== "")
    .join("\n");
}
