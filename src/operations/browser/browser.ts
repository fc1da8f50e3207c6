import { err, ok } from "../../base/result.ts";
import { object, optional, string } from "../../contracts/host/input-schema.ts";
import { installHint } from "../../runtime/browser/install-hint.ts";
import { readOperation, writeOperation } from "../operation.ts";

/** The browser of the tools: status, profiles with logins, a connection to a running browser. */
export const operations = {
  status: readOperation({
    summary: "Show which browser the tools use, its sandbox, its profiles and what it may reach, without starting it",
    needs: ["browsers"],
    run: async (_input, { browsers }) => ok(await browsers.status()),
  }),

  profiles: readOperation({
    summary: "List the named browser profiles, which keep logins",
    needs: ["browsers", "config"],
    run: async (_input, { browsers, config }) =>
      ok({ profiles: browsers.profiles.list(), current: config.values.browser.profile }),
  }),

  install: readOperation({
    summary: "Show how to install a browser on this system; installs nothing",
    needs: ["browsers"],
    async run(_input, { browsers }) {
      const { program } = await browsers.status();
      return ok({ ...(program !== undefined && { program }), ...installHint() });
    },
  }),

  open: writeOperation({
    summary: "Show a browser window with a named profile, for a person to log in; lasts until the window is closed",
    input: object({ profile: optional(string("name of the profile; default: default")) }),
    needs: ["browsers"],
    async run({ profile = "default" }, { browsers }, { signal, report }) {
      if (!/^[a-z0-9][a-z0-9_-]{0,39}$/u.test(profile))
        return err({ message: `"${profile}" is not a profile name: use lower case letters, digits, _ and -.` });
      const opened = await browsers.openWindow(profile);
      if (!opened.ok) return opened;
      const { warning, ended, close } = opened.value;
      if (warning !== undefined) report({ message: warning });
      report({
        message: `The profile ${profile} is open. Log in where the agent should be logged in, then close the window.`,
      });
      const stop = (): void => void close();
      signal.addEventListener("abort", stop, { once: true });
      await ended;
      signal.removeEventListener("abort", stop);
      return ok({ profile });
    },
  }),

  connect: writeOperation({
    summary: "Use a running browser over its debugging port in the conversations of this program",
    input: object({ url: optional(string("its address; default: browser.cdp_url, else http://localhost:9222")) }),
    needs: ["browsers"],
    async run({ url = "" }, { browsers }) {
      const connected = await browsers.connect(url);
      return connected.ok ? ok({ description: connected.value }) : connected;
    },
  }),

  disconnect: writeOperation({
    summary: "Return to the browser of the settings",
    needs: ["browsers"],
    run: async (_input, { browsers }) => ok({ wasConnected: await browsers.disconnect() }),
  }),
};
