// Waits until a page is at rest. Runs in a world of its own, with timers of its own.
async ({ patience, limit, quiet, scroll, freeze }) => {
  const start = performance.now();
  const left = () => Math.max(0, patience - (performance.now() - start));
  const pause = (time) => new Promise((done) => setTimeout(done, time));
  const within = (promise) => Promise.race([promise, pause(left())]);
  const frames = async (count) => {
    for (let done = 0; done < count; done += 1) await new Promise(requestAnimationFrame);
  };
  // A lazy image that is never scrolled to, or never drawn, never loads.
  const images = (lazy) => Promise.allSettled([...document.images]
    .filter((image) => image.loading !== "lazy" || (lazy && image.checkVisibility()))
    .map((image) => image.complete ? image.decode() : new Promise((done) => {
      image.addEventListener("load", done, { once: true });
      image.addEventListener("error", done, { once: true });
    })));
  const documents = (root) => [root, ...[...root.querySelectorAll("iframe, frame")]
    .flatMap((frame) => frame.contentDocument ? documents(frame.contentDocument) : [])];
  const still = (root) => {
    for (const animation of root.getAnimations()) {
      try { animation.finish(); } catch { animation.cancel(); }
    }
    for (const media of root.querySelectorAll("video, audio")) {
      media.pause();
      if (media.currentTime) media.currentTime = 0;
    }
    for (const marquee of root.querySelectorAll("marquee")) marquee.stop?.();
    if (freeze) root.dispatchEvent(new CustomEvent("snellen:freeze"));
  };
  const rest = async () => {
    const begun = performance.now();
    let [changed, drawn, all] = [begun, 0, 0];
    const watcher = new MutationObserver(() => { [changed, drawn] = [performance.now(), 0]; });
    watcher.observe(document, {
      attributes: true, characterData: true, childList: true, subtree: true,
    });
    // On a busy machine much time passes between two frames, and nothing moves in it.
    while ((performance.now() - changed < quiet || drawn < 6)
        && (performance.now() - begun < limit || all < limit * 60 / 1000)) {
      await frames(1);
      drawn += 1;
      all += 1;
    }
    watcher.disconnect();
  };

  await within(images(false));
  await within(document.fonts.ready);
  await rest();
  if (scroll) {
    // What loads or shows itself when it is scrolled to does so now.
    const root = document.scrollingElement ?? document.documentElement;
    const end = Math.min(root.scrollHeight, scroll);
    for (let top = innerHeight; top < end; top += innerHeight) {
      scrollTo({ top, left: 0, behavior: "instant" });
      await frames(2);
    }
    scrollTo({ top: 0, left: 0, behavior: "instant" });
    await frames(2);
    await within(images(true));
    await rest();
  }
  for (const root of documents(document)) still(root);
  await within(document.fonts.ready);
  await frames(2);
  const root = document.scrollingElement ?? document.documentElement;
  return {
    height: Math.max(root.scrollHeight, innerHeight),
    url: location.href,
  };
}
