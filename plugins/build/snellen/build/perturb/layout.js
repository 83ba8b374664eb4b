// One edit of a page's layout, taken back at once when what must stay has moved.
({ operator, target, other, kept, tolerance, block }) => {
  const element = document.querySelector(target);
  const second = other ? document.querySelector(other) : null;
  const guarded = kept.map((selector) => document.querySelector(selector)).filter(Boolean);
  const boxes = () =>
    guarded.map((each) => {
      const box = each.getBoundingClientRect();
      return [box.left, box.top, box.right, box.bottom];
    });
  if (!element || (other && !second)) return false;
  if (guarded.some((each) => element.contains(each) || second?.contains(each))) return false;
  const before = boxes();
  const texts = guarded.map((each) => each.innerText);
  const swap = () => {
    const mark = document.createComment("");
    element.before(mark);
    second.before(element);
    mark.before(second);
    mark.remove();
  };
  let undo;
  if (operator === "delete") {
    const [parent, next] = [element.parentNode, element.nextSibling];
    element.remove();
    undo = () => parent.insertBefore(element, next);
  } else if (operator === "insert") {
    const fresh = document.createElement(element.tagName === "LI" ? "li" : "div");
    fresh.setAttribute("aria-hidden", "true");
    fresh.setAttribute("style", block);
    element.after(fresh);
    undo = () => fresh.remove();
  } else if (operator === "swap") {
    swap();
    undo = swap;
  } else if (operator === "wrap") {
    const wrapper = document.createElement("div");
    element.before(wrapper);
    wrapper.append(element);
    undo = () => {
      wrapper.before(element);
      wrapper.remove();
    };
  } else {
    const look = getComputedStyle(element);
    const fresh = document.createElement("div");
    for (const { name, value } of element.attributes) {
      if (!["type", "name", "value", "form", "disabled"].includes(name)) {
        fresh.setAttribute(name, value);
      }
    }
    for (const property of look) fresh.style.setProperty(property, look.getPropertyValue(property));
    const box = element.getBoundingClientRect();
    fresh.style.boxSizing = "border-box";
    fresh.style.width = `${box.width}px`;
    fresh.style.height = `${box.height}px`;
    fresh.style.display = look.display === "block" ? "flex" : "inline-flex";
    fresh.style.alignItems = "center";
    fresh.style.justifyContent = "center";
    fresh.setAttribute("role", "button");
    fresh.setAttribute("tabindex", "0");
    if (element.tagName === "INPUT") fresh.textContent = element.value;
    else for (const child of element.childNodes) fresh.append(child.cloneNode(true));
    element.replaceWith(fresh);
    undo = () => fresh.replaceWith(element);
  }
  const after = boxes();
  const stays = before.every((box, place) =>
    box.every((edge, side) => Math.abs(edge - after[place][side]) <= tolerance),
  );
  const same = guarded.every((each, place) => each.isConnected && each.innerText === texts[place]);
  if (stays && same) return true;
  undo();
  return false;
}
