// Which share of each record something else hides: at nine points of each, who is on top?
const findCovered = (records, rawOf, colorOf, pseudos) => {
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

  // Boxes that CSS draws over an element with ::before and ::after, in page pixels.
  const walled = new Map();
  for (const { element, style } of pseudos) {
    const solid = parseFloat(style.opacity) > 0.5 && (colorOf(style.backgroundColor)[3] > 0.5
      || style.backdropFilter !== "none"
      || (style.backgroundImage !== "none" && !/rgba\(|transparent/.test(style.backgroundImage)));
    const around = getComputedStyle(element).position === "static"
      ? element.offsetParent ?? document.documentElement : element;
    if (!solid) continue;
    const rect = around.getBoundingClientRect();
    const left = rect.left + scrollX + around.clientLeft + parseFloat(style.left);
    const top = rect.top + scrollY + around.clientTop + parseFloat(style.top);
    const box = [left, top, left + parseFloat(style.width), top + parseFloat(style.height)];
    if (!box.some(Number.isNaN)) walled.set(element, [...(walled.get(element) ?? []), box]);
  }
  const isWalled = (element, x, y) => walled.get(element)?.some((box) =>
    box[0] < x && x < box[2] && box[1] < y && y < box[3]) ?? false;

  const under = (element, x, y, top) => {
    const first = document.elementFromPoint(x, y);
    if (!first || inside(first, element)) return isWalled(element, x, y + top);
    // Where what is around it is on top of it, that is by what CSS draws over it.
    if (inside(element, first)) return isWalled(first, x, y + top);
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
  const behind = findVeiled(elements, inside, colorOf);
  const pseudo = [...walled].map(([element, boxes]) => [rawOf.get(element) ?? null, boxes]);
  const doubtful = records.filter((record) => !behind(record.raw)
    && (solid.some((wall) => meets(record.box, wall.box)
      && !within(record.raw, wall.raw) && !within(wall.raw, record.raw))
      || pseudo.some(([raw, boxes]) => (raw === null || within(record.raw, raw))
        && boxes.some((box) => meets(record.box, box)))));
  if (!doubtful.length) return records.map(({ raw }) => behind(raw) ? 1 : 0);

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
  return counts.map(([hidden, all], raw) => behind(raw) ? 1
    : all ? Math.round(100 * hidden / all) / 100 : 0);
};

// Which records lie behind an open dialog, or behind a veil over the whole window.
const findVeiled = (elements, inside, colorOf) => {
  const seen = (element) => element.checkVisibility({ opacityProperty: true, visibilityProperty: true })
    && element.getBoundingClientRect().width > 0;
  const modal = [...document.querySelectorAll("dialog:modal, [aria-modal=true]")].filter(seen).at(-1);
  if (modal) return (raw) => !inside(elements[raw], modal) && !inside(modal, elements[raw]);
  const veil = elements.find((element) => {
    const style = getComputedStyle(element);
    if (style.position !== "fixed" || element.children.length || element.textContent.trim()) return false;
    const rect = element.getBoundingClientRect();
    const dark = colorOf(style.backgroundColor)[3] * parseFloat(style.opacity);
    return rect.width >= 0.9 * innerWidth && rect.height >= 0.9 * innerHeight
      && (dark > 0.1 || style.backdropFilter !== "none") && !style.zIndex.startsWith("-") && seen(element);
  });
  if (!veil) return () => false;
  const level = parseInt(getComputedStyle(veil).zIndex) || 0;
  const above = (element) => {
    for (let each = element; each; each = each.parentElement ?? each.getRootNode().host) {
      const style = getComputedStyle(each);
      if (["fixed", "absolute"].includes(style.position)
          && (parseInt(style.zIndex) || 0) >= level && each !== veil) {
        return style.zIndex !== "auto" || each.compareDocumentPosition(veil) & 2;
      }
    }
    return false;
  };
  return (raw) => elements[raw] !== veil && !inside(veil, elements[raw]) && !above(elements[raw]);
};
