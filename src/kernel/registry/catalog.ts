import { abortable } from "../../base/async/abort.ts";
import { reasonOf } from "../../base/result.ts";
import { byName, byText } from "../../base/text/order.ts";
import { oneLine, plural } from "../../base/text/text.ts";
import { bridgeTools, isBridge } from "../../contracts/tool/bridge-tools.ts";
import type {
  Availability,
  Catalog,
  CatalogOptions,
  LateTools,
  RegisteredTool,
  SettingNames,
} from "../../contracts/tool/registry.ts";
import type { Tool } from "../../contracts/tool/tool.ts";
import type { ToolSelection } from "../../contracts/tool/toolset.ts";
import { directTools } from "./direct-tools.ts";
import { describeScripts, scriptTools } from "./script-tools.ts";
import { createDeferred, createToolIndex, type DeferredTools } from "./search/deferred-tools.ts";
import { listDeferred } from "./search/listing.ts";
import { followRegistry, viewOf } from "./search/live-deferred.ts";
import { currentNames, select, type Selected } from "./selection.ts";
import { definitionOf, showTool } from "./shown-tool.ts";
import { toolAs } from "./tool-as.ts";
import { mayBeLate, type ToolsetWorld } from "./toolsets.ts";

/** Access to the current registry, for building catalogs. */
export interface CatalogSource {
  readonly generation: number;
  world(): ToolsetWorld;
  /** Registers the tools that are loaded only when they are needed. */
  loadLate(): void;
  /** Returns why no tool with this name is registered, although servers offer one. */
  refusal(name: string): string | undefined;
}

export type BuildCatalog = (
  selection: ToolSelection,
  available: Availability,
  options: CatalogOptions,
) => Promise<Catalog>;

/** Builds catalogs. Returns the previous catalog while its inputs are unchanged. */
export function createCatalogs(source: CatalogSource): BuildCatalog {
  const built = new WeakMap<Availability, Map<string, Build>>();
  return async (selection, available, options) => {
    options.signal.throwIfAborted();
    const key = JSON.stringify([selection, options.search, options.settings, options.agents]);
    const builds = built.get(available) ?? new Map<string, Build>();
    built.set(available, builds);
    const last = builds.get(key);
    const plan = last?.plan.generation === source.generation ? last.plan : planOf(source, selection, options);
    const answers = await abortable(
      Promise.all(plan.candidates.map(({ tool }) => available.missing(tool))),
      options.signal,
    );
    if (last && plan === last.plan && answers.every((answer, index) => answer === last.answers[index]))
      return last.catalog;
    const catalog = await freeze(source, plan, answers, available, options);
    builds.delete(key);
    builds.set(key, { plan, answers, catalog });
    for (const oldest of builds.keys()) {
      if (builds.size <= maxBuilds) break;
      builds.delete(oldest);
    }
    return catalog;
  };
}

interface Build {
  readonly plan: Plan;
  readonly answers: readonly (string | undefined)[];
  readonly catalog: Catalog;
}

/** The parts of a catalog that do not depend on availability. */
interface Plan {
  readonly generation: number;
  readonly world: ToolsetWorld;
  readonly selection: ToolSelection;
  readonly settings: SettingNames;
  readonly selected: Selected;
  /**
   * The tools whose availability is checked, by name: the selected tools, and the search tools unless they are
   * disabled.
   */
  readonly candidates: readonly RegisteredTool[];
}

const maxBuilds = 8;
const defaultSettings: SettingNames = {
  enabled: "toolsets",
  disabled: "agent.disabled_toolsets",
  enabledTools: "tools.enabled",
  disabledTools: "tools.disabled",
};

function planOf(source: CatalogSource, selection: ToolSelection, options: CatalogOptions): Plan {
  if (needsLate(source.world(), selection, options)) source.loadLate();
  const world = source.world();
  const settings = { ...defaultSettings, ...options.settings };
  const selected = select(selection, world, settings);
  const candidates = Array.from(world.tools.values())
    .filter(({ tool: { name } }) =>
      isBridge(name) ? selected.disabledBy(name) === undefined : selected.names.has(name),
    )
    .toSorted((a, b) => byName(a.tool, b.tool));
  return { generation: source.generation, world, selection, settings, selected, candidates };
}

/**
 * If there are few unloaded tools, they are loaded immediately, so that the model sees their names; so are tools that
 * the settings name.
 */
function needsLate({ late }: ToolsetWorld, selection: ToolSelection, { search }: CatalogOptions): boolean {
  if (late.size === 0) return false;
  const count = [...late.values()].reduce((sum, each) => sum + each.count, 0);
  const { disabled = [], enabledTools = [], disabledTools = [], only = [] } = selection;
  const named = [...disabled, ...enabledTools, ...disabledTools, ...only, ...search.direct];
  return count <= maxShownAtOnce || !search.enabled || named.some(mayBeLate);
}

const maxShownAtOnce = 100;
/** The default limits, for a catalog of a host that runs no scripts. */
const defaultScriptLimits = { seconds: 300, calls: 50 };

async function freeze(
  source: CatalogSource,
  plan: Plan,
  answers: readonly (string | undefined)[],
  available: Availability,
  options: CatalogOptions,
): Promise<Catalog> {
  const { world, selected } = plan;
  const { search } = options;
  const notices = [...selected.notices];
  const missing = new Map<string, string>();
  for (const [index, { tool }] of plan.candidates.entries()) {
    const why = answers[index];
    if (why !== undefined) missing.set(tool.name, why);
  }
  const usable = plan.candidates.filter(({ tool }) => !missing.has(tool.name));
  const code = await loadAll(usable, options.signal, notices);

  const own = usable.filter(({ tool }) => !isBridge(tool.name) && tool.traits.callers !== "script");
  const bridge = usable.filter(({ tool }) => isBridge(tool.name));
  const always = directTools(own, { ...search, direct: currentNames(search.direct, world) });
  // The search tools are included even if nothing is deferred, so that the model can reach tools that arrive later.
  const searching = search.enabled && bridge.length === bridgeTools.length && own.length + selected.late.length > 0;
  const sent = searching ? own.filter(({ tool }) => always.has(tool.name)) : own;
  const deferred = searching ? own.filter(({ tool }) => !always.has(tool.name)) : [];
  const shownNames = [...own, ...(searching ? bridge : [])].map(({ tool }) => tool.name);
  const view = { ...viewOf(shownNames), ...(options.agents && { agents: options.agents }) };

  const judged = new Map<Tool, RegisteredTool | undefined>(plan.candidates.map(({ tool }) => [tool, undefined]));
  for (const { tool, source: from } of usable) {
    const shown = showTool(code.get(tool) ?? tool, view, (name) => world.names.has(name) && !view.has(name));
    if (shown.notice !== undefined) notices.push(shown.notice);
    judged.set(tool, { tool: shown.tool, source: from });
  }
  const shownOf = (each: RegisteredTool) => judged.get(each.tool) ?? each;
  const runner = usable.find(({ tool }) => tool.name === "execute_code");
  if (runner) {
    const all = usable.map((each) => shownOf(each).tool);
    judged.set(runner.tool, {
      ...runner,
      tool: describeScripts(shownOf(runner).tool, all, options.scripts ?? defaultScriptLimits),
    });
  }

  const sentShown = sent.map(shownOf);
  const first = createDeferred(deferred.map(shownOf), sentShown);
  const direct = new Map<string, Tool>();
  for (const each of usable) {
    const { tool } = shownOf(each);
    if (!view.has(tool.name) || first.tools.has(tool.name)) continue;
    direct.set(tool.name, tool.name === "tool_search" ? withListing(tool, first, selected.late, options) : tool);
  }
  // These tools are hidden from the model, but scripts may call them.
  const scripted = new Map(
    usable.filter(({ tool }) => tool.traits.callers === "script").map((each) => [each.tool.name, shownOf(each).tool]),
  );

  const selectNow = (now: ToolsetWorld) => select(plan.selection, now, plan.settings);
  const live = searching
    ? followRegistry({
        first,
        firstGeneration: plan.generation,
        generation: () => source.generation,
        world: () => source.world(),
        loadLate: () => source.loadLate(),
        select: selectNow,
        direct: sentShown,
        isDirect: (name) => direct.has(name),
        judged,
        available,
      })
    : () => first;
  const all = () => live(true);
  const callable = (name: string): Tool | undefined => {
    const tool = direct.get(name) ?? live(mayBeLate(name)).tools.get(name);
    if (tool || !mayBeLate(name)) return tool;
    const [only, ...others] = source
      .world()
      .formerNames(name)
      .filter((each) => each !== name);
    return only === undefined || others.length > 0 ? undefined : callable(only);
  };
  const names = () => [...direct.keys(), ...all().tools.keys()].toSorted(byText);
  const find = (name: string) => callable(name) ?? scripted.get(name);
  const whyHidden = (name: string) => whyNot(name, source, plan, missing);

  return Object.freeze<Catalog>({
    has: (name) => callable(name) !== undefined,
    get names() {
      return names();
    },
    definitions: Object.freeze(Array.from(direct.values(), definitionOf)),
    get deferred() {
      return all().cards;
    },
    hidden: Object.freeze(
      plan.candidates
        .filter(({ tool }) => !view.has(tool.name))
        .map(({ tool: { name } }) => Object.freeze({ name, why: whyHidden(name) ?? "" })),
    ),
    notices: Object.freeze(notices),
    empty:
      own.length + selected.late.length > 0 ? undefined : `No tool is left. ${selected.emptied ?? allMissing(missing)}`,
    find,
    whyNot: (name) => (callable(name) ? undefined : whyHidden(name)),
    search: createToolIndex({
      live: all,
      find: callable,
      names,
      options: search,
      forScripts: () => scriptTools([...direct.values(), ...all().tools.values(), ...scripted.values()]),
    }),
  });
}

/**
 * Loads the code of tools that need it before they are shown. A tool that fails to load keeps its static description.
 */
async function loadAll(
  tools: readonly RegisteredTool[],
  signal: AbortSignal,
  notices: string[],
): Promise<ReadonlyMap<Tool, Tool>> {
  const code = new Map<Tool, Tool>();
  const loading = tools.flatMap(({ tool }) => {
    if (!tool.load) return [];
    return tool.load().then(
      (loaded) => void code.set(tool, loaded),
      (thrown: unknown) => void notices.push(`${tool.name} could not be loaded: ${oneLine(reasonOf(thrown), 300)}`),
    );
  });
  if (loading.length > 0) await abortable(Promise.all(loading), signal);
  return code;
}

function withListing(
  tool: Tool,
  deferred: DeferredTools,
  late: readonly LateTools[],
  { search }: CatalogOptions,
): Tool {
  const listing = search.listing ? listDeferred(deferred.cards, search.listingMaxTokens, late) : "";
  return listing === "" ? tool : toolAs(tool, { description: `${tool.description}\n\n${listing}` });
}

// ── sentences ───────────────────────────────────────────────────────────────────────────────────────────────────────

function whyNot(
  name: string,
  source: CatalogSource,
  plan: Plan,
  missing: ReadonlyMap<string, string>,
): string | undefined {
  const { settings } = plan;
  const world = source.world();
  const registered = world.tools.get(name);
  if (!registered) return source.refusal(name);
  const selected = plan.world === world ? plan.selected : select(plan.selection, world, settings);
  const disabledBy = selected.disabledBy(name);
  if (disabledBy !== undefined) return `disabled by ${disabledBy}`;
  const lacking = missing.get(name);
  if (lacking !== undefined) return lacking;
  if (isBridge(name)) return "tool search is off, one of its three tools is disabled, or there is no tool to find";
  if (registered.tool.traits.callers === "script") return "only scripts can call it";
  const { toolset } = registered.tool;
  if (!selected.names.has(name)) return `its toolset ${toolset} is not enabled; add it to ${settings.enabled}`;
  return plan.world.tools.has(name)
    ? "not available in this conversation"
    : "it was added after this conversation began; a new one has it";
}

function allMissing(missing: ReadonlyMap<string, string>): string {
  const reasons = Array.from(missing, ([name, why]) => `${name}: ${why}`);
  if (reasons.length === 0) return "The selected tools can only be called from scripts.";
  const more = reasons.length > 5 ? `; and ${reasons.length - 5} more` : "";
  return `All of the ${plural(missing.size, "tool")} selected cannot be used here. ${reasons.slice(0, 5).join("; ")}${more}.`;
}
