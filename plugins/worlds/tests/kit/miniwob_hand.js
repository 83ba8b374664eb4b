// Where an oracle finds things on a page; all of it only looks.
(() => {
  const visible = (each) => {
    const box = each.getBoundingClientRect();
    return box.width > 0 && box.height > 0 && getComputedStyle(each).visibility !== "hidden";
  };
  const said = (each) => {
    const field = each.tagName === "INPUT" || each.tagName === "TEXTAREA";
    return (field ? each.value : each.textContent).trim();
  };
  const all = (selector, text) => [...document.querySelectorAll(selector)]
    .filter((each) => visible(each) && (text === null || said(each) === text));
  const reaches = (x, y, each) => {
    const top = document.elementFromPoint(x, y);
    return top !== null && (each === top || each.contains(top) || top.contains(each)
      && top.tagName === "LABEL" || each.tagName === "OPTION" && top.tagName === "SELECT");
  };
  // A point of the element that a click reaches, or how far what holds it has to be scrolled.
  const find = ([selector, text, index, across, down]) => {
    const each = all(selector, text).at(index);
    if (!each) return null;
    const box = each.getClientRects()[0];
    let [left, top, right, bottom] = [0, 0, 160, 210];
    let holder = null;
    for (let at = each.parentElement; at && at !== document.body; at = at.parentElement) {
      const style = getComputedStyle(at);
      if (style.overflowY === "visible" || style.display === "inline") continue;
      const clip = at.getBoundingClientRect();
      [left, top] = [Math.max(left, clip.left), Math.max(top, clip.top)];
      [right, bottom] = [Math.min(right, clip.right), Math.min(bottom, clip.bottom)];
      if (style.overflowY !== "hidden" && at.scrollHeight > at.clientHeight) holder ??= at;
    }
    const shares = [across, 0.5, 0.3, 0.7, 0.15, 0.85];
    const rows = [down, 0.5, 0.3, 0.7, 0.15, 0.85];
    for (const row of rows) {
      for (const share of shares) {
        const [x, y] = [box.left + share * box.width, box.top + row * box.height];
        if (x > left && x < right && y > top && y < bottom && reaches(x, y, each)) {
          return { place: [x, y] };
        }
      }
    }
    const clip = holder?.getBoundingClientRect() ?? { left: 0, right: 160, top: 50, bottom: 210 };
    const middle = (clip.top + Math.min(clip.bottom, 210)) / 2;
    return { scroll: Math.round(box.top + box.height / 2 - middle),
      at: [(clip.left + Math.min(clip.right, 160)) / 2, middle] };
  };
  const box = ([selector, index]) => {
    const each = [...document.querySelectorAll(selector)].filter(visible).at(index);
    if (!each) return null;
    const { left, top, width, height } = each.getBoundingClientRect();
    return [left, top, width, height];
  };
  const texts = (selector) => [...document.querySelectorAll(selector)].map(said);
  // What a shape of MiniWoB++'s grids is, in the words of the goals.
  const shapes = () => [...document.querySelectorAll("#area_svg > *")].map((each) => {
    const kind = { rect: "rectangle", circle: "circle", polygon: "triangle" }[each.tagName];
    const size = each.tagName === "text" ? parseFloat(each.getAttribute("font-size"))
      : each.getBBox().width;
    const letter = /[a-z]/i.test(each.textContent) ? "letter" : "digit";
    const { left, top, width, height } = each.getBoundingClientRect();
    return { type: kind ? "shape" : letter, text: kind ?? each.textContent, size,
      color: each.getAttribute("fill"), place: [left + width / 2, top + height / 2] };
  });
  const tools = { find, box, texts, shapes, all };
  Object.defineProperty(window, Symbol.for("snellen.oracle"), { value: tools });
})
