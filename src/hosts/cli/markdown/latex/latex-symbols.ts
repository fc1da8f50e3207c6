import { once } from "../../../../base/async/once.ts";

/** LaTeX commands that stand for one character or one word. */
export const latexSymbols = once((): ReadonlyMap<string, string> =>
  pairs(
    "alpha α beta β gamma γ delta δ epsilon ϵ varepsilon ε zeta ζ eta η theta θ vartheta ϑ iota ι kappa κ lambda λ mu μ nu ν xi ξ omicron ο pi π varpi ϖ rho ρ varrho ϱ sigma σ varsigma ς tau τ upsilon υ phi ϕ varphi φ chi χ psi ψ omega ω",
    "Gamma Γ Delta Δ Theta Θ Lambda Λ Xi Ξ Pi Π Sigma Σ Upsilon Υ Phi Φ Psi Ψ Omega Ω",
    "times × div ÷ pm ± mp ∓ cdot · ast ∗ star ⋆ circ ∘ bullet • oplus ⊕ ominus ⊖ otimes ⊗ oslash ⊘ odot ⊙ dagger † ddagger ‡ wedge ∧ land ∧ vee ∨ lor ∨ cap ∩ cup ∪ setminus ∖ sqcap ⊓ sqcup ⊔ uplus ⊎",
    "leq ≤ le ≤ geq ≥ ge ≥ neq ≠ ne ≠ ll ≪ gg ≫ approx ≈ equiv ≡ sim ∼ simeq ≃ cong ≅ propto ∝ prec ≺ succ ≻ preceq ⪯ succeq ⪰ subset ⊂ supset ⊃ subseteq ⊆ supseteq ⊇ subsetneq ⊊ in ∈ ni ∋ notin ∉ mid ∣ nmid ∤ parallel ∥ perp ⊥ models ⊨ vdash ⊢ dashv ⊣ asymp ≍ doteq ≐ leqslant ⩽ geqslant ⩾ lesssim ≲ gtrsim ≳ triangleq ≜ coloneqq ≔",
    "to → rightarrow → leftarrow ← gets ← leftrightarrow ↔ uparrow ↑ downarrow ↓ updownarrow ↕ Rightarrow ⇒ Leftarrow ⇐ Leftrightarrow ⇔ implies ⟹ impliedby ⟸ iff ⟺ mapsto ↦ longrightarrow ⟶ longleftarrow ⟵ longmapsto ⟼ hookrightarrow ↪ hookleftarrow ↩ rightharpoonup ⇀ rightleftharpoons ⇌ nearrow ↗ searrow ↘ nwarrow ↖ swarrow ↙ rightsquigarrow ⇝ leadsto ⇝",
    "sum ∑ prod ∏ coprod ∐ int ∫ iint ∬ iiint ∭ oint ∮ bigcup ⋃ bigcap ⋂ bigvee ⋁ bigwedge ⋀ bigoplus ⨁ bigotimes ⨂ partial ∂ nabla ∇ infty ∞ forall ∀ exists ∃ nexists ∄ neg ¬ lnot ¬ emptyset ∅ varnothing ∅ therefore ∴ because ∵ angle ∠ triangle △ square □ blacksquare ■ diamond ⋄ lozenge ◊ checkmark ✓ top ⊤ bot ⊥ aleph ℵ hbar ℏ ell ℓ Re ℜ Im ℑ wp ℘ prime ′ degree ° surd √ complement ∁ qed ∎ QED ∎",
    "ldots … dots … dotsc … dotsb ⋯ cdots ⋯ vdots ⋮ ddots ⋱ lbrace { rbrace } lbrack [ rbrack ] langle ⟨ rangle ⟩ lfloor ⌊ rfloor ⌋ lceil ⌈ rceil ⌉ vert | Vert ‖ lvert | rvert | lVert ‖ rVert ‖ backslash \\ colon : pounds £ copyright © S § P ¶",
    "sin sin cos cos tan tan cot cot sec sec csc csc arcsin arcsin arccos arccos arctan arctan sinh sinh cosh cosh tanh tanh log log ln ln lg lg exp exp lim lim limsup limsup liminf liminf max max min min sup sup inf inf det det dim dim ker ker gcd gcd arg arg deg deg hom hom Pr Pr mod mod bmod mod argmax argmax argmin argmin",
  ),
);

/** Superscripts and subscripts that Unicode has. */
export const superscripts = once(() =>
  letters(
    "0123456789+-=()abcdefghijklmnoprstuvwxyzABDEGHIJKLMNOPRTUVWβγδθϕφχ′*∗",
    "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻᴬᴮᴰᴱᴳᴴᴵᴶᴷᴸᴹᴺᴼᴾᴿᵀᵁⱽᵂᵝᵞᵟᶿᵠᵠᵡ′**",
  ),
);
export const subscripts = once(() =>
  letters("0123456789+-=()aehijklmnoprstuvxβγρϕφχ", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓᵦᵧᵨᵩᵩᵪ"),
);

/** Common letters of `\mathbb`, `\mathcal` and `\mathfrak`; others stay plain. */
export const blackboardLetters = once(() => letters("ABCDEFGHIJKLMNOPQRSTUVWXYZ1", "𝔸𝔹ℂ𝔻𝔼𝔽𝔾ℍ𝕀𝕁𝕂𝕃𝕄ℕ𝕆ℙℚℝ𝕊𝕋𝕌𝕍𝕎𝕏𝕐ℤ𝟙"));
export const scriptLetters = once(() => letters("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "𝒜ℬ𝒞𝒟ℰℱ𝒢ℋℐ𝒥𝒦ℒℳ𝒩𝒪𝒫𝒬ℛ𝒮𝒯𝒰𝒱𝒲𝒳𝒴𝒵"));

/** Combining marks, which follow the character that they modify. */
export const accents: Readonly<Record<string, string>> = {
  hat: "\u0302",
  widehat: "\u0302",
  bar: "\u0304",
  overline: "\u0305",
  vec: "\u20d7",
  tilde: "\u0303",
  widetilde: "\u0303",
  dot: "\u0307",
  ddot: "\u0308",
  check: "\u030c",
  breve: "\u0306",
  acute: "\u0301",
  grave: "\u0300",
  underline: "\u0332",
};

export const knownFractions: Readonly<Record<string, string>> = {
  "1/2": "½",
  "1/3": "⅓",
  "2/3": "⅔",
  "1/4": "¼",
  "3/4": "¾",
  "1/5": "⅕",
  "1/6": "⅙",
  "1/8": "⅛",
};

/** Relations that `\not` negates. */
export const negated: Readonly<Record<string, string>> = {
  "=": "≠",
  "∈": "∉",
  "≡": "≢",
  "⊂": "⊄",
  "⊆": "⊈",
  "∼": "≁",
  "≈": "≉",
  "∃": "∄",
  "<": "≮",
  ">": "≯",
  "≤": "≰",
  "≥": "≱",
};

function pairs(...lists: readonly string[]): ReadonlyMap<string, string> {
  const map = new Map<string, string>();
  for (const list of lists) {
    const words = list.split(" ");
    for (let index = 0; index < words.length; index += 2) map.set(words[index] ?? "", words[index + 1] ?? "");
  }
  return map;
}

function letters(from: string, to: string): ReadonlyMap<string, string> {
  const targets = Array.from(to);
  return new Map(Array.from(from, (letter, index) => [letter, targets[index] ?? letter]));
}
