import type { Clock } from "../../base/clock.ts";
import type { CdpSession } from "../cdp/connection.ts";
import type { Credentials, ServerChallenge } from "../guard/request-gate.ts";
import type { DialogAnswer, PageDialog } from "./tab.ts";

export type DialogPolicy = "must_respond" | "auto_dismiss" | "auto_accept";

export interface DialogSettings {
  readonly policy: DialogPolicy;
  /** A dialog without an answer is dismissed after this time. */
  readonly timeoutMs: number;
}

export interface TabDialogs extends Disposable {
  list(): readonly PageDialog[];
  answer(answer: DialogAnswer, dialogId?: string): Promise<boolean>;
  follow(session: CdpSession): void;
  askCredentials(challenge: ServerChallenge): Promise<Credentials | undefined>;
  onOpen(listener: () => void): Disposable;
}

export interface DialogDeps {
  readonly clock: Clock;
  readonly settings: DialogSettings;
  readonly note: (sentence: string) => void;
}

interface OpenDialog extends PageDialog {
  readonly session: CdpSession | undefined;
  settle(answer: DialogAnswer): Promise<void>;
}

/** The dialogs of a tab: scripts of the page are stopped until somebody answers. */
export function createTabDialogs({ clock, settings, note }: DialogDeps): TabDialogs {
  const open = new Map<string, OpenDialog>();
  const listeners = new Set<() => void>();
  const timers = new Map<string, Disposable>();
  let lastNumber = 0;

  function add(dialog: Omit<OpenDialog, "id">): void {
    const id = `dialog-${++lastNumber}`;
    const isAutomatic = dialog.type !== "basic_auth" && settings.policy !== "must_respond";
    // A page that asks whether to leave would block every navigation.
    if (isAutomatic || dialog.type === "beforeunload") {
      const isAccepted = dialog.type === "beforeunload" || settings.policy === "auto_accept";
      note(`The page showed ${described(dialog)}; it was ${isAccepted ? "accepted" : "dismissed"} automatically.`);
      void dialog.settle({ isAccepted });
      return;
    }
    open.set(id, { ...dialog, id });
    timers.set(
      id,
      clock.after(settings.timeoutMs, () => {
        note(`Nobody answered ${described(dialog)} in ${settings.timeoutMs / 1000} s; it was dismissed.`);
        void settle(id, { isAccepted: false });
      }),
    );
    for (const listener of listeners) listener();
  }

  async function settle(id: string, answer: DialogAnswer): Promise<boolean> {
    const dialog = open.get(id);
    if (!dialog) return false;
    remove(id);
    await dialog.settle(answer);
    return true;
  }

  function remove(id: string): void {
    open.delete(id);
    timers.get(id)?.[Symbol.dispose]();
    timers.delete(id);
  }

  return {
    list: () => [...open.values()].map(({ session: _session, settle: _settle, ...dialog }) => dialog),
    async answer(answer, dialogId) {
      const [oldest] = open.keys();
      const id = dialogId ?? oldest;
      return id === undefined ? false : settle(id, answer);
    },
    follow(session) {
      session.on("Page.javascriptDialogOpening", (params) => {
        const { url = "", message = "", type = "alert", defaultPrompt } = params as Partial<Record<string, string>>;
        add({
          // The protocol has no other types.
          type: type as PageDialog["type"],
          message,
          url,
          ...(defaultPrompt !== undefined && defaultPrompt !== "" && { defaultText: defaultPrompt }),
          session,
          async settle({ isAccepted, text }) {
            const promptText = text ?? (type === "prompt" ? (defaultPrompt ?? "") : undefined);
            const params_ = { accept: isAccepted, ...(promptText !== undefined && { promptText }) };
            // The dialog may have closed by itself.
            await session.send("Page.handleJavaScriptDialog", params_).catch(() => {});
          },
        });
      });
      session.on("Page.javascriptDialogClosed", () => {
        for (const [id, dialog] of open) if (dialog.session === session) remove(id);
      });
    },
    async askCredentials({ url, origin, realm }) {
      const credentials = Promise.withResolvers<Credentials | undefined>();
      add({
        type: "basic_auth",
        message: `${origin} asks for a user name and a password${realm === "" ? "" : ` (${realm})`}`,
        url,
        session: undefined,
        async settle({ isAccepted, text = "" }) {
          const [username = "", ...rest] = text.split(":");
          credentials.resolve(isAccepted ? { username, password: rest.join(":") } : undefined);
        },
      });
      return credentials.promise;
    },
    onOpen(listener) {
      listeners.add(listener);
      return { [Symbol.dispose]: () => void listeners.delete(listener) };
    },
    [Symbol.dispose]() {
      for (const [id, dialog] of open) {
        remove(id);
        if (dialog.type === "basic_auth") void dialog.settle({ isAccepted: false });
      }
    },
  };
}

function described({ type, message }: Pick<PageDialog, "type" | "message">): string {
  return `${type === "basic_auth" ? "a login" : `a dialog (${type})`} "${message.slice(0, maxMessageChars)}"`;
}

const maxMessageChars = 200;
