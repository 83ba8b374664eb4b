// What the page says as data, with the raw ids of the elements that show it; see snapshots.py.
const findFacts = (records, rawOf) => {
  const PRICE = /^(?:from )?(?:[$€£¥₹₩₽₺]|US\$|USD|EUR|GBP|CHF|R\$|د\.إ|ر\.س)\s?\d[\d.,\u00a0 ]*(?:\s?(?:\/|per |each|pro |par |por ).{1,16})?$|^\d[\d.,\u00a0 ]*\s?(?:[$€£¥₹₩₽₺元]|USD|EUR|GBP|CHF|kr|zł|د\.إ|ر\.س|ريال|درهم)(?:\s?(?:\/|per |each|pro |par |por ).{1,16})?$/i;
  const HEADINGS = "h1, h2, h3, h4, h5, h6, [role=heading], legend, summary";
  const facts = [];
  const recordOf = (element) => {
    const raw = rawOf.get(element);
    return raw === undefined ? null : records[raw];
  };
  // Text that can be read to its end, else nothing.
  const readable = (element) => {
    const record = recordOf(element);
    return record && !record.cut ? record.text ?? "" : "";
  };
  // Whether letters stand for a name beside them, as in the circle before it: `RJ`, `Robert Jones`.
  const initials = (letters, name) => /^\p{Lu}{1,3}$/u.test(letters)
    && new RegExp(`^${[...letters].join(".*")}`, "iu").test(name);
  // What something tells: without initials before a name, and without what is attached: marks
  // of footnotes, badges, and smaller print below it.
  const told = (element) => {
    const whole = readable(element);
    let parts = [element, ...element.querySelectorAll("*")].map(recordOf).filter((each) => each?.own);
    if (!whole || whole.length > 160 || parts.length < 2) return whole;
    if (initials(parts[0].own, parts[1].own)) parts = parts.slice(1);
    const [first, ...others] = parts;
    const below = (each) => each.ink && first.ink && each.ink[1] >= first.ink[3] - 2;
    const lesser = (each) => ["sup", "sub"].includes(each.tag)
      || (each.font < first.font && (each.painted || below(each)))
      || (below(each) && `${each.color}` !== `${first.color}`);
    return parts.length === 1 || others.every(lesser) ? first.own : whole;
  };
  const idOf = (element) => rawOf.get(element) ?? null;
  const headings = [...document.querySelectorAll(HEADINGS)].filter((each) => readable(each));
  const captionOf = (element) => {
    const label = element.getAttribute("aria-label")
      ?? document.getElementById(element.getAttribute("aria-labelledby"))?.textContent;
    const figure = element.closest("figure")?.querySelector("figcaption");
    const own = element.caption ?? figure;
    if (own && readable(own)) return readable(own);
    const before = headings.filter((each) => !element.contains(each)
      && each.compareDocumentPosition(element) & Node.DOCUMENT_POSITION_FOLLOWING);
    return before.length ? readable(before.at(-1)) : (label ?? "").trim();
  };
  const shown = (element) => rawOf.has(element);
  const pairsOf = (element, found, caption) => {
    const pairs = found.filter(({ label, value }) => label && value)
      .map((each) => ({ ...each, label: each.label.replace(/[\s:：|·•*–—-]+$/, "") }))
      .filter(({ label }) => label);
    if (pairs.length) {
      facts.push({ kind: "pairs", caption, element: idOf(element), pairs });
    }
  };
  // Whether a cell holds one thing: no picture beside its words, not several links or blocks.
  const single = (cell) => cell.querySelectorAll("a[href]").length < 2
    && cell.querySelectorAll("p, li, div, table, ul").length < 2
    && ![...cell.querySelectorAll("img, svg, canvas, .avatar")].some(shown);
  const pair = (label, value) => !single(label) || !single(value) ? { label: "", value: "" } : ({
    label: told(label), value: told(value), label_element: idOf(label), element: idOf(value),
  });

  for (const table of document.querySelectorAll("table")) {
    if (!shown(table) || table.querySelector("table") || table.rows.length > 200) continue;
    const rows = [...table.rows].filter(shown);
    const wide = (row) => [...row.cells].some((cell) => cell.colSpan > 1);
    const deep = rows.some((row) => [...row.cells].some((cell) => cell.rowSpan > 1));
    // A row with a cell across others, such as one of totals, is no row of the columns.
    if (!rows.length || deep || wide(rows[0])) continue;
    const caption = captionOf(table);
    const head = [...rows[0].cells];
    const headed = rows.length > 1 && head.length > 1
      && (rows[0].parentElement.tagName === "THEAD" || head.every((cell) => cell.tagName === "TH"));
    const foot = (row) => row.parentElement.tagName === "TFOOT";
    const repeats = (row) => foot(row)
      && [...row.cells].map(readable).join() === head.map(readable).join();
    const body = rows.slice(headed ? 1 : 0).filter((row) => !foot(row) && !wide(row)).map((row) => [...row.cells])
      .filter((cells) => cells.length === head.length);
    if (headed && body.length) {
      facts.push({
        kind: "table",
        caption,
        element: idOf(table),
        headers: head.map(told),
        header_cells: head.map(idOf),
        // Of rows that are not shown nobody knows whether they are the highest.
        partial: body.length < [...table.rows].filter((row) => !repeats(row)).length - 1,
        rows: body.map((cells) => cells.map(told)),
        cells: body.map((cells) => cells.map(idOf)),
      });
    } else if (!headed && head.length === 2) {
      pairsOf(table, body.map(([label, value]) => pair(label, value)), caption);
    }
  }

  for (const list of document.querySelectorAll("dl")) {
    if (!shown(list)) continue;
    const found = [];
    for (const term of list.querySelectorAll("dt")) {
      const value = term.nextElementSibling;
      if (value?.tagName === "DD" && value.nextElementSibling?.tagName !== "DD") {
        found.push(pair(term, value));
      }
    }
    pairsOf(list, found, captionOf(list));
  }

  // Lines such as <li><b>Opening hours:</b> 9 to 5</li>, or the same without a tag.
  const lines = new Map();
  for (const element of document.querySelectorAll("li, p, div, span, address")) {
    const record = recordOf(element);
    const text = record && !record.cut ? record.text ?? "" : "";
    if (!text || text.length > 120 || element.closest("table, dl, nav, button, a, pre, code")) continue;
    const first = element.firstElementChild;
    const labelled = first && ["B", "STRONG", "SPAN", "EM", "LABEL"].includes(first.tagName)
      && /[:：]$/.test(readable(first)) && text.startsWith(readable(first)) ? readable(first) : "";
    // In front of more than a few words, a colon stands in a sentence.
    const plain = element.children.length ? null : /^(?!(?:[^\s:：]+\s+){4})([^:：.!?]{2,40})(?::\s+|：\s*)(\S.*)$/.exec(text);
    const label = labelled || plain?.[1] || "";
    const value = labelled ? text.slice(labelled.length).trim() : plain?.[2] ?? "";
    if (!label || !value || /^\/\//.test(value) || /\d$/.test(label)) continue;
    if (element.querySelector("li, p, div")) continue;
    const around = element.parentElement;
    if (!lines.has(around)) lines.set(around, []);
    lines.get(around).push({
      label,
      value,
      label_element: labelled ? idOf(first) ?? idOf(element) : idOf(element),
      element: idOf(element),
    });
  }
  for (const [around, found] of lines) pairsOf(around, found, captionOf(around));

  // Prices, each with the heading or link of the card or row that it stands in.
  const outer = (element) => element.parentElement ?? element.getRootNode().host ?? null;
  // A price with a line through it was the price.
  const crossedOut = (element) => element !== null && (element.tagName === "DEL"
    || getComputedStyle(element).textDecorationLine.includes("line-through") || crossedOut(element.parentElement));
  const priced = [...rawOf.keys()].filter((element) => PRICE.test(told(element)) && !crossedOut(element)
    && ![...element.children].some((child) => PRICE.test(told(child)))
    && !element.closest("table, dl"));
  const groups = new Map();
  for (const element of priced) {
    // The card is the largest box around this price that no other price is in.
    const alone = (box) => !priced.some((each) => each !== element && box.contains(each));
    let card = outer(element);
    while (card && outer(card) && !card.matches("body, html") && alone(outer(card))
        && !outer(card).matches("body, main, section, ul, ol, tbody")) {
      card = outer(card);
    }
    if (!card || !outer(card) || !alone(card)) continue;
    // Its title: the only heading of its level, else what is written larger than all else.
    const named = (each) => told(each) && !each.contains(element) && !element.contains(each)
      && !PRICE.test(told(each));
    const headings = [...card.querySelectorAll(HEADINGS)].filter(named);
    const levels = headings.map((each) => recordOf(each).level ?? 9);
    const top = headings.filter((_, at) => levels[at] === Math.min(...levels));
    const others = [...card.querySelectorAll("*")].filter((each) => recordOf(each)?.own && named(each))
      .sort((one, two) => recordOf(two).font - recordOf(one).font);
    const larger = others.length === 1 || (others.length > 1
      && recordOf(others[0]).font > recordOf(others[1]).font) ? others[0] : null;
    const ink = (each) => recordOf(each).ink;
    const above = others.filter((each) => ink(each) && ink(element)
      && (ink(each)[1] + ink(each)[3]) / 2 < ink(element)[1]);
    const name = headings.length ? (top.length === 1 ? top[0] : null)
      : larger ?? (above.length === 1 ? above[0] : null);
    if (!name) continue;
    const around = outer(card);
    if (!groups.has(around)) groups.set(around, []);
    groups.get(around).push({
      name: told(name), price: told(element), name_element: idOf(name), element: idOf(element),
    });
  }
  for (const [around, items] of groups) {
    facts.push({ kind: "prices", caption: captionOf(around), element: idOf(around), items });
  }

  for (const link of document.querySelectorAll("a[href^='tel:'], a[href^='mailto:']")) {
    const phone = link.getAttribute("href").startsWith("tel:");
    // The number or the address alone, not whose it is.
    const value = readable(link).match(phone ? /[+(]?\d[\d\s()./\u2010-\u2013-]{3,}\d/
      : /[\w.+-]+@[\w-]+(\.[\w-]+)+/)?.[0];
    if (!value) continue;
    facts.push({ kind: "contact", label: phone ? "phone" : "email", value, element: idOf(link) });
  }

  // Menus: entries side by side or one below another, each a link; one of them may be where we are.
  const look = (element) => {
    const style = getComputedStyle(element);
    const sides = ["Top", "Right", "Bottom", "Left"].map((side) => `border${side}`);
    const borders = sides.map((side) => (parseFloat(style[`${side}Width`]) ? style[side] : ""));
    return [style.backgroundColor, style.backgroundImage, style.fontWeight,
      style.textDecorationLine, ...borders, style.boxShadow].join();
  };
  const colors = (element) => getComputedStyle(element).color;
  const here = (link) => {
    const said = link.closest("[aria-current]:not([aria-current=false])");
    return Boolean(said && (said === link || link.parentElement === said))
      || link.getAttribute("aria-selected") === "true";
  };
  const active = (link, list) => {
    if (link.pathname && link.pathname !== location.pathname) return false;
    for (let each = link; each && each !== list; each = each.parentElement) {
      if (/(^|[\s_-])(active|current|selected)(\s|$)/.test(each.className)) return true;
    }
    return false;
  };
  const MENUS = "nav ul, nav ol, [role=navigation] ul, [role=navigation] ol, [role=tablist], [role=menubar],"
    + " ul[class*=nav], ul[class*=menu], ul[class*=sidebar], nav";
  const taken = new Set();
  for (const list of document.querySelectorAll(MENUS)) {
    if (list.querySelector("ul, ol, nav") || list.closest("[class*=pagination]")) continue;
    const links = [...list.querySelectorAll("a, [role=tab]")].filter(shown);
    if (links.length < 3 || links.length > 40 || links.some((each) => taken.has(each) || !told(each))) continue;
    const items = links.map((link) => ({ label: told(link), element: idOf(link) }));
    const boxes = links.map((link) => recordOf(link).box);
    const steps = boxes.slice(1).map((box, at) => [box, boxes[at]]);
    // Of an accordion the entries are headings of what lies between them.
    const column = !list.matches("[role=tablist]") && steps.every(([box, last]) => box[1] >= last[3] - 2
      && box[1] - last[3] < 2 * (last[3] - last[1]) && Math.abs(box[0] - last[0]) < 40);
    const row = steps.every(([box, last]) => box[0] >= last[2] - 2 && box[1] < last[3] && last[1] < box[3]);
    const back = steps.every(([box, last]) => box[2] <= last[0] + 2 && box[1] < last[3] && last[1] < box[3]);
    if (!column && !row && !back) continue;
    // What opens more entries is one to who looks.
    const [first, last] = [links[0], links.at(-1)];
    const within = [...list.querySelectorAll("button, [role=button], summary")].some((each) => shown(each)
      && each.compareDocumentPosition(first) & Node.DOCUMENT_POSITION_PRECEDING
      && each.compareDocumentPosition(last) & Node.DOCUMENT_POSITION_FOLLOWING);
    if (within) continue;
    for (const link of links) taken.add(link);
    // Where we are looks like no other entry, by more than its text's color, and the others look alike.
    const looks = (of) => links.map((link) => {
      const parts = [];
      for (let each = link; each !== list; each = each.parentElement) parts.push(of(each));
      return parts.join("|");
    });
    const marked = links.filter(here).length === 1 ? links.findIndex(here)
      : links.filter((each) => active(each, list)).length === 1
        ? links.findIndex((each) => active(each, list)) : -1;
    const others = (all) => new Set(all.filter((_, at) => at !== marked));
    const [drawn, written] = [looks(look), looks(colors)];
    const alike = others(drawn).size === 1 && others(written).size === 1;
    const seen = marked >= 0 && alike && !others(drawn).has(drawn[marked]);
    facts.push({
      kind: "menu", caption: "", element: idOf(list), items, current: seen ? items[marked].label : "",
    });
  }

  // Charts drawn as SVG: what stands at each label, written above, beside or after it.
  const AMOUNT = /^[+\-\u2212]?\s?[$€£¥₹]?\s?\d[\d.,\u00a0 ]*\s?(?:%|[$€£¥₹]|[kKmM])?$/;
  // What is read from an axis: marks that end on one of its lines, each above its label.
  const onTicks = (svg, places) => {
    const labels = places.filter((each) => !AMOUNT.test(each.text) && /\p{L}/u.test(each.text));
    const numbers = places.filter((each) => AMOUNT.test(each.text));
    const upright = labels.length > 1 && labels.every((each) => Math.abs(each.y - labels[0].y) < 3);
    const axis = upright && numbers.length > 2 && numbers.every((each) => each.y < labels[0].y
      && (Math.abs(each.right - numbers[0].right) < 3 && labels.every((label) => each.right < label.x)));
    if (!axis) return [];
    const boxes = [...svg.querySelectorAll("line, path, rect, circle")]
      .map((element) => ({ tag: element.tagName, box: element.getBoundingClientRect() }));
    const whole = svg.getBoundingClientRect();
    const lines = boxes.filter(({ box }) => box.height < 2 && box.width > 0.6 * whole.width)
      .map(({ box }) => (box.top + box.bottom) / 2);
    const ticks = numbers.map((each) => ({
      text: each.text, lines: lines.filter((y) => Math.abs(y - each.y) < 6),
    }));
    if (ticks.some((each) => each.lines.length !== 1)) return [];
    const marks = boxes.filter(({ tag, box }) => ["rect", "circle"].includes(tag)
      && box.width < whole.width / 2 && box.height > 2);
    return labels.map((label) => {
      const own = marks.filter(({ box }) => Math.abs((box.left + box.right) / 2 - label.x) < 4
        && box.top < label.y - 6);
      if (own.length !== 1) return null;
      const { tag, box } = own[0];
      const y = tag === "circle" ? (box.top + box.bottom) / 2 : box.top;
      const tick = ticks.find((each) => Math.abs(each.lines[0] - y) < 0.75);
      return tick ? { label: label.text, value: tick.text, label_element: idOf(label.element), element: null } : null;
    }).filter(Boolean);
  };
  for (const svg of document.querySelectorAll("svg")) {
    if (!shown(svg) || svg.closest("a, button") || !svg.querySelector("rect, path, circle, polyline")) continue;
    const texts = [...svg.querySelectorAll("text")].filter((each) => shown(each) && readable(each));
    const at = (each) => {
      const { left, right, top, bottom } = each.getBoundingClientRect();
      return { x: (left + right) / 2, y: (top + bottom) / 2, right, text: readable(each), element: each };
    };
    const places = texts.map(at);
    const whole = places.map((each) => [each, /^([^:：]+)(?::\s+|：\s*)(\S.*)$/.exec(each.text)])
      .filter(([, said]) => said && AMOUNT.test(said[2]));
    let items = whole.map(([each, [, label, value]]) => ({
      label: label.trim(), value, label_element: idOf(each.element), element: idOf(each.element),
    }));
    if (!items.length) {
      const numbers = places.filter((each) => AMOUNT.test(each.text));
      const labels = places.filter((each) => !AMOUNT.test(each.text) && /\p{L}/u.test(each.text));
      // The labels of the marks: on one line, or in one column.
      const line = labels.filter((each) => Math.abs(each.y - labels[0].y) < 3);
      const column = labels.filter((each) => Math.abs(each.right - labels[0].right) < 3);
      const upright = line.length >= column.length;
      const named = upright ? line : column;
      const beside = (label) => numbers.filter((each) => (upright
        ? Math.abs(each.x - label.x) < 4 && each.y < label.y
        : Math.abs(each.y - label.y) < 4 && each.x > label.right));
      const found = named.map((label) => [label, beside(label)]);
      if (named.length === labels.length && found.every(([, values]) => values.length === 1)) {
        items = found.map(([label, [value]]) => ({
          label: label.text,
          value: value.text,
          label_element: idOf(label.element),
          element: idOf(value.element),
        }));
      }
    }
    if (!items.length) items = onTicks(svg, places);
    if (items.length > 1) {
      facts.push({ kind: "chart", caption: captionOf(svg), element: idOf(svg), items });
    }
  }
  return facts;
};
