import { html, type SitePages } from "./site-server.ts";

export interface FormState {
  /** Posted forms, newest last. */
  readonly forms: URLSearchParams[];
}

/** A form with every kind of field, and widgets that become fields only through scripts. */
export function form(state: FormState): SitePages {
  return {
    "GET /form": () => html("Every kind of field", fields, style),
    "POST /form": ({ fields: posted }) => {
      state.forms.push(posted);
      return html("Received", `<h1>Received</h1><p>Form number F-${state.forms.length}</p>`);
    },
  };
}

const input = (label: string, name: string, type: string, more = "") =>
  `<p><label>${label} <input type="${type}" name="${name}" ${more}></label></p>`;

const style = `<style>.switch,.pick{cursor:pointer;padding:4px;border:1px solid}#colors{display:none}#colors.open{display:block}</style>`;

const fields = `<h1>Every kind of field</h1><form method="post" action="/form" enctype="multipart/form-data">
${input("Full name", "name", "text", 'required maxlength="80"')}
${input("E-mail", "email", "email")}
${input("Password", "password", "password")}
${input("Age", "age", "number", 'min="0" max="150"')}
${input("Phone", "phone", "tel")}
${input("Website", "website", "url")}
${input("Search word", "word", "search")}
${input("Birthday", "birthday", "date")}
${input("Alarm", "alarm", "time")}
${input("Meeting", "meeting", "datetime-local")}
${input("Month", "month", "month")}
${input("Week", "week", "week")}
${input("Paint", "paint", "color")}
${input("Volume", "volume", "range", 'min="0" max="100" value="20"')}
<p><label>Letter <textarea name="letter" rows="3"></textarea></label></p>
<p><label>Country <select name="country"><option value="">Choose</option><optgroup label="North"><option value="no">Norway</option><option value="se">Sweden</option></optgroup><optgroup label="South"><option value="it">Italy</option><option value="gr">Greece</option></optgroup></select></label></p>
<p><label>Languages <select name="languages" multiple size="4"><option value="en">English</option><option value="fr">French</option><option value="de">German</option><option value="pl">Polish</option></select></label></p>
<fieldset><legend>Size</legend><label><input type="radio" name="size" value="s"> Small</label><label><input type="radio" name="size" value="m"> Medium</label><label><input type="radio" name="size" value="l"> Large</label></fieldset>
<fieldset><legend>Extras</legend><label><input type="checkbox" name="extra" value="gift"> Gift wrap</label><label><input type="checkbox" name="extra" value="card"> Greeting card</label></fieldset>
<p><label>City <input name="city" list="cities"></label><datalist id="cities"><option>Bergen</option><option>Turin</option></datalist></p>
<p><label>Attachment <input type="file" name="attachment"></label></p>
<p><label>Locked <input name="locked" value="fixed" readonly></label> <label>Off <input name="off" value="never" disabled></label><input type="hidden" name="token" value="t-81"></p>
<p>Notes</p><div id="notes" contenteditable="true" role="textbox" aria-label="Notes" style="min-height:20px;border:1px solid"></div><input type="hidden" name="notes" id="notes-value">
<p><span id="switch" class="switch" role="switch" tabindex="0" aria-checked="false">Express</span><input type="hidden" name="express" id="express" value="off"></p>
<p><span id="pick" class="pick" role="combobox" tabindex="0" aria-expanded="false" aria-label="Favourite colour">Pick a colour</span></p>
<ul id="colors" role="listbox">${["Amber", "Indigo", "Olive"].map((name) => `<li role="option" class="pick">${name}</li>`).join("")}</ul><input type="hidden" name="colour" id="colour">
<div class="pick" id="plus">One more guest</div><input type="hidden" name="guests" id="guests" value="0">
<button>Send everything</button></form>
<script>
const by = (id) => document.getElementById(id);
by("notes").addEventListener("input", () => (by("notes-value").value = by("notes").innerText));
by("switch").addEventListener("click", () => { const on = by("switch").getAttribute("aria-checked") !== "true"; by("switch").setAttribute("aria-checked", on); by("express").value = on ? "on" : "off"; });
by("pick").addEventListener("click", () => { by("colors").classList.add("open"); by("pick").setAttribute("aria-expanded", "true"); });
for (const option of by("colors").children) option.addEventListener("click", () => { by("colour").value = option.textContent; by("pick").textContent = option.textContent; by("colors").classList.remove("open"); });
by("plus").onclick = () => (by("guests").value = Number(by("guests").value) + 1);
</script>`;
