import assert from "node:assert/strict";
import { test } from "node:test";

import fc from "fast-check";

import { latexLines, latexText, looksLikeMath } from "./latex-text.ts";

test("formulas become Unicode on one line", () => {
  for (const [source, text] of [
    ["E=mc^2", "E=mc²"],
    [String.raw`\frac{a+b}{c} \le \frac12`, "(a+b)/c ≤ ½"],
    [String.raw`\sum_{i=1}^{n} i = \frac{n(n+1)}{2}`, "∑ᵢ₌₁ⁿ i = n(n+1)/2"],
    [String.raw`\int_0^\infty e^{-x^2} dx`, "∫₀^∞ e^(-x²) dx"],
    [String.raw`\sqrt[3]{x+1} \cdot \sqrt{\pi}`, "∛(x+1) · √π"],
    [String.raw`\forall x \in \mathbb{R}: \text{if } x \neq 0`, "∀ x ∈ ℝ: if x ≠ 0"],
    [String.raw`\left( \hat{x}, \vec{v} \right)`, "( x̂, v⃗ )"],
    [String.raw`A = \begin{pmatrix} 1 & 2 \\ 3 & 4 \end{pmatrix}`, "A = (1 2; 3 4)"],
    [String.raw`90^\circ, \log_2 n`, "90°, log₂ n"],
    [String.raw`\unknown{x}`, String.raw`\unknown{x}`],
  ] as const)
    assert.equal(latexText(source), text);
});

test("matrices, cases and aligned equations get their own lines", () => {
  assert.deepEqual(latexLines(String.raw`A = \begin{bmatrix} 1 & 2 \\ 3 & 44 \end{bmatrix} x`), [
    "A = ⎡ 1  2  ⎤ x",
    "    ⎣ 3  44 ⎦",
  ]);
  assert.deepEqual(latexLines(String.raw`f(x) = \begin{cases} 1 & x > 0 \\ 0 & \text{otherwise} \end{cases}`), [
    "f(x) = ⎧ 1  x > 0",
    "       ⎩ 0  otherwise",
  ]);
  assert.deepEqual(latexLines(String.raw`\begin{aligned} a &= b + c \\ &= d \end{aligned}`), ["a = b + c", "  = d"]);
});

test("prices, variables and paths between dollar signs are not formulas", () => {
  for (const text of ["HOME/", "PATH", "HOME_DIR", "5 and ", "a="]) assert.equal(looksLikeMath(text), false, text);
  for (const text of ["x", "n+1", "x_1", "f(x)", String.raw`O(n \log n)`, "10"])
    assert.equal(looksLikeMath(text), true, text);
});

test("rendering any source terminates and gives no control characters", () => {
  const part = fc.constantFrom(
    "{",
    "}",
    "^",
    "_",
    "&",
    "\\\\",
    "\\begin{cases}",
    "\\end{x}",
    "\\frac",
    "\\left",
    "\\sqrt[",
    "a",
    " ",
    "\\",
    "\u{1d538}",
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 60 }), (parts) => {
      assert.doesNotMatch(latexLines(parts.join("")).join(""), /\p{Cc}/u);
      assert.doesNotMatch(latexText(parts.join("")), /\n/u);
    }),
  );
});
