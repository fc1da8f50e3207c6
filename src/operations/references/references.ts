import { err, ok } from "../../base/result.ts";
import { oneLine } from "../../base/text/text.ts";
import { userFolder } from "../../config/home.ts";
import { object, string } from "../../contracts/host/input-schema.ts";
import type { ContentPart } from "../../contracts/model/message.ts";
import { attachedPart } from "../../contracts/session/attached-part.ts";
import { readOperation } from "../operation.ts";
import { parseReferences } from "./parse-references.ts";

interface AttachedReference {
  readonly reference: string;
  readonly detail: string;
  /** Estimated. */
  readonly tokens: number;
}

interface ExpandedReferences {
  readonly content: readonly ContentPart[];
  readonly attached: readonly AttachedReference[];
  /** Sentences for the user: what is not attached, and why. */
  readonly warnings: readonly string[];
  /** The reason why the prompt must not be sent. */
  readonly refused?: string;
}

export const operations = {
  files: readOperation({
    summary:
      "List the files of this session's folder that a prompt can refer to, without ignored ones, as relative paths",
    needs: ["session", "config"],
    async run(_input, { session, config }, { signal, clock }) {
      const { cwd, backend } = session.place();
      // Lists no files of other machines, because that would take too long while the user types.
      if (backend !== "local") return ok({ folder: cwd, files: [], isCut: false });
      const { workspaceFiles } = await import("./workspace-files.ts");
      return ok({ folder: cwd, ...(await workspaceFiles(cwd, { env: config.env, clock, signal })) });
    },
  }),

  commits: readOperation({
    summary: "List the last commits of this session's folder",
    needs: ["session", "config"],
    async run(_input, { session, config }, { signal, clock }) {
      const { cwd, backend } = session.place();
      if (backend !== "local") return ok({ commits: [] });
      const { recentCommits } = await import("./workspace-files.ts");
      return ok({ commits: await recentCommits(cwd, { env: config.env, clock, signal }) });
    },
  }),

  expand: readOperation({
    summary: "Read the @ references of a prompt as content for the model, within the limits of the context",
    input: object({ text: string("the prompt as the person typed it") }),
    needs: ["session", "liveSessions", "config", "sessions"],
    async run({ text }, { session, liveSessions, config, sessions }, { principal, signal, clock }) {
      const references = parseReferences(text);
      if (references.length === 0) return ok<ExpandedReferences>({ content: [], attached: [], warnings: [] });
      const live = liveSessions.get(session.id);
      if (!live) return err({ message: "This session is read-only here." });
      const { window } = session.context();
      const [{ referencedContent }, place] = await Promise.all([import("./referenced-content.ts"), live.place(signal)]);
      const context = {
        live,
        place,
        homes: [userFolder(config.env), config.home.path],
        sessions: sessions && {
          find: (name: string) => sessions.find(name, principal),
          path: sessions.path,
        },
        clock,
        signal,
        maxChars: Math.ceil(window * hardShare * charsPerToken),
      };
      const content: ContentPart[] = [];
      const attached: AttachedReference[] = [];
      const warnings: string[] = [];
      for (const reference of references) {
        const read = await referencedContent(reference, context);
        if (signal.aborted) return err({ message: "interrupted" });
        if (!read.ok) {
          warnings.push(`${reference.text} is not attached: ${oneLine(read.error, 400).replace(/[.\s]+$/u, "")}.`);
          continue;
        }
        if (!read.value) continue;
        const { detail, content: parts } = read.value;
        content.push(...parts.map((part) => attachedPart(reference.text, detail, part)));
        attached.push({ reference: reference.text, detail, tokens: tokensOf(parts) });
      }
      const tokens = attached.reduce((sum, each) => sum + each.tokens, 0);
      const percent = Math.round((100 * tokens) / window);
      if (tokens > window * hardShare) {
        const [largest] = attached.toSorted((one, other) => other.tokens - one.tokens);
        return ok<ExpandedReferences>({
          content: [],
          attached: [],
          warnings,
          refused: `The references are too long: about ${percent} % of the context, most of it ${largest?.reference}. At most 50 % is allowed. Name fewer or shorter parts, such as @file:PATH:1-200.`,
        });
      }
      if (tokens > window * softShare) warnings.push(`The references fill about ${percent} % of the context.`);
      return ok<ExpandedReferences>({ content, attached, warnings });
    },
  }),
};

/** Shares of the context window: above the first there is a warning, above the second the prompt is refused. */
const softShare = 0.25;
const hardShare = 0.5;
const charsPerToken = 4;
const imageTokens = 1_500;

function tokensOf(parts: readonly ContentPart[]): number {
  return parts.reduce(
    (sum, part) => sum + (part.type === "text" ? Math.ceil(part.text.length / charsPerToken) : imageTokens),
    0,
  );
}
