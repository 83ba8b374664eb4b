// Measures what is visible of a page, in document order. Runs in a world of its own.
//
// Boxes are [left, top, right, bottom] in page pixels; a record's `raw` id is its place in the list,
// and `parent` is the raw id of the record around it. Colors are [red, green, blue, alpha].
({ width, height, marked }) => {
  const SKIPPED = new Set(["SCRIPT", "STYLE", "TEMPLATE", "NOSCRIPT", "HEAD", "META", "LINK", "BR",
    "WBR", "OPTION", "OPTGROUP", "DATALIST", "PARAM", "SOURCE", "TRACK", "AREA", "COL", "COLGROUP"]);
  const LEAVES = new Set(["IMG", "VIDEO", "CANVAS", "AUDIO", "OBJECT", "EMBED", "IFRAME", "INPUT",
    "SELECT", "TEXTAREA", "METER", "PROGRESS"]);
  const PAINTING = new Set(["IMG", "VIDEO", "CANVAS", "OBJECT", "EMBED", "IFRAME", "SVG"]);
  const FAINT = 0.45;
  const HIDDEN = 24;
  const BESIDE = 8;
  const BOLD = 600;
  // Their insides say what no record has.
  const CLOSED = new Set(["IFRAME", "FRAME", "OBJECT", "EMBED", "CANVAS", "VIDEO"]);
  const everything = [0, 0, width, height];
  const records = [];
  const rawOf = new Map();
  const covers = [];
  const unread = new Set();

  const round = (value) => Math.round(value * 100) / 100;
  const meet = (a, b) => [Math.max(a[0], b[0]), Math.max(a[1], b[1]),
    Math.min(a[2], b[2]), Math.min(a[3], b[3])];
  const area = (box) => Math.max(0, box[2] - box[0]) * Math.max(0, box[3] - box[1]);
  const boxOf = (rect) => [rect.left + scrollX, rect.top + scrollY,
    rect.right + scrollX, rect.bottom + scrollY];
  const oneLine = (text) => text
    .replace(/[\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff\ue000-\uf8ff]/g, "")
    .replace(/[\u{f0000}-\u{10ffff}]/gu, "").replace(/\s+/g, " ").trim();

  // Any CSS color, in the bytes that it paints.
  const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  const colors = new Map();
  const colorOf = (text) => {
    if (!colors.has(text)) {
      const match = /^rgba?\((\d+), (\d+), (\d+)(?:, ([\d.]+))?\)$/.exec(text);
      if (match) {
        colors.set(text, [+match[1], +match[2], +match[3], match[4] === undefined ? 1 : +match[4]]);
      } else {
        canvas.clearRect(0, 0, 1, 1);
        canvas.fillStyle = "transparent";
        canvas.fillStyle = text;
        canvas.fillRect(0, 0, 1, 1);
        const [red, green, blue, alpha] = canvas.getImageData(0, 0, 1, 1).data;
        colors.set(text, [red, green, blue, alpha / 255]);
      }
    }
    return colors.get(text);
  };
  const over = (top, below) => top.slice(0, 3)
    .map((part, at) => Math.round(part * top[3] + below[at] * (1 - top[3]))).concat(1);

  const ink = (style, svg) => colorOf(svg && style.fill.startsWith("rgb") ? style.fill
    : style.webkitTextFillColor || style.color);

  // What is behind an element's text: a color, or null for a picture or a gradient.
  const behind = (style, below) => {
    if (style.backgroundImage !== "none") return null;
    const own = colorOf(style.backgroundColor);
    if (own[3] >= 1) return own;
    return below && (own[3] ? over(own, below) : below);
  };

  const transformed = (text, style, language) => {
    if (style.textTransform === "uppercase") return text.toLocaleUpperCase(language);
    if (style.textTransform === "lowercase") return text.toLocaleLowerCase(language);
    if (style.textTransform === "capitalize") {
      return text.replace(/(^|[^\p{L}\p{N}'’])(\p{L})/gu,
        (_, before, letter) => before + letter.toLocaleUpperCase(language));
    }
    return text;
  };

  // Elements whose accessible name has content of CSS that is not shown, such as a tooltip.
  const unseen = new Set();

  // What CSS puts before or after: words, but neither marks nor icons; null for words that no script
  // can read, such as counters. A solid one that is out of the flow may cover its element.
  const generated = (element, which, language) => {
    const style = getComputedStyle(element, which);
    if (style.content === "none" || style.content === "normal" || style.display === "none"
        || style.visibility !== "visible") return "";
    if (["absolute", "fixed"].includes(style.position)) {
      const sized = parseFloat(style.width) > 4 && parseFloat(style.height) > 4;
      if (sized && !style.zIndex.startsWith("-")) covers.push({ element, style });
    }
    if (/\bcounters?\(/.test(style.content)) return null;
    const match = /^"((?:[^"\\]|\\.)*)"$/.exec(style.content);
    if (!match) return "";
    const text = oneLine(match[1].replace(/\\(["\\])/g, "$1"));
    // Nobody knows whether a sign such as `#` is a part of what a heading says.
    if (/^H[1-6]$/.test(element.tagName) && /^[!-~\u00a1-\u00bf\u2010-\u2027]+$/.test(text)
        && !/[\p{L}\p{N}]/u.test(text)) return null;
    if (!/[\p{L}\p{N}]/u.test(text)) return "";
    if (style.opacity >= 0.1) return transformed(text, style, language);
    unseen.add(element);
    return "";
  };

  // The number or letter before an item of an ordered list.
  const roman = (number) => [["m", 1000], ["cm", 900], ["d", 500], ["cd", 400], ["c", 100], ["xc", 90],
    ["l", 50], ["xl", 40], ["x", 10], ["ix", 9], ["v", 5], ["iv", 4], ["i", 1]]
    .reduce(([text, rest], [sign, value]) => [text + sign.repeat(rest / value), rest % value],
      ["", number])[0];
  const marker = (element, style) => {
    const list = element.parentElement;
    if (style.display !== "list-item" || list?.tagName !== "OL") return "";
    const items = [...list.children].filter((each) => each.tagName === "LI");
    const at = items.indexOf(element);
    const set = items.slice(0, at + 1).findLastIndex((each) => each.hasAttribute("value"));
    const step = list.reversed ? -1 : 1;
    const first = list.hasAttribute("start") ? list.start : list.reversed ? items.length : 1;
    const number = set < 0 ? first + step * at : items[set].value + step * (at - set);
    const kind = style.listStyleType;
    if (kind === "none" || style.listStyleImage !== "none") return "";
    if (kind === "decimal") return `${number}. `;
    if (kind === "decimal-leading-zero") return `${String(number).padStart(2, "0")}. `;
    const letter = number > 0 && number < 27 ? String.fromCharCode(96 + number) : "";
    const text = kind.endsWith("roman") ? roman(Math.max(number, 0)) : letter;
    if (!/(alpha|latin|roman)$/.test(kind) || !text) return kind.startsWith('"') ? "" : null;
    return `${kind.startsWith("upper") ? text.toUpperCase() : text}. `;
  };

  // Fonts that draw a word such as `dashboard` as an icon; without the font the word is seen.
  const LIGATURES = /material[ -]?(icons|symbols)/i;
  const iconFont = [...document.fonts].some((face) => LIGATURES.test(face.family)
    && face.status === "loaded");
  const isIcon = (node, style) => LIGATURES.test(style.fontFamily)
    || LIGATURES.test(node.parentElement?.getAttribute("class") ?? "");

  const range = document.createRange();
  const readText = (node, style, context) => {
    if (isIcon(node, style)) return { text: "", box: null, cut: !iconFont && node.data.trim() !== "" };
    if (!node.data.trim() || style.visibility !== "visible" || parseFloat(style.fontSize) < 2
        || ink(style, context.svg)[3] < 0.1) {
      return { text: node.data.trim() ? "" : " ", box: null, cut: false };
    }
    range.selectNodeContents(node);
    let [all, seen, box, cut] = [0, 0, null, false];
    for (const rect of range.getClientRects()) {
      const whole = boxOf(rect);
      const visible = meet(whole, context.clip);
      all += area(whole);
      // The lines' boxes are taller than their letters: a little of them may be out of sight.
      cut ||= area(whole) > 0 && (visible[2] - visible[0] < whole[2] - whole[0] - 2
        || visible[3] - visible[1] < 0.7 * (whole[3] - whole[1]));
      if (area(visible) <= 0) continue;
      seen += area(visible);
      box = box ? [Math.min(box[0], visible[0]), Math.min(box[1], visible[1]),
        Math.max(box[2], visible[2]), Math.max(box[3], visible[3])] : visible;
    }
    if (!box || seen < all * 0.1) return { text: "", box: null, cut: all > 0 };
    return {
      text: transformed(node.data, style, context.language),
      box,
      cut: cut || context.ellipsis || context.faint
        || ink(style, context.svg)[3] * context.opacity < FAINT || turned(node.data, style),
    };
  };

  // Groups of digits without a letter stand in another order on a line from right to left.
  const turned = (text, style) => style.direction === "rtl" && style.unicodeBidi !== "plaintext"
    && !/\p{L}/u.test(text) && /[\d٠-٩][^\d٠-٩.,:/]+[\d٠-٩]/.test(text.trim());

  const inline = (style) => style.display.startsWith("inline") || style.display === "contents"
    || style.display === "ruby";

  // A label's text without that of the field in it.
  const labelText = (label) => {
    if (!label.querySelector("select, textarea, button")) return label.innerText;
    const walker = document.createTreeWalker(label, NodeFilter.SHOW_TEXT);
    const texts = [];
    while (walker.nextNode()) {
      const node = walker.currentNode;
      if (!node.parentElement.closest("select, textarea, button, script, style")) texts.push(node.data);
    }
    return texts.join(" ");
  };

  // A hint that is hidden below a floating label, or longer than its field, is seen by nobody.
  const showsHint = (element) => {
    const style = getComputedStyle(element, "::placeholder");
    if (colorOf(style.color)[3] * parseFloat(style.opacity) < FAINT
        || style.visibility !== "visible") return false;
    const around = getComputedStyle(element);
    canvas.font = `${around.fontStyle} ${around.fontWeight} ${around.fontSize} ${around.fontFamily}`;
    const room = element.clientWidth - parseFloat(around.paddingLeft) - parseFloat(around.paddingRight);
    return element.tagName === "TEXTAREA" || canvas.measureText(element.placeholder).width <= room + 1;
  };

  // The effect of a button that resets a form is seen if all its fields are before the button, and
  // is known to be empty fields if none has a value to begin with. A list always has one.
  const empties = (button) => {
    if (button.type !== "reset" || !button.form) return false;
    const fields = [...button.form.elements].filter((each) =>
      ["INPUT", "SELECT", "TEXTAREA"].includes(each.tagName) && each.checkVisibility()
      && !["button", "hidden", "image", "reset", "submit"].includes(each.type));
    const end = button.getBoundingClientRect().bottom + BESIDE;
    return fields.some((each) => each.tagName !== "SELECT") && fields.every((each) =>
      each.getBoundingClientRect().bottom <= end && !each.defaultChecked
      && (["checkbox", "radio"].includes(each.type) || !each.defaultValue));
  };

  const field = (element) => {
    const tag = element.tagName;
    const kind = tag === "INPUT" ? element.type : tag.toLowerCase();
    const found = { kind: kind === "reset" && !empties(element) ? "button" : kind };
    if (kind === "hidden") return null;
    const hint = element.placeholder && showsHint(element) ? oneLine(element.placeholder) : "";
    if (hint) found.placeholder = hint;
    found.autocomplete = element.autocomplete ?? "";
    found.key = element.name || element.id;
    if (element.labels?.length) {
      found.label = oneLine([...element.labels].map(labelText).join(" "));
    } else if (element.getAttribute("aria-labelledby")) {
      found.label = oneLine(element.getAttribute("aria-labelledby").split(/\s+/)
        .map((id) => document.getElementById(id)?.innerText ?? "").join(" "));
    }
    if (tag === "SELECT") {
      found.options = [...element.options].map((option) => oneLine(option.label || option.text));
      found.value = oneLine([...element.selectedOptions].map((option) => option.text).join(", "));
      found.text = element.size > 1 || element.multiple ? "" : found.value;
    } else if (kind === "checkbox" || kind === "radio") {
      found.value = element.checked ? "on" : "";
    } else if (kind === "password") {
      found.text = element.value ? "" : hint;
    } else {
      found.value = oneLine(String(element.value ?? ""));
      const shown = !["color", "range", "image", "file"].includes(kind)
        && !(tag === "METER" || tag === "PROGRESS");
      const standard = { submit: "Submit", reset: "Reset" }[kind] ?? "";
      const native = ["date", "time", "datetime-local", "month", "week"].includes(kind);
      if (shown && !native) found.text = found.value || hint || standard;
    }
    if (tag === "INPUT" && element.list) {
      found.options = [...element.list.options].map((option) => oneLine(option.value));
    }
    return found;
  };

  const hrefOf = (element) => {
    const href = element.getAttribute("href") ?? element.getAttributeNS(
      "http://www.w3.org/1999/xlink", "href");
    if (href === null) return "";
    try {
      const url = new URL(href, document.baseURI);
      return url.origin === location.origin ? url.href.slice(url.origin.length) : url.href;
    } catch {
      return href;
    }
  };

  // Whether it draws a shape: filled, shadowed, or with lines on two sides; one line parts things.
  const painted = (style, below) => {
    const differs = (color) => color[3] > 0.05
      && (!below || over(color, below).some((part, at) => part !== below[at]));
    const lines = ["Top", "Right", "Bottom", "Left"].filter((side) =>
      parseFloat(style[`border${side}Width`]) > 0 && style[`border${side}Style`] !== "none"
      && differs(colorOf(style[`border${side}Color`])));
    const shadow = style.boxShadow.match(/^(?:rgba?|color|okl\w+|lab|lch|hsla?)\([^)]*\)/)?.[0];
    return style.backgroundImage !== "none" || differs(colorOf(style.backgroundColor))
      || lines.length > 1 || (style.boxShadow !== "none" && (!shadow || colorOf(shadow)[3] > 0.05));
  };

  const hiding = (style) => style.overflowX !== "visible" || style.overflowY !== "visible"
    || style.contain.includes("paint") || style.contain.includes("strict")
    || style.contain.includes("content");
  const clippedAway = (style) => /^inset\((50|100)%/.test(style.clipPath)
    || (style.position === "absolute" && /^rect\(([01]px(, |\s)?){4}\)$/.test(style.clip));

  const childrenOf = (element) => {
    if (element.shadowRoot) return element.shadowRoot.childNodes;
    if (element.tagName === "SLOT") {
      const assigned = element.assignedNodes();
      if (assigned.length) return assigned;
    }
    return element.childNodes;
  };

  // Returns what the element adds to the text of what is around it, and whether that is cut.
  const walk = (element, outer) => {
    const tag = element.tagName.toUpperCase();
    if (SKIPPED.has(tag)) return tag === "BR" || tag === "WBR" ? { text: " ", own: " ", cut: false } : null;
    const style = getComputedStyle(element);
    if (style.display === "none" || clippedAway(style)) return null;
    const opacity = outer.opacity * parseFloat(style.opacity);
    if (opacity < 0.1) return null;
    const blurred = parseFloat(/blur\(([\d.]+)px/.exec(style.filter)?.[1] ?? 0) >= 1;
    const faded = /\b(opacity|brightness|contrast)\(0(\.[0-3]\d*)?\)/.test(style.filter);
    if (!element.checkVisibility({ contentVisibilityAuto: false })
        && style.display !== "contents") return null;

    const clip = style.position === "fixed" ? outer.fixedClip
      : style.position === "absolute" ? outer.absoluteClip : outer.clip;
    const whole = boxOf(element.getBoundingClientRect());
    const box = meet(whole, clip);
    const below = behind(style, outer.below);
    const svg = element instanceof SVGElement;
    const graphic = tag === "SVG" && !outer.svg;
    const context = {
      ...outer,
      opacity,
      faint: outer.faint || blurred || faded || opacity < FAINT,
      below,
      clip,
      language: element.lang || outer.language,
      svg: outer.svg || tag === "SVG",
      ellipsis: false,
    };
    if (!svg && hiding(style)) {
      // Content is cut at the inner edge of the border.
      const inner = [whole[0] + element.clientLeft, whole[1] + element.clientTop,
        whole[0] + element.clientLeft + element.clientWidth,
        whole[1] + element.clientTop + element.clientHeight];
      const root = element === document.documentElement || element === document.body;
      if (!root && style.display !== "inline") context.clip = meet(clip, inner);
      const scrolls = (way, rest) => /auto|scroll/.test(way) && rest > HIDDEN;
      if (!root && area(box) > HIDDEN * HIDDEN && tag !== "TEXTAREA" && tag !== "SELECT"
          && (scrolls(style.overflowY, element.scrollHeight - element.clientHeight)
            || scrolls(style.overflowX, element.scrollWidth - element.clientWidth))) {
        unread.add("scroller");
      }
      context.ellipsis = (style.textOverflow === "ellipsis"
          && element.scrollWidth > element.clientWidth + 1)
        || (style.webkitLineClamp !== "none" && element.scrollHeight > element.clientHeight + 1);
    }
    if (style.position !== "static" || style.transform !== "none") {
      context.absoluteClip = context.clip;
    }
    if (style.transform !== "none" || style.filter !== "none" || style.contain.includes("paint")) {
      context.fixedClip = context.clip;
    }

    // Of a menu that is folded up a line or two may be in sight.
    const sliver = area(box) < 0.5 * area(whole)
      && Math.min(box[2] - box[0], box[3] - box[1]) < 5;
    const visible = style.visibility === "visible" && style.display !== "contents" && !sliver
      && box[2] - box[0] >= 1 && box[3] - box[1] >= 1
      && !(svg && !graphic && tag !== "TEXT") && tag !== "BODY" && tag !== "HTML";
    let record = null;
    if (visible) {
      record = {
        raw: records.length,
        parent: outer.record,
        tag: element.tagName.toLowerCase(),
        box: box.map(round),
        clipped: area(box) < area(whole) * 0.95,
        split: tag !== "TABLE" && element.getClientRects().length > 1,
        color: ink(style, context.svg),
        background: below,
        painted: painted(style, outer.below) || PAINTING.has(tag),
        font: round(parseFloat(style.fontSize)),
        bold: parseInt(style.fontWeight, 10) >= BOLD,
        inline: style.display === "inline",
        disabled: element.matches(":disabled, [aria-disabled=true]")
          || style.pointerEvents === "none",
        role: element.getAttribute("role") ?? "",
      };
      if (marked) record.marked = element.dataset.snellenId ?? "";
      else element.setAttribute("data-snellen-id", record.raw);
      if (tag === "A" || tag === "AREA") record.href = hrefOf(element);
      if (tag === "IMG") {
        record.alt = oneLine(element.alt ?? "");
        record.drawn = element.currentSrc.startsWith("data:image/svg+xml");
        record.cut = !element.complete || !element.naturalWidth;
      }
      if (CLOSED.has(tag) && area(box) > HIDDEN * HIDDEN) unread.add(tag.toLowerCase());
      if (empties(element)) record.kind = "reset";
      if (/^H[1-6]$/.test(tag)) record.level = +tag[1];
      if (element.getAttribute("aria-level")) record.level = +element.getAttribute("aria-level");
      records.push(record);
      rawOf.set(element, record.raw);
      context.record = record.raw;
    }

    if (LEAVES.has(tag)) {
      const about = ["INPUT", "SELECT", "TEXTAREA", "METER", "PROGRESS"].includes(tag)
        ? field(element) : null;
      if (record && about) Object.assign(record, about, { own: about.text ?? "" });
      return { text: "", own: "", cut: false };
    }

    const pieces = [];
    const own = [];
    let cut = false;
    const add = (text, mine) => {
      pieces.push(text);
      if (mine) own.push(text);
    };
    const first = tag === "LI" ? marker(element, style) : "";
    if (first) add(first, false);
    const before = svg ? "" : generated(element, "::before", context.language);
    if (before) add(`${before} `, true);
    for (const child of childrenOf(element)) {
      if (child.nodeType === Node.TEXT_NODE) {
        const read = readText(child, style, context);
        add(read.text, true);
        cut ||= read.cut;
        if (record && read.box && !read.box.some(Number.isNaN)) {
          record.ink = record.ink ? [Math.min(record.ink[0], read.box[0]),
            Math.min(record.ink[1], read.box[1]), Math.max(record.ink[2], read.box[2]),
            Math.max(record.ink[3], read.box[3])] : read.box;
        }
      } else if (child.nodeType === Node.ELEMENT_NODE) {
        const found = walk(child, context);
        if (!found) continue;
        add(found.text, false);
        cut ||= found.cut;
        own.push(found.own);
      }
    }
    const after = svg ? "" : generated(element, "::after", context.language);
    if (after) add(` ${after}`, true);
    cut ||= first === null || before === null || after === null;
    const text = pieces.join("");
    if (record) {
      record.text = oneLine(text);
      record.own = oneLine(own.join(""));
      record.cut = cut;
      record.unseen = unseen.has(element);
      record.ink = record.ink?.map(round);
    }
    // What is no record itself says its words as those of what is around it.
    return { text: inline(style) ? text : ` ${text} `, own: record ? " " : own.join(""), cut };
  };

  walk(document.documentElement, {
    record: null,
    opacity: 1,
    below: [255, 255, 255, 1],
    clip: everything,
    absoluteClip: everything,
    fixedClip: everything,
    language: document.documentElement.lang || "en",
    svg: false,
    faint: false,
    ellipsis: false,
  });
  const metas = ["name=description i", "property='og:description' i", "name='twitter:description' i"]
    .map((which) => document.querySelector(`meta[${which}][content]`)?.content ?? "");
  // What JSON-LD says of the page itself, or of what it is about.
  const linked = [...document.querySelectorAll("script[type='application/ld+json']")].flatMap((one) => {
    let said = null;
    try {
      said = JSON.parse(one.textContent);
    } catch {
      return [];
    }
    return [said?.["@graph"] ?? said].flat().map((each) => each?.description)
      .filter((text) => typeof text === "string");
  });
  const descriptions = [...new Set([...metas, ...linked].map(oneLine))].filter((text) => text);
  const spoken = [
    document.documentElement.lang,
    document.documentElement.getAttribute("xml:lang"),
    document.body?.lang,
    document.querySelector("meta[http-equiv='content-language' i]")?.content,
    document.querySelector("meta[property='og:locale' i]")?.content,
  ].find((code) => /^[a-z]{2,3}([-_]|$)/i.test(code?.trim() ?? ""));
  const covered = findCovered(records, rawOf, colorOf, covers);
  for (const record of records) record.covered = covered[record.raw];
  return {
    title: oneLine(document.title),
    description: descriptions[0] ?? "",
    descriptions: descriptions.slice(1),
    language: (spoken ?? "").trim().replaceAll("_", "-"),
    unread: [...unread].sort(),
    records,
    facts: marked ? [] : findFacts(records, rawOf),
    missing: marked ? "" : findMissing(records),
  };
}
