import { englishEditor } from "./english-editor.ts";
import { englishTranscript } from "./english-transcript.ts";

/**
 * Every text of the screen that a person reads, by part of the screen. A translation has the type `ScreenTexts`, so that
 * none can be missing.
 */
export const english = {
  screen: {
    loading: "loading …",
    stopping: "stopping … press Ctrl-C again to exit",
    leaveHint: "press Ctrl-C again, Ctrl-D or type /quit to exit",
  },
  editor: englishEditor,
  transcript: englishTranscript,
  panels: {
    othersWait: (count: number) => `${count} more ${count === 1 ? "question waits" : "questions wait"}`,
    approval: {
      title: (tool: string, place: string, agent: string | undefined) =>
        `Approval needed: ${agent === undefined ? "" : `agent ${agent}: `}${tool} in ${place}`,
      left: (time: string) => `${time} left`,
      options: {
        once: "Allow once",
        session: "Allow for this session",
        always: "Always allow; you see the rule first",
        deny: "Deny",
      },
      shortOptions: { once: "once", session: "session", always: "always", deny: "deny" },
      covers: "Session and always cover exactly:",
      onlyOnce: "You can allow it only once: no rule can express it.",
      restOnce: "The rest is allowed only once.",
      leavesSandbox: "If you allow it, it runs outside the sandbox.",
      moreFacts: (count: number) => `… ${count} more ${count === 1 ? "line" : "lines"}: press ?`,
      scroll: (above: number, below: number) => `PgUp/PgDn: ${above} above, ${below} below`,
      hint: "? why · Esc denies · Tab deny with a reason · ↑↓ Enter",
      backHint: "Esc: back to the question · o s a d answer",
      because: "Hermes asks because:",
      yourAnswers: "Your answers:",
      explainOnce: "allow this call once",
      explainSession: "also allow, until this session ends, every call that only these rules concern",
      explainAlways: "save the rules for all sessions; you see and edit them first",
      explainDeny: "deny; with Tab you can give the model a reason",
      whereRulesAre: "Test any command: hermes policy test COMMAND. Your rules: hermes policy list.",
      reasonPrompt: "Reason for the model: ",
      reasonHint: "Enter denies with this reason · Esc: back to the question",
      rulePrompt: "Rule: ",
      ruleHint: "Enter saves this rule for all sessions · edit it to test another · Esc: do not save",
      testing: "Testing the rule …",
      allowed: { once: "Allowed once", session: "Allowed for this session", always: "Always allowed" },
      denied: "Denied",
      deniedWithReason: "Denied with your reason",
      answeredElsewhere: (by: string) => `Answered elsewhere (${by})`,
      timedOut: "Denied: nobody answered in time",
      withdrawn: "The question was withdrawn",
    },
    choices: {
      question: "Question",
      questionFrom: (from: string) => `Question from ${from}`,
      left: (time: string) => `${time} left`,
      typeAnswer: "type your answer",
      ownWords: "or type your own answer",
      typeFirst: "Type an answer.",
      markFirst: "Mark at least one with the space bar.",
      moreAbove: (count: number) => `  … ${count} more above`,
      moreBelow: (count: number) => `  … ${count} more below`,
      scroll: (above: number, below: number) => `PgUp/PgDn: ${above} above, ${below} below`,
      oneHint: "↑↓ and Enter, or a number · Esc declines",
      severalHint: "↑↓ and space, or numbers mark · Enter answers · Esc declines",
      textHint: "Enter answers · Esc declines",
      answered: "Answered",
      declined: "Declined to answer",
      timedOut: "Nobody answered in time",
      withdrawn: "The question was withdrawn",
    },
    form: {
      optional: "optional",
      needed: "a value is needed",
      chosen: (value: string) => `chosen: ${value}`,
      buttons: { send: "Send", accept: "Accept", decline: "Decline", cancel: "Cancel" },
      unreadableHost: "an unreadable host",
      visit: (host: string) => `Open in your browser, if you trust ${host}:`,
      neverOpened: "Hermes does not open it. Accept tells the server that you agree to visit it.",
      consentHint: "←→ and Enter · Esc cancels",
      hint: "Tab next · Shift-Tab back · Enter confirms · Esc cancels · enter no secrets here",
      sent: (from: string) => `Values sent to ${from}`,
      declined: (from: string) => `Declined the form of ${from}`,
      cancelled: (from: string) => `Closed the form of ${from}`,
    },
    secret: {
      title: (name: string) => `Secret: ${name}`,
      hint: "Hidden; never shown to the model · Enter saves · Esc declines",
      saved: (name: string) => `${name} was entered`,
      declined: (name: string) => `${name} was not entered`,
    },
    confirm: {
      title: "Are you sure?",
      yes: "Yes",
      no: "No",
      once: "Yes, once",
      always: "Yes, and do not ask again (sets approvals.destructive_slash_confirm: false)",
      cancel: "Cancel",
      hint: "↑↓ and Enter, a letter or a number · Esc cancels",
      notAskedAgain:
        "Commands that leave or undo history no longer ask. To change it: hermes config set approvals.destructive_slash_confirm true",
    },
  },
};

export type ScreenTexts = typeof english;
