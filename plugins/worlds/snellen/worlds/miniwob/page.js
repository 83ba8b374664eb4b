// Runs before any script of a page of MiniWoB++.
(() => {
  const sheet = new CSSStyleSheet();
  // The page writes its reward, its time and the clicks into these, so they have to be there.
  // A select's own list is a window of the system, which takes no clicks here; this one is drawn
  // in the page.
  sheet.replaceSync(`
    #reward-display, #click-canvas { visibility: hidden !important; }
    select:not([multiple], [size]), ::picker(select) { appearance: base-select; }
  `);
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
})();
