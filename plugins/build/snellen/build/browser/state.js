// Where everything is and how it looks, in one text: two of them are equal when nothing changed.
() => {
  const root = document.scrollingElement ?? document.documentElement;
  const said = [root.scrollWidth, root.scrollHeight, root.textContent];
  const roots = [document];
  for (const each of roots) {
    for (const element of each.querySelectorAll("*")) {
      if (element.shadowRoot) roots.push(element.shadowRoot);
      const { left, top, width, height } = element.getBoundingClientRect();
      const { color, backgroundColor, visibility, opacity } = getComputedStyle(element);
      // Libraries watch sizes by hidden boxes that move; nobody sees them.
      if (!width || !height || visibility !== "visible") continue;
      said.push(left, top, width, height, color, backgroundColor, opacity);
    }
  }
  return said.join(" ");
}
