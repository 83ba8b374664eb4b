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
  const pair = (label, value) => ({
    label: told(label), value: told(value), label_element: idOf(label), element: idOf(value),
  });

  for (const table of document.querySelectorAll("table")) {
    if (!shown(table) || table.querySelector("table") || table.rows.length > 200) continue;
    const rows = [...table.rows].filter(shown);
    const spans = rows.some((row) => [...row.cells].some((c) => c.colSpan > 1 || c.rowSpan > 1));
    if (!rows.length || spans) continue;
    const caption = captionOf(table);
    const head = [...rows[0].cells];
    const headed = rows.length > 1 && head.length > 1
      && (rows[0].parentElement.tagName === "THEAD" || head.every((cell) => cell.tagName === "TH"));
    const foot = (row) => row.parentElement.tagName === "TFOOT";
    const repeats = (row) => foot(row)
      && [...row.cells].map(readable).join() === head.map(readable).join();
    const body = rows.slice(headed ? 1 : 0).filter((row) => !foot(row)).map((row) => [...row.cells])
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
    const plain = element.children.length ? null : /^([^:：.!?]{2,40})[:：]\s*(\S.*)$/.exec(text);
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
    const name = headings.length ? (top.length === 1 ? top[0] : null) : larger;
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
    const value = readable(link);
    if (!/[\d@]/.test(value)) continue;
    const phone = link.getAttribute("href").startsWith("tel:");
    facts.push({ kind: "contact", label: phone ? "phone" : "email", value, element: idOf(link) });
  }
  return facts;
};
