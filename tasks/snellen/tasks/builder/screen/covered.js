// Which share of each record something else hides: at nine points of each, who is on top?
const findCovered = (records, rawOf, colorOf) => {
  const root = document.scrollingElement ?? document.documentElement;

  // What keeps its place on the window tells nothing where the page is scrolled.
  const pins = new Map();
  const pinned = (element) => {
    if (!element || element === document.documentElement) return false;
    if (!pins.has(element)) {
      pins.set(element, ["fixed", "sticky"].includes(getComputedStyle(element).position)
        || pinned(element.parentElement));
    }
    return pins.get(element);
  };
  const walls = new Map();
  const hides = (element) => {
    if (!walls.has(element)) {
      const style = getComputedStyle(element);
      const picture = style.backgroundImage;
      const shape = element instanceof SVGElement && element.tagName !== "svg"
        && style.fill !== "none" && parseFloat(style.fillOpacity) > 0.5;
      let opacity = 1;
      for (let each = element; each; each = each.parentElement) {
        opacity *= parseFloat(getComputedStyle(each).opacity);
      }
      walls.set(element, opacity > 0.5 && (shape
        || ["IMG", "VIDEO", "IFRAME", "INPUT"].includes(element.tagName)
        || (picture !== "none" && !/rgba\(|transparent/.test(picture))
        || (!(element instanceof SVGElement) && colorOf(style.backgroundColor)[3] > 0.5)));
    }
    return walls.get(element);
  };
  const inside = (one, other) => one === other || other.contains(one)
    || (one.getRootNode() instanceof ShadowRoot && inside(one.getRootNode().host, other));
  const under = (element, x, y, top) => {
    const first = document.elementFromPoint(x, y);
    if (!first || inside(first, element) || inside(element, first)) return false;
    for (const each of document.elementsFromPoint(x, y)) {
      if (inside(each, element) || inside(element, each)) return false;
      if (!(top && pinned(each)) && hides(each)) return true;
    }
    return false;
  };

  // Asking the page is slow, and most elements have nothing over or under them.
  const elements = [...rawOf.keys()];
  const solid = records.filter((record) => hides(elements[record.raw]));
  const meets = (a, b) => Math.min(a[2], b[2]) - Math.max(a[0], b[0]) > 1
    && Math.min(a[3], b[3]) - Math.max(a[1], b[1]) > 1;
  const within = (inner, outer) => {
    for (let at = inner; at !== null; at = records[at].parent) if (at === outer) return true;
    return false;
  };
  const doubtful = records.filter((record) => solid.some((wall) => meets(record.box, wall.box)
    && !within(record.raw, wall.raw) && !within(wall.raw, record.raw)));
  if (!doubtful.length) return records.map(() => 0);

  const reach = new CSSStyleSheet();
  reach.replaceSync("*, *::before, *::after { pointer-events: auto !important; }");
  const sheets = [...document.adoptedStyleSheets];
  document.adoptedStyleSheets = [...sheets, reach];
  const counts = records.map(() => [0, 0]);
  const end = Math.max(...doubtful.map((record) => record.box[3]), 0);
  for (let top = 0; top < end; top += innerHeight) {
    const bottom = top + innerHeight;
    if (!doubtful.some(({ box }) => box[3] > top && box[1] < bottom)) continue;
    scrollTo({ top, left: 0, behavior: "instant" });
    const start = root.scrollTop;
    for (const record of doubtful) {
      const [left, upper, right, lower] = record.box;
      if (lower <= top || upper >= top + innerHeight) continue;
      const element = elements[record.raw];
      if (top && pinned(element)) continue;
      const parts = right - left < 12 || lower - upper < 12 ? [3] : [1, 3, 5];
      for (const row of parts) {
        const y = upper + (lower - upper) * row / 6;
        if (y < top || y >= top + innerHeight) continue;
        for (const column of parts) {
          const x = left + (right - left) * column / 6;
          counts[record.raw][1] += 1;
          if (under(element, x, y - start, start)) counts[record.raw][0] += 1;
        }
      }
    }
  }
  scrollTo({ top: 0, left: 0, behavior: "instant" });
  document.adoptedStyleSheets = sheets;
  return counts.map(([hidden, all]) => all ? Math.round(100 * hidden / all) / 100 : 0);
};
