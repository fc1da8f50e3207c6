import type { DomElement, DomNode } from "./dom.ts";
import type { ElementVisibility } from "./element-visibility.ts";
import type { NodeAccess } from "./node-access.ts";

/** Facts about single elements. This function runs in the page, so it may use only its parameters. */
export interface ElementFacts extends NodeAccess, ElementVisibility {
  /** Empty for a wrapper without meaning. */
  roleOf(element: DomElement): string;
  /** Whether a user can interact with elements of this role. */
  isUsable(role: string): boolean;
  nameOf(element: DomElement, role: string): string;
  statesOf(element: DomElement, role: string): string[];
  valueOf(element: DomElement, role: string): string | undefined;
  optionsOf(element: DomElement): string[];
  /** The text that a user sees in an element. With `all`, also text that only assistive programs read. */
  textOf(node: DomNode, maxChars: number, all?: boolean): string;
  tidy(text: string): string;
}

export function createElementFacts(nodes: NodeAccess, visibility: ElementVisibility): ElementFacts {
  const { tagOf, attribute, hasAttribute, hasAttributes, childrenOf, childCountOf, shadowOf, isElement } = nodes;
  const { attributeNamesOf } = nodes;
  const { styleOf, isShown, isClipped } = visibility;
  const unusual = /[\s\u200b\u00ad\u2060\ufeff]+/gu;
  // Texts rarely need a change, and testing costs a third of changing.
  const tidied = /^[!-~]+(?: [!-~]+)*$/u;
  const tidy = (text: string) => (tidied.test(text) ? text : text.replaceAll(unusual, " ").trim());

  const tagRoles: Record<string, string> = {
    button: "button",
    summary: "disclosure",
    textarea: "textbox",
    nav: "navigation",
    main: "main",
    aside: "complementary",
    article: "article",
    dialog: "dialog",
    ul: "list",
    ol: "list",
    menu: "list",
    li: "listitem",
    table: "table",
    tr: "row",
    td: "cell",
    th: "columnheader",
    caption: "caption",
    fieldset: "group",
    ...Object.fromEntries(["h1", "h2", "h3", "h4", "h5", "h6"].map((tag) => [tag, "heading"])),
    progress: "progressbar",
    meter: "meter",
    output: "status",
    iframe: "frame",
    frame: "frame",
    video: "video",
    audio: "audio",
    dt: "term",
    img: "img",
    canvas: "img",
    svg: "img",
  };
  const inputRoles: Record<string, string> = {
    button: "button",
    submit: "button",
    reset: "button",
    image: "button",
    checkbox: "checkbox",
    radio: "radio",
    range: "slider",
    number: "spinbutton",
    search: "searchbox",
    file: "file",
    color: "color",
    date: "date",
    "datetime-local": "date",
    month: "date",
    week: "date",
    time: "date",
  };
  const knownRoles = new Set(
    (
      "link button textbox searchbox checkbox radio combobox listbox option menuitem menuitemcheckbox menuitemradio tab " +
      "switch slider spinbutton treeitem navigation main banner contentinfo complementary search form region article " +
      "dialog alertdialog alert status log list listitem table grid treegrid row cell gridcell columnheader rowheader " +
      "group radiogroup tablist tabpanel menu menubar tree toolbar heading img progressbar meter none presentation"
    ).split(" "),
  );
  const sameRoles: Record<string, string> = {
    grid: "table",
    treegrid: "table",
    gridcell: "cell",
    rowheader: "cell",
    none: "",
    presentation: "",
    log: "status",
    feed: "list",
  };

  /** The role of these elements depends on more than the tag. */
  const special = new Set("a area input select header footer section form".split(" "));

  function roleOf(element: DomElement): string {
    const tag = tagOf(element);
    if (!hasAttributes(element) && !special.has(tag)) return tagRoles[tag] ?? "";
    const given = attribute(element, "role").toLowerCase();
    for (const role of given === "" ? [] : given.split(/\s+/u))
      if (knownRoles.has(role)) return sameRoles[role] ?? role;
    switch (tag) {
      case "a":
      case "area":
        return hasAttribute(element, "href") ? "link" : "";
      case "input": {
        const { type } = element;
        if (type === "hidden") return "";
        return inputRoles[type] ?? (hasAttribute(element, "list") ? "combobox" : "textbox");
      }
      case "select":
        return element.multiple || Number(attribute(element, "size")) > 1 ? "listbox" : "combobox";
      case "header":
      case "footer":
        if (element.closest("article, section, main, aside, nav, [role=main], [role=article]")) return "";
        return tag === "header" ? "banner" : "contentinfo";
      case "section":
      case "form": {
        const isNamed = attribute(element, "aria-label") !== "" || attribute(element, "aria-labelledby") !== "";
        if (!isNamed) return tag === "form" ? "form" : "";
        return tag === "form" ? "form" : "region";
      }
      default: {
        const editable = attribute(element, "contenteditable");
        if (
          editable === "true" ||
          editable === "plaintext-only" ||
          (editable === "" && hasAttribute(element, "contenteditable"))
        )
          return "textbox";
        return tagRoles[tag] ?? "";
      }
    }
  }

  const usable = new Set(
    (
      "link button textbox searchbox checkbox radio combobox listbox option menuitem menuitemcheckbox menuitemradio tab " +
      "switch slider spinbutton treeitem file disclosure date color video audio"
    ).split(" "),
  );
  const isUsable = (role: string) => usable.has(role);

  const fromContent = new Set(
    (
      "link button disclosure option menuitem menuitemcheckbox menuitemradio tab treeitem heading columnheader " +
      "clickable checkbox radio switch"
    ).split(" "),
  );

  function byIds(element: DomElement, ids: string): string {
    const root = element.getRootNode();
    const texts = ids.split(/\s+/u).flatMap((id) => {
      const named = id === "" ? null : root.getElementById?.(id);
      return named ? [attribute(named, "aria-label") || textOf(named, 200, true)] : [];
    });
    return tidy(texts.join(" "));
  }

  function nameOf(element: DomElement, role: string): string {
    const ids = attribute(element, "aria-labelledby");
    const first = (ids && byIds(element, ids)) || tidy(attribute(element, "aria-label"));
    if (first) return first;
    const tag = tagOf(element);
    if (tag === "input" || tag === "select" || tag === "textarea" || tag === "meter" || tag === "progress") {
      const labels = element.labels ? Array.from(element.labels, (label) => labelText(label, element)) : [];
      const label = tidy(labels.join(" "));
      if (label) return label;
      if (role === "button") {
        const { type } = element;
        const given = tidy(attribute(element, "value")) || tidy(attribute(element, "alt"));
        return (
          given || tidy(attribute(element, "title")) || (type === "reset" ? "Reset" : type === "submit" ? "Submit" : "")
        );
      }
      return tidy(attribute(element, "placeholder")) || tidy(attribute(element, "title")) || nearbyText(element);
    }
    if (tag === "img" || tag === "area") return tidy(attribute(element, "alt")) || tidy(attribute(element, "title"));
    if (tag === "svg") return tidy(element.querySelector("title")?.textContent ?? "");
    if (tag === "fieldset") {
      const legend = element.querySelector("legend");
      return legend ? textOf(legend, 200) : "";
    }
    if (tag === "table") {
      const caption = element.querySelector("caption");
      return caption ? textOf(caption, 200) : "";
    }
    if (role === "textbox") return tidy(attribute(element, "data-placeholder")) || tidy(attribute(element, "title"));
    if (!fromContent.has(role)) return tidy(attribute(element, "title"));
    return (
      textOf(element, 1000) || textOf(element, 1000, true) || tidy(attribute(element, "title")) || pictureName(element)
    );
  }

  /** The text of a label without that of the control in it. */
  function labelText(label: DomElement, control: DomElement): string {
    if (!label.contains(control)) return textOf(label, 300) || textOf(label, 300, true);
    const parts: string[] = [];
    for (const child of childrenOf(label)) {
      if (child === control) continue;
      if (isElement(child) && child.contains(control)) parts.push(labelText(child, control));
      else parts.push(textOf(child, 300));
    }
    return tidy(parts.join(" "));
  }

  /** For a field without any label, uses the text right before it in its row. */
  function nearbyText(element: DomElement): string {
    const cell = element.closest("td, dd");
    const before = (cell ?? element) as DomElement & { readonly previousElementSibling: DomElement | null };
    const other = before.previousElementSibling;
    if (!other || other.querySelector("input, select, textarea, button")) return "";
    const text = textOf(other, 80);
    return text.length <= 60 ? text : "";
  }

  function pictureName(element: DomElement): string {
    for (const picture of element.querySelectorAll("img[alt], svg, [aria-label], [title]")) {
      const name =
        tagOf(picture) === "svg"
          ? tidy(picture.querySelector("title")?.textContent ?? "") || tidy(attribute(picture, "aria-label"))
          : tidy(attribute(picture, "aria-label") || attribute(picture, "alt") || attribute(picture, "title"));
      if (name) return name;
    }
    // For an icon without a name, uses its class or id as a hint.
    const icon = element.querySelector("i[class], svg[class], span[class]") ?? element;
    const hint =
      attribute(element, "data-testid") || attribute(element, "id") || icon.classList.value.split(" ").pop() || "";
    return hint ? `(${hint.slice(0, 40)})` : "";
  }

  function statesOf(element: DomElement, role: string): string[] {
    const states: string[] = [];
    const hasAria = hasAttributes(element) && attributeNamesOf(element).some((name) => name.startsWith("aria-"));
    const aria = (name: string) => (hasAria ? attribute(element, `aria-${name}`) : "");
    const tag = tagOf(element);
    const isField = tag === "input" || tag === "select" || tag === "textarea" || tag === "button";
    const checked = aria("checked");
    if (tag === "input" && (role === "checkbox" || role === "radio" || role === "switch")) {
      if (element.indeterminate) states.push("mixed");
      else if (element.checked) states.push("checked");
    } else if (checked === "true") states.push("checked");
    else if (checked === "mixed") states.push("mixed");
    const pressed = aria("pressed");
    if (pressed === "true") states.push("pressed");
    if ((isField && element.matches(":disabled")) || aria("disabled") === "true") states.push("disabled");
    const expanded = aria("expanded");
    const details = role === "disclosure" && element.parentElement;
    if (expanded === "true" || (details && details.open === true)) states.push("expanded");
    else if (expanded === "false" || (details && details.open === false)) states.push("collapsed");
    if (aria("selected") === "true") states.push("selected");
    const current = aria("current");
    if (current && current !== "false") states.push("current");
    if (isField && (role === "textbox" || role === "date") && element.readOnly === true) states.push("readonly");
    if ((isField && element.required === true) || aria("required") === "true") states.push("required");
    const invalid = aria("invalid");
    if ((invalid && invalid !== "false") || (isField && element.matches(":user-invalid"))) states.push("invalid");
    if (aria("busy") === "true") states.push("busy");
    if (element.getRootNode().activeElement === element && tag !== "body") states.push("focused");
    return states;
  }

  function valueOf(element: DomElement, role: string): string | undefined {
    const tag = tagOf(element);
    if (tag === "select")
      return Array.from(element.options)
        .filter((option) => option.selected)
        .map((option) => tidy(option.label))
        .join(", ");
    if (tag === "input") {
      if (role === "checkbox" || role === "radio" || role === "button" || role === "switch") return undefined;
      const { value } = element;
      if (element.type === "password") return value === "" ? "" : `(${value.length} hidden characters)`;
      return role === "file" ? (value.split("\\").pop() ?? "") : value;
    }
    if (tag === "textarea") return element.value;
    // This property is a number for some elements, although it is usually text.
    if (tag === "meter" || tag === "progress") return [element.value].join("");
    if (role === "textbox" || role === "searchbox") return textOf(element, 500);
    if (role === "slider" || role === "spinbutton" || role === "progressbar" || role === "meter")
      return attribute(element, "aria-valuetext") || attribute(element, "aria-valuenow") || undefined;
    if (role === "combobox" && element.childElementCount <= 3) return textOf(element, 200) || undefined;
    return undefined;
  }

  function optionsOf(element: DomElement): string[] {
    if (tagOf(element) !== "select") return [];
    const labels: string[] = [];
    for (const option of element.options) {
      if (labels.push(`${tidy(option.label)}${option.disabled ? " (disabled)" : ""}`) >= 500) break;
    }
    return labels;
  }

  const unread = new Set("script style noscript template select slot img".split(" "));

  function textOf(node: DomNode, maxChars: number, all = false): string {
    const isPlain = isElement(node) && childCountOf(node) === 0 && !unread.has(tagOf(node)) && !shadowOf(node);
    if (isPlain) return tidy(node.textContent ?? "").slice(0, maxChars);
    const parts: string[] = [];
    const pictures: string[] = [];
    let chars = 0;
    const visit = (each: DomNode): void => {
      if (chars > maxChars) return;
      if (each.nodeType === 3) {
        const text = each.nodeValue ?? "";
        parts.push(text);
        chars += text.length;
        return;
      }
      if (!isElement(each)) return;
      const tag = tagOf(each);
      if (tag === "script" || tag === "style" || tag === "noscript" || tag === "template" || tag === "select") return;
      if (tag === "br") return void parts.push(" ");
      if (tag === "slot" && each.assignedNodes) {
        const assigned = each.assignedNodes({ flatten: true });
        if (assigned.length > 0) return assigned.forEach(visit);
      }
      let isBlock = false;
      if (each !== node) {
        const style = styleOf(each);
        const { display } = style;
        if (display === "none") return;
        if (!all && !isShown(each) && (style.visibility !== "visible" || style.opacity === "0")) return;
        if (!all && (isClipped(each, style, display) || attribute(each, "aria-hidden") === "true")) return;
        isBlock = !display.startsWith("inline");
      }
      if (tag === "img") return void pictures.push(tidy(attribute(each, "alt")));
      if (tag === "svg") return;
      if (isBlock) parts.push(" ");
      const shadow = shadowOf(each);
      for (const child of childrenOf(shadow ?? each)) visit(child);
      if (isBlock) parts.push(" ");
    };
    visit(node);
    const text = tidy(parts.join(""));
    // An image often repeats the text next to it.
    const unsaid = pictures.filter((name) => name !== "" && !text.includes(name));
    return tidy([...unsaid, text].join(" ")).slice(0, maxChars);
  }

  return { ...nodes, ...visibility, roleOf, isUsable, nameOf, statesOf, valueOf, optionsOf, textOf, tidy };
}
