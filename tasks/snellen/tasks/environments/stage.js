// Runs before any script of a page, and before a stepped clock takes its place.
(() => {
  const nextFrame = window.requestAnimationFrame.bind(window);
  const frame = () => new Promise((done) => nextFrame(done));
  Object.defineProperty(window, Symbol.for("snellen.frame"), { value: frame });

  // What the view does not show. The browser reports a file chooser or a second window with a delay,
  // maybe a step later: so both are noted here.
  const notes = [];
  Object.defineProperty(window, Symbol.for("snellen.notes"), { value: notes });
  window.addEventListener("click", (event) => {
    if (event.composedPath()[0]?.type !== "file") return;
    event.preventDefault();
    notes.push("a choice of files was not opened");
  }, true);
  const opened = () => notes.push("a second window opened and was closed");
  const follow = (event) => {
    const link = event.composedPath().find((each) => each.tagName === "A" && each.href);
    const elsewhere = event.ctrlKey || event.metaKey || event.shiftKey || event.button === 1
      || link?.target === "_blank";
    if (link && elsewhere && event.button !== 2 && !event.defaultPrevented) opened();
  };
  window.addEventListener("click", follow);
  window.addEventListener("auxclick", follow);
  const open = window.open.bind(window);
  window.open = (...given) => {
    opened();
    return open(...given);
  };

  // A second clock, which a stepped one does not reach.
  delete window.Temporal;

  // All contexts of a browser share one clipboard: what one agent copies, another would paste. So
  // each page has its own, which outlives a navigation.
  const KEY = "snellen.clipboard";
  const read = () => sessionStorage.getItem(KEY) ?? "";
  const write = (text) => sessionStorage.setItem(KEY, text);
  const own = new WeakSet();

  // The page's own handlers see an event with a store that belongs to nobody else.
  const instead = (event, clipboardData) => {
    event.preventDefault();
    event.stopImmediatePropagation();
    const replaced = new ClipboardEvent(event.type, {
      bubbles: true, cancelable: true, composed: true, clipboardData,
    });
    own.add(replaced);
    return (event.target ?? document).dispatchEvent(replaced);
  };
  const take = (event) => {
    if (own.has(event)) return;
    const store = new DataTransfer();
    if (!instead(event, store)) {
      write(store.getData("text/plain"));
      return;
    }
    const text = document.getSelection().toString();
    if (!text || document.activeElement?.type === "password") return;
    write(text);
    if (event.type === "cut") document.execCommand("delete");
  };
  window.addEventListener("copy", take, true);
  window.addEventListener("cut", take, true);
  window.addEventListener("paste", (event) => {
    if (own.has(event)) return;
    const store = new DataTransfer();
    store.setData("text/plain", read());
    if (instead(event, store) && read()) document.execCommand("insertText", false, read());
  }, true);
  Object.defineProperty(navigator, "clipboard", {
    value: { writeText: async (text) => write(String(text)), readText: async () => read() },
  });
})();
