import { err, ok } from "../../base/result.ts";
import { loadConfig } from "../../config/load.ts";
import { flag, list, object, optional, string } from "../../contracts/host/input-schema.ts";
import { openServerPrograms } from "../../runtime/mcp/server-programs.ts";
import { readOperation, writeOperation } from "../operation.ts";
import { configFault } from "../settings/config-fault.ts";
import { expectedStates } from "./expected-states.ts";
import { proposedPermissions, serverChanges } from "./mcp-change.ts";
import { readServers, unknownServer } from "./server-settings.ts";
import { listedServer, shownServer } from "./server-view.ts";

const name = string("name of the server");

/** MCP servers: list, add, test, trust, sign in, import. */
export const operations = {
  ...serverChanges,

  list: readOperation({
    summary: "List the MCP servers with their state, tools and problems, without connecting",
    needs: ["config", "mcp"],
    async run(_input, { config, mcp }, ctx) {
      const { notices } = readServers(config, {});
      const servers = await expectedStates(mcp.list(), config, ctx);
      return ok({ servers: servers.map((status) => listedServer(status, config)), notices });
    },
  }),

  inspect: readOperation({
    summary: "Show everything about one server: settings, tools, prompts, waiting definitions, log",
    input: object({ name }),
    needs: ["config", "mcp"],
    async run({ name: given }, { config, mcp }, ctx) {
      const current = mcp.find(given);
      const [status] = current ? await expectedStates([current], config, ctx) : [];
      if (!status) return err(unknownServer(config, given));
      const { entry } = status;
      const programs = openServerPrograms(config, ctx);
      const proposal = entry && (await proposedPermissions(entry));
      return ok({
        ...shownServer(status, mcp.listing(given), config),
        /** Reasons why a person must accept its program first. */
        reasons: entry ? await programs.openReasons(entry) : [],
        ...(proposal && { proposed: proposal.permissions }),
      });
    },
  }),

  test: writeOperation({
    summary: "Connect to a server and list what it offers",
    input: object({ name }),
    needs: ["config", "mcp"],
    async run({ name: given }, { config, mcp }, { signal, clock }) {
      if (!mcp.find(given)) return err(unknownServer(config, given));
      const startedAt = clock.elapsed();
      const connected = await mcp.connect(given, signal);
      const ms = Math.round(clock.elapsed() - startedAt);
      const status = connected.ok ? connected.value : mcp.find(given);
      if (!status) return err(unknownServer(config, given));
      return ok({
        ...shownServer(status, mcp.listing(given), config),
        isReachable: connected.ok,
        ms,
        ...(connected.ok ? {} : { fault: connected.error }),
      });
    },
  }),

  trust: writeOperation({
    summary: "Accept the program of a server, and changed or suspicious definitions of its tools",
    input: object({ name, tools: optional(list("only these tools, as the server spells them", string("a tool"))) }),
    needs: ["config", "mcp"],
    async run({ name: given, tools }, { config, mcp }, ctx) {
      const status = mcp.find(given);
      if (!status?.entry) return err(status ? { message: status.why ?? "" } : unknownServer(config, given));
      const programs = openServerPrograms(config, ctx);
      const wasAsking = (await programs.startFault(status.entry)) !== undefined;
      if (wasAsking) {
        const accepted = await programs.accept([status.entry], ctx.signal);
        if (!accepted.ok) return accepted;
      }
      const waiting = status.waiting.map(({ tool }) => tool);
      if (waiting.length > 0 || tools) {
        const accepted = await mcp.accept(given, tools);
        if (!accepted.ok) return err({ message: accepted.error });
      }
      return ok({ name: given, program: wasAsking, tools: tools ?? waiting });
    },
  }),

  login: writeOperation({
    summary: "Sign in to a remote server with a browser; succeeds only if the server answers with the new token",
    input: object({ name }),
    needs: ["config", "mcp"],
    async run({ name: given }, { config, mcp }, { clock, cwd, signal, report, readLine }) {
      const status = mcp.find(given);
      if (!status?.entry) return err(status ? { message: status.why ?? "" } : unknownServer(config, given));
      const { signInToServer } = await import("../../runtime/mcp/sign-in-server.ts");
      const paste = readLine ? "If the browser runs on another machine, paste the final address here. " : "";
      const talk = {
        show: (url: string) =>
          report({ message: `Open this page in your browser and sign in:\n\n  ${url}\n\n${paste}Waiting …` }),
        ...(readLine && { paste: readLine }),
      };
      const signedIn = await signInToServer(status.entry, talk, { config, clock, cwd }, signal);
      if (!signedIn.ok) return signedIn;
      // Connects the server, so that its tools are available.
      await mcp.connect(given, signal);
      return ok({ name: given, ...signedIn.value });
    },
  }),

  logout: writeOperation({
    summary: "Revoke and delete the tokens of a server",
    input: object({ name }),
    needs: ["config", "mcp"],
    async run({ name: given }, { config, mcp }, { clock, signal }) {
      const { signOutOfServer } = await import("../../runtime/mcp/sign-in-server.ts");
      const signedOut = await signOutOfServer(given, mcp.find(given)?.entry, { config, clock }, signal);
      if (!signedOut.ok) return signedOut;
      if (!signedOut.value.wasSignedIn && !mcp.find(given)) return err(unknownServer(config, given));
      return ok({ name: given, ...signedOut.value });
    },
  }),

  reload: writeOperation({
    summary: "Read the servers of the settings again: new ones start, removed ones end, changed ones connect again",
    input: object({
      isConfirmed: optional(flag("the user has agreed; otherwise the settings may require a confirmation")),
    }),
    needs: ["config", "mcp"],
    async run({ isConfirmed = false }, { config, mcp }, { cwd }) {
      const loaded = await loadConfig({ env: config.env, cwd, profile: config.home.profile, user: config.user });
      if (!loaded.ok) return err(configFault(loaded.error));
      const read = readServers(loaded.value, {});
      const changes = mcp.differences(read);
      const isSame = Object.values(changes).every(({ length }) => length === 0);
      if (config.values.approvals.mcp_reload_confirm && !isConfirmed && !isSame)
        return ok({ needsConfirmation: true as const, isSame, ...changes });
      await mcp.reload(read);
      return ok({ needsConfirmation: false as const, isSame, ...changes, problems: read.problems });
    },
  }),
};
