import { basename } from "node:path";

import { defineCommand, definePlugin, type JsonValue } from "hermes-agent-ts/plugin";

import { openScratchFiles, type RemovedFile } from "./scratch-files.ts";

const defaultPatterns = ["tmp_*", "temp_*", "scratch_*", "*.tmp", "*.scratch.*", "debug_*.log"];

export default definePlugin({
  setup({ dataDir, options }) {
    const files = openScratchFiles(dataDir);
    const isScratch = matcherOf(options["patterns"]);
    let earlier: Promise<unknown> = Promise.resolve();
    /** Handles events one by one, because the end of a session must not overtake the calls before it. */
    const inOrder = (work: () => Promise<unknown>): Promise<unknown> => (earlier = earlier.then(work, work));

    return {
      hooks: {
        async afterToolCall({ call, status, result, sessionId }) {
          if (status !== "ok" || !result.ok || !writers.has(call.name)) return;
          const written = writtenFile(result.value.data);
          if (!written || !isScratch(basename(written.path))) return;
          await inOrder(async () => {
            const isTracked = (await files.list()).scratch.some(({ path }) => path === written.path);
            // A file that existed before the agent wrote it is not its scratch file.
            if (written.isNew || isTracked) await files.note(written.path, sessionId);
          });
        },
        async sessionEnd({ sessionId }) {
          await inOrder(() => files.clean(sessionId));
        },
      },
      commands: [
        defineCommand({
          name: "disk-cleanup",
          summary: "Scratch files of the agent: show, remove, restore",
          args: "[status|run|restore|keep PATH]",
          async run(args) {
            const [verb = "status", ...rest] = args.trim().split(/\s+/u).filter(Boolean);
            switch (verb) {
              case "status":
                return statusText(await files.list());
              case "run":
                return removedText(await files.clean());
              case "restore": {
                const back = await files.restore();
                return back.length === 0 ? "Nothing to restore." : `Restored:\n${listOf(back)}`;
              }
              case "keep":
                if (rest.length === 0) return { text: "Name the file: /disk-cleanup keep PATH", failed: true };
                await files.forget(rest.join(" "));
                return `Kept: ${rest.join(" ")}`;
              default:
                return { text: `Unknown word "${verb}". Use status, run, restore or keep PATH.`, failed: true };
            }
          },
        }),
      ],
    };
  },
});

const writers: ReadonlySet<string> = new Set(["write_file", "patch"]);

/** The file on this machine that a call of a file tool wrote. */
function writtenFile(data: JsonValue | undefined): { readonly path: string; readonly isNew: boolean } | undefined {
  if (typeof data !== "object" || data === null || Array.isArray(data)) return undefined;
  const { resolved_path: path, backend, diff } = data as Readonly<Record<string, JsonValue>>;
  if (typeof path !== "string" || backend !== "local") return undefined;
  return { path, isNew: typeof diff === "string" && diff.startsWith("--- /dev/null") };
}

function matcherOf(value: unknown): (name: string) => boolean {
  const patterns = Array.isArray(value) ? value.filter((each) => typeof each === "string") : defaultPatterns;
  const expressions = patterns.map((pattern) => {
    const parts = pattern.split("*").map((part) => part.replaceAll(/[\\^$.|?+()[\]{}]/gu, String.raw`\$&`));
    return new RegExp(`^${parts.join(".*")}$`, "u");
  });
  return (name) => expressions.some((expression) => expression.test(name));
}

function statusText({ scratch, removed }: Awaited<ReturnType<ReturnType<typeof openScratchFiles>["list"]>>): string {
  const lines = [
    scratch.length === 0 ? "No scratch files." : `Scratch files, removed when their session ends:\n${listOf(scratch)}`,
    ...(removed.length === 0 ? [] : [`In the trash for a week (/disk-cleanup restore):\n${listOf(removed)}`]),
  ];
  return lines.join("\n\n");
}

function removedText(removed: readonly RemovedFile[]): string {
  if (removed.length === 0) return "Nothing to remove.";
  const bytes = removed.reduce((sum, { size }) => sum + size, 0);
  return `Removed ${removed.length} files (${bytes} bytes); /disk-cleanup restore restores them:\n${listOf(removed)}`;
}

function listOf(files: readonly (string | { readonly path: string })[]): string {
  return files.map((file) => `- ${typeof file === "string" ? file : file.path}`).join("\n");
}
