// Runs before any script of the page: what differs from one day to the next stands still.
(({ now, seed, step }) => {
  // Dates stand still. In callbacks of animation frames time flies, so that what a library animates
  // is at its end within a few frames.
  const RealDate = Date;
  const realNow = performance.now.bind(performance);
  let ahead = 0;
  let inFrame = false;
  const read = () => now + (inFrame ? ahead : 0);
  window.Date = new Proxy(RealDate, {
    apply: () => new RealDate(read()).toString(),
    construct: (target, values, maker) =>
      Reflect.construct(target, values.length ? values : [read()], maker),
    get: (target, key) => (key === "now" ? read : Reflect.get(target, key)),
  });
  RealDate.prototype.constructor = window.Date;
  performance.now = () => realNow() + (inFrame ? ahead : 0);

  // Where the capture says so, the page's scripts stop: nothing moves between two images. Taking
  // one makes the window a single pixel for a moment, and measuring scrolls; no script may see it.
  let frozen = false;
  document.addEventListener("snellen:freeze", () => { frozen = true; }, true);
  const hold = (event) => { if (frozen) event.stopImmediatePropagation(); };
  for (const name of ["resize", "scroll", "scrollend"]) {
    window.addEventListener(name, hold, true);
    window.visualViewport?.addEventListener(name, hold, true);
  }
  const realMatch = window.matchMedia.bind(window);
  window.matchMedia = (query) => {
    const list = realMatch(query);
    list.addEventListener("change", hold);
    return list;
  };
  for (const name of ["ResizeObserver", "IntersectionObserver"]) {
    const Real = window[name];
    window[name] = class extends Real {
      constructor(callback, options) {
        super((...values) => { if (!frozen) callback.apply(this, values); }, options);
      }
    };
    Object.defineProperty(window[name], "name", { value: name });
  }
  const realFrame = window.requestAnimationFrame.bind(window);
  window.requestAnimationFrame = (callback) =>
    realFrame((time) => {
      if (frozen) return;
      const [before, beforeAhead] = [inFrame, ahead];
      inFrame = true;
      ahead = beforeAhead + step;
      try { callback(time + ahead); } finally { inFrame = before; }
    });
  for (const name of ["setTimeout", "setInterval", "requestIdleCallback"]) {
    const real = window[name].bind(window);
    window[name] = (action, ...rest) =>
      typeof action === "function"
        ? real((...values) => { if (!frozen) action.apply(window, values); }, ...rest)
        : real(action, ...rest);
  }

  // mulberry32
  let state = seed >>> 0;
  Math.random = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };

  // Doors that interception does not watch.
  for (const name of ["RTCPeerConnection", "webkitRTCPeerConnection", "RTCDataChannel",
    "WebTransport", "SharedWorker", "EventSource"]) delete window[name];
  // A second clock.
  delete window.Temporal;
  window.print = () => {};
  HTMLMediaElement.prototype.play = () => new Promise(() => {});

  // A sheet that is no part of the document, so that the page's own markup stays as it was.
  const still = new CSSStyleSheet();
  still.replaceSync(`*, *::before, *::after, *::backdrop, *::placeholder, *::marker,
  *::file-selector-button, *::details-content {
    animation-delay: 0s !important; animation-duration: 0s !important;
    animation-iteration-count: 1 !important; caret-color: transparent !important;
    scroll-behavior: auto !important; transition: none !important;
  }`);
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, still];
})
