import { createKeymap } from "../src/hosts/cli/screen/keymap.ts";

/** The parts of the page about keys. */
export function keysParts(): readonly string[] {
  const { actions } = createKeymap();
  const rows = (part: "editor" | "screen") =>
    actions
      .filter((action) => action.part === part)
      .map(
        ({ name, chords, summary }) =>
          `| \`${name}\` | ${chords.map((chord) => `\`${chord}\``).join(", ")} | ${summary} |`,
      );
  const table = (part: "editor" | "screen") => ["| action | keys | |", "|---|---|---|", ...rows(part)].join("\n");
  return [
    "The keys of the full screen. The setting `keys` replaces all keys of an action; an empty list leaves it without a key. Two keys with a space between them are pressed one after the other. F1 shows this list in the chat, with your changes.",
    ["```yaml", "keys:", "  history_search: [ctrl+r, f3]", "  edit_in_program: [ctrl+x ctrl+e]", "```"].join("\n"),
    "If two actions have the same key, the one in your settings gets it; Hermes reports the conflict at the start. Some keys depend on the terminal: it must tell Shift-Enter from Enter (kitty keyboard protocol or modifyOtherKeys), for example.",
    "## The prompt",
    table("editor"),
    "## The screen",
    "The prompt gets each key first: Escape closes the menu before it stops a turn, and Ctrl-D deletes a character before it leaves.",
    table("screen"),
    "## Panels",
    [
      "These keys are fixed.",
      "",
      "| key | |",
      "|---|---|",
      "| Up, Down, PageUp, PageDown | move |",
      "| Enter | choose |",
      "| 1 to 9, 0 | choose by number, in questions |",
      "| Space | mark, in questions with several answers |",
      "| Tab, Shift-Tab | next and previous field of a form |",
      "| o, s, a, d | approvals: once, for this session, always, deny |",
      "| ? | approvals: explain the rule |",
      "| Escape | close; in an approval: deny |",
    ].join("\n"),
  ];
}
