"use strict";
// Whatever a model said reaches the page by textContent alone.
(() => {
  // A phone's screen holds one item or less: ten are a page there.
  const PAGE = matchMedia("(max-width: 48rem)").matches ? 10 : 25;
  for (const button of document.querySelectorAll("[data-copy]")) {
    button.hidden = !navigator.clipboard;
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent);
      button.textContent = "Copied";
    });
  }
  const source = document.getElementById("items-data");
  if (!source) return;
  const data = JSON.parse(source.textContent);
  const browser = document.getElementById("browser");
  const primary = data.values[0] || [];
  const everything = Array.from({ length: data.count }, (_, row) => row);
  const column = (name) => data[name] || {};
  const attempt = (row) => (data.attempts ? data.attempts[row] : 0);
  // Half a character pair has no place in an address.
  const whole = (text) => text.replace(/\p{Surrogate}/gu, "\ufffd");
  const keyOf = (row) => whole(data.ids[row]) + (data.attempts ? `@${attempt(row)}` : "");
  let found = everything;
  let start = 0;
  let chosen = -1;

  const make = (tag, text = "", className = "") => {
    const element = document.createElement(tag);
    if (text !== "") element.textContent = text;
    if (className) element.className = className;
    return element;
  };

  // Controls
  const controls = make("form", "", "controls");
  controls.setAttribute("role", "search");
  const labelled = (name, control, className = "") => {
    const label = make("label", name, className);
    label.append(control);
    controls.append(label);
    return control;
  };
  const select = (name, options) => {
    const control = make("select");
    for (const [value, text] of options) {
      const option = make("option", text);
      option.value = value;
      control.append(option);
    }
    return labelled(name, control);
  };
  const count = (codes, total) => {
    const counts = new Array(total).fill(0);
    for (const code of codes) if (code >= 0) counts[code] += 1;
    return counts;
  };
  const choices = (names, counts) =>
    [["", "all"], ...names.map((name, code) => [String(code), `${name} (${counts[code]})`]).filter((_, code) => counts[code])];
  const search = labelled("Search", make("input"), "wide");
  search.type = "search";
  search.placeholder = "question, answer, id";
  const sort = select("Order", [
    ["worst", "worst first"], ["best", "best first"], ["id", "by id"], ["given", "as in the data"],
  ]);
  const outcome = select("Outcome", choices(data.outcomeNames, count(data.outcomes, data.outcomeNames.length)));
  const failed = column("failures");
  const failure = data.failureNames.length
    ? select("Went wrong", choices(data.failureNames, count(Object.values(failed).flat(), data.failureNames.length)))
    : null;
  const tags = data.tags.filter((tag) => tag.filter).map((tag) => [
    tag, select(tag.name, choices(tag.values, count(tag.codes, tag.values.length))),
  ]);
  controls.addEventListener("submit", (event) => event.preventDefault());

  const pager = make("div", "", "pager");
  const status = make("output");
  status.setAttribute("aria-live", "polite");
  const below = make("div", "", "pager below");
  const turners = (name, pages) => [pager, below].map((place) => {
    const button = make("button", name);
    button.type = "button";
    button.addEventListener("click", () => turn(pages));
    place.append(button);
    return button;
  });
  pager.append(status);
  const backs = turners("Back", -1);
  const forths = turners("Next", 1);
  const list = make("div", "", "items");
  if (data.prefix.trim()) {
    const begins = make("details");
    begins.append(make("summary", "What every question begins with"), make("p", data.prefix.trim(), "said"));
    browser.append(begins);
  }
  browser.append(controls, pager, list, below);
  browser.hidden = false;

  // Finding
  const collator = new Intl.Collator("en", { numeric: true });
  let ranks = null;
  const byId = (a, b) => {
    if (!ranks) {
      const order = [...everything].sort((p, q) => collator.compare(data.ids[p], data.ids[q]));
      ranks = new Int32Array(data.count);
      order.forEach((row, rank) => { ranks[row] = rank; });
    }
    return ranks[a] - ranks[b] || attempt(a) - attempt(b);
  };
  const orders = {
    worst: (a, b) => primary[a] - primary[b] || a - b,
    best: (a, b) => primary[b] - primary[a] || a - b,
    id: byId,
    given: (a, b) => a - b,
  };
  const texts = ["ids", "questions", "answers", "parsed", "references"].map((name) => data[name]).filter(Boolean);
  const notes = [column("notes"), column("errors")];
  const find = () => {
    const wanted = search.value.trim().toLowerCase();
    const holds = (text) => text != null && text.toLowerCase().includes(wanted);
    found = everything.filter((row) =>
      (outcome.value === "" || data.outcomes[row] === Number(outcome.value)) &&
      (!failure || failure.value === "" || (failed[row] || []).includes(Number(failure.value))) &&
      tags.every(([tag, control]) => control.value === "" || tag.codes[row] === Number(control.value)) &&
      (!wanted || texts.some((each) => holds(each[row])) || notes.some((each) => holds(each[row]))));
    found.sort(orders[sort.value]);
  };

  // Showing
  const shown = (value) => (value == null ? "" : (100 * value).toFixed(1));
  const pair = (terms, name, text, cutAt) => {
    terms.append(make("dt", name));
    const cut = cutAt ? `… (cut; ${cutAt.toLocaleString("en")} characters in all)` : "";
    const said = make("dd", text == null || text === "" ? "none" : text + cut);
    if (text == null || text === "") said.className = "none";
    terms.append(said);
  };
  const imageOf = (row, place) => {
    const image = make("img");
    image.src = data.images[place];
    image.alt = `screenshot of ${data.ids[row]}`;
    image.decoding = "async";
    return image;
  };
  const enlarged = make("dialog");
  browser.append(enlarged);
  // A click beside the picture closes it, as Escape does.
  enlarged.addEventListener("click", (event) => { if (event.target === enlarged) enlarged.close(); });
  const enlarge = (row, place) => {
    const bar = make("div", "", "bar");
    const close = make("button", "Close");
    close.type = "button";
    close.addEventListener("click", () => enlarged.close());
    bar.append(make("span", data.ids[row]), close);
    enlarged.setAttribute("aria-label", `Screenshot of ${data.ids[row]}`);
    enlarged.replaceChildren(bar, imageOf(row, place));
    enlarged.showModal();
  };
  const show = (row) => {
    const item = make("article", "", row === chosen ? "item chosen" : "item");
    const body = make("div");
    const heading = make("h3");
    const link = make("a", `${data.ids[row]}${data.attempts ? ` · attempt ${attempt(row)}` : ""}`);
    link.href = `#item=${encodeURIComponent(keyOf(row))}`;
    heading.append(link);
    body.append(heading);
    const question = data.questions && data.questions[row];
    if (question) body.append(make("p", question + (column("questionsCut")[row] ? "…" : ""), "ask"));
    const terms = make("dl");
    const error = column("errors")[row];
    if (error) pair(terms, "error", error);
    pair(terms, "answer", data.answers && data.answers[row], column("answersCut")[row]);
    if (data.parsed && data.parsed[row] != null) pair(terms, "read as", data.parsed[row], column("parsedCut")[row]);
    if (data.withReferences) pair(terms, "reference", data.references && data.references[row], column("referencesCut")[row]);
    if (column("notes")[row]) pair(terms, "note", column("notes")[row]);
    if (column("crashed")[row]) pair(terms, "published code", "raises on this answer");
    body.append(terms);
    const badges = make("ul", "", "badges");
    data.metrics.forEach((name, number) => badges.append(make("li", `${name} ${shown(data.values[number][row])}`, "score")));
    const state = data.outcomeNames[data.outcomes[row]];
    if (state !== "answered") badges.append(make("li", state, "state"));
    for (const code of failed[row] || []) badges.append(make("li", data.failureNames[code], "fault"));
    for (const tag of data.tags) {
      if (tag.codes[row] >= 0) badges.append(make("li", `${tag.name}: ${tag.values[tag.codes[row]]}`));
    }
    body.append(badges);
    item.append(body);
    const picture = column("image")[row];
    if (picture) {
      const image = imageOf(row, picture[0]);
      const button = make("button", "", "picture");
      button.type = "button";
      button.title = "Enlarge";
      button.append(image);
      button.addEventListener("click", () => enlarge(row, picture[0]));
      item.classList.add("pictured");
      item.append(button);
    }
    return item;
  };
  const draw = () => {
    list.replaceChildren(...found.slice(start, start + PAGE).map(show));
    const end = Math.min(start + PAGE, found.length);
    status.textContent = found.length
      ? `${(start + 1).toLocaleString("en")} – ${end.toLocaleString("en")} of ${found.length.toLocaleString("en")} item${found.length === 1 ? "" : "s"}`
      : "No item matches.";
    for (const button of backs) button.disabled = start === 0;
    for (const button of forths) button.disabled = end >= found.length;
    below.hidden = found.length <= PAGE;
  };
  const renew = () => { chosen = -1; start = 0; find(); draw(); };
  const turn = (pages) => {
    start = Math.max(0, start + pages * PAGE);
    draw();
    controls.scrollIntoView();
  };
  let waiting = 0;
  search.addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(renew, 120); });
  controls.addEventListener("change", (event) => { if (event.target !== search) renew(); });

  const go = () => {
    const match = /^#item=(.+)$/.exec(location.hash);
    if (!match) return;
    let wanted;
    try { wanted = decodeURIComponent(match[1]); } catch { wanted = match[1]; }
    const row = everything.find((each) => keyOf(each) === wanted || data.ids[each] === wanted);
    if (row === undefined) {
      status.textContent = `This page lists no item “${wanted}”. ${status.textContent}`;
      controls.scrollIntoView();
      return;
    }
    if (!found.includes(row)) { controls.reset(); find(); }
    chosen = row;
    start = PAGE * Math.floor(found.indexOf(row) / PAGE);
    draw();
    const target = list.querySelector(".chosen");
    target.tabIndex = -1;
    target.focus({ preventScroll: true });
    const look = () => target.scrollIntoView({ block: "start" });
    look();
    // Pictures above it have no height until they are decoded.
    const pictures = [...list.querySelectorAll("img")].map((image) => image.decode().catch(() => {}));
    Promise.all(pictures).then(() => { if (target.isConnected) look(); });
  };
  addEventListener("hashchange", go);
  renew();
  go();
})();
