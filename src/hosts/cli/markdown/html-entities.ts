import { once } from "../../../base/async/once.ts";

/** The character of an entity such as `&lt;` or `&#8364;`; undefined for other text and for control characters. */
export function entityText(entity: string): string | undefined {
  const {
    name = "",
    decimal,
    hex,
  } = /^&(?:#(?<decimal>\d{1,7})|#[xX](?<hex>[\da-fA-F]{1,6})|(?<name>\w{1,31}));$/u.exec(entity)?.groups ?? {};
  const code = decimal !== undefined ? Number(decimal) : hex !== undefined ? Number.parseInt(hex, 16) : undefined;
  if (code === undefined) return named().get(name);
  const isText =
    code >= 0x20 && !(code >= 0x7f && code < 0xa0) && !(code >= 0xd800 && code < 0xe000) && code <= 0x10ffff;
  return isText ? String.fromCodePoint(code) : undefined;
}

const named = once(() => {
  const pairs =
    "amp & lt < gt > quot \" apos ' copy © reg ® trade ™ deg ° plusmn ± times × divide ÷ middot · bull • hellip … mdash — ndash – lsquo ‘ rsquo ’ ldquo “ rdquo ” laquo « raquo » larr ← uarr ↑ rarr → darr ↓ harr ↔ rArr ⇒ lArr ⇐ hArr ⇔ euro € pound £ yen ¥ cent ¢ sect § para ¶ micro µ frac12 ½ frac14 ¼ frac34 ¾ sup1 ¹ sup2 ² sup3 ³ infin ∞ ne ≠ le ≤ ge ≥ asymp ≈ equiv ≡ sum ∑ prod ∏ radic √ part ∂ int ∫ nabla ∇ isin ∈ notin ∉ cap ∩ cup ∪ sub ⊂ sup ⊃ forall ∀ exist ∃ empty ∅ and ∧ or ∨ not ¬ alpha α beta β gamma γ delta δ epsilon ε zeta ζ eta η theta θ iota ι kappa κ lambda λ mu μ nu ν xi ξ pi π rho ρ sigma σ tau τ upsilon υ phi φ chi χ psi ψ omega ω Gamma Γ Delta Δ Theta Θ Lambda Λ Xi Ξ Pi Π Sigma Σ Phi Φ Psi Ψ Omega Ω check ✓ cross ✗ star ☆ hearts ♥ auml ä ouml ö uuml ü Auml Ä Ouml Ö Uuml Ü szlig ß eacute é egrave è agrave à ccedil ç ntilde ñ iexcl ¡ iquest ¿ dagger † permil ‰".split(
      " ",
    );
  const map = new Map<string, string>([["nbsp", " "]]);
  for (let index = 0; index < pairs.length; index += 2) map.set(pairs[index] ?? "", pairs[index + 1] ?? "");
  return map;
});
