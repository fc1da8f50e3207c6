import assert from "node:assert/strict";
import { test } from "node:test";

import { pictureProtocol } from "./picture-protocol.ts";

test("the image protocol of a terminal is derived from its environment; a multiplexer supports none", () => {
  assert.equal(pictureProtocol({ TERM: "xterm-kitty" }, "auto"), "kitty");
  assert.equal(pictureProtocol({ TERM: "xterm-256color", TERM_PROGRAM: "iTerm.app" }, "auto"), "iterm");
  assert.equal(pictureProtocol({ TERM: "foot" }, "auto"), "sixel");
  assert.equal(pictureProtocol({ TERM: "xterm-256color" }, "auto"), undefined);
  assert.equal(pictureProtocol({ TERM: "xterm-kitty", TMUX: "/tmp/x" }, "auto"), undefined);
  assert.equal(pictureProtocol({ TERM: "xterm-kitty" }, "off"), undefined);
  assert.equal(pictureProtocol({ TERM: "xterm" }, "sixel"), "sixel");
});
