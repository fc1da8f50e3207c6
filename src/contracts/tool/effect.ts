import type { CommandAnalysis } from "../safety/command-analysis.ts";
import type { BrowserFacts, PageTarget } from "../web/browser.ts";

/**
 * Effects of a call on files, network and processes, as plain data. A tool declares effects; the dispatch step
 * `resolve` resolves paths and analyses commands. Policy, checkpoints, batching, ledger and audit use only resolved
 * effects.
 */
export type Effect =
  /** `isGranted`: a person explicitly allowed a plugin to use this path, and its sandbox shows no other path. */
  | { readonly kind: "read" | "write" | "delete"; readonly path: string; readonly isGranted?: boolean }
  | { readonly kind: "move"; readonly from: string; readonly to: string }
  | {
      readonly kind: "exec";
      readonly command: string;
      readonly cwd: string;
      readonly background: boolean;
      /** Set by the command analysis; a value from the tool is ignored. */
      readonly leavesNoTrace?: boolean;
      /** True if the caller requests to run the command outside the sandbox, which only a person can allow. */
      readonly outside?: boolean;
    }
  /** Acts on a background process. `text`: input typed into it, which the process may run as a command. */
  | {
      readonly kind: "process";
      readonly id: string;
      readonly action: "kill" | "type" | "close";
      readonly text?: string;
    }
  /**
   * `sends`: the request carries data of the session, in a body or as a file. `isGranted`: a person granted a plugin this
   * host by name, and a proxy lets it reach no other; `*` in the host stands for any name. `isPage`: it happens on the
   * page that the browser of the session shows. `isService`: the settings chose the server, which may be in a private network.
   */
  | {
      readonly kind: "network";
      readonly url: string;
      readonly sends?: boolean;
      readonly isGranted?: boolean;
      readonly isPage?: boolean;
      readonly isService?: boolean;
    }
  | { readonly kind: "message"; readonly target: string }
  | { readonly kind: "state"; readonly store: "memory" | "skill" | "schedule" | "config" }
  | { readonly kind: "spawn"; readonly agent: string }
  /** An MCP server, or the tool of this name, uses models at the person's cost. */
  | { readonly kind: "sample"; readonly server: string }
  /**
   * Unknown effects: MCP tools and plugins that declare none. `isAskedEachTime`: no rule and no grant can replace the
   * question.
   */
  | { readonly kind: "opaque"; readonly isAskedEachTime?: boolean };

/** `analysis` and `places` exist only while the call runs and are never stored: `plainEffects` removes them. */
export type ResolvedEffect =
  | Exclude<Effect, { readonly kind: "exec" }>
  | (Extract<Effect, { readonly kind: "exec" }> & {
      readonly analysis?: CommandAnalysis;
      /**
       * The paths on this machine that a command with known effects changes. Symbolic links were resolved at the time
       * of the analysis.
       */
      readonly places?: readonly ChangedPlace[];
    });

export interface ChangedPlace {
  /** The absolute path as the command spells it. */
  readonly path: string;
  /** The real path of the folder, followed by the file name. */
  readonly entry: string;
  /** The target of the path, if it is a symbolic link. */
  readonly target: string;
  /** True if only the content of the folder changes, not the folder itself. */
  readonly isContent: boolean;
}

/** The effects as plain data, for storing or sending. */
export function plainEffects(effects: readonly ResolvedEffect[]): readonly Effect[] {
  return effects.map((effect) => {
    if (effect.kind !== "exec") return effect;
    const { analysis: _, places: __, ...plain } = effect;
    return plain;
  });
}

/** A short description of an effect, for a person. */
export function describeEffect(effect: Effect): string {
  switch (effect.kind) {
    case "read":
      return `reads ${effect.path}`;
    case "write":
      return `writes ${effect.path}`;
    case "delete":
      return `deletes ${effect.path}`;
    case "move":
      return `moves ${effect.from} to ${effect.to}`;
    case "exec":
      return `runs ${effect.command}`;
    case "process":
      return processWords[effect.action](effect.id, effect.text ?? "");
    case "network":
      return `connects to ${effect.url}`;
    case "message":
      return `sends a message to ${effect.target}`;
    case "state":
      return `changes the ${effect.store} store`;
    case "spawn":
      return `starts the agent ${effect.agent}`;
    case "sample":
      return "asks models, at your cost";
    case "opaque":
      return "does something it does not declare";
  }
}

const processWords = {
  kill: (id: string) => `ends the process ${id}`,
  type: (id: string, text: string) => `types ${JSON.stringify(text)} into the process ${id}`,
  close: (id: string) => `closes the input of the process ${id}`,
};

/** Where a call will run, for tools whose effects depend on it. */
export interface Place {
  readonly cwd: string;
  readonly backend: string;
  /** The real path of the project folder. Undefined: there is none. */
  readonly workspace?: string;
  /** True if commands that no person approved run in a sandbox. */
  readonly isolated?: boolean;
  /** The start time of the session: files that changed later count as its own. Undefined: there is no session. */
  readonly sessionStartedAt?: number;
  /** Why no sandbox is available, although the settings request one. */
  readonly unconfined?: string;
  /** Why scripts of `execute_code`, which run on this machine, cannot be sandboxed. Undefined if they can be. */
  readonly unconfinedScripts?: () => Promise<string | undefined>;
  /** The current page in the browser of the session. Does not start a browser. Undefined: there is none. */
  readonly openPage?: (target?: PageTarget) => Promise<BrowserFacts>;
  /** The servers that the configured service of a feature would use. Sends no data of the call. */
  readonly serviceTargets?: (feature: ServiceFeature, provider?: string) => Promise<readonly ServiceTarget[]>;
}

/** Features whose service is chosen in the settings. */
export type ServiceFeature = "search" | "image" | "video" | "speech";

/** `isGranted`: a person explicitly allowed a plugin to use this host. */
export interface ServiceTarget {
  readonly url: string;
  readonly isGranted?: boolean;
}
