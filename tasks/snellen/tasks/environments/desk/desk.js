// The page of a desk: it posts one control and what the text fields hold, and shows the answer.
(() => {
  let open = 0;
  const root = document.getElementById("root");
  const fields = () => Object.fromEntries(
    [...root.querySelectorAll("[data-f]")].map((field) => [field.dataset.f, field.value]));
  const scrolled = () => Object.fromEntries(
    [...root.querySelectorAll("[data-s]")].filter((part) => part.scrollTop || part.scrollLeft)
      .map((part) => [part.dataset.s, [part.scrollLeft, part.scrollTop]]));
  const focus = () => {
    const found = document.activeElement;
    return {
      field: found?.dataset?.f ?? null,
      control: found?.dataset?.c ?? null,
      selection: found?.dataset?.f ? [found.selectionStart, found.selectionEnd] : null,
    };
  };
  const settle = (positions, wanted, selection) => {
    for (const floating of root.querySelectorAll("[popover]")) floating.showPopover();
    for (const part of root.querySelectorAll("[data-s]")) {
      const place = positions[part.dataset.s];
      if (place) [part.scrollLeft, part.scrollTop] = place;
    }
    let next = wanted && root.querySelector(`[data-f="${CSS.escape(wanted)}"]`);
    next ??= root.querySelector("[data-at]");
    next?.focus({ preventScroll: true });
    if (next?.dataset?.f && selection) next.setSelectionRange(...selection);
  };
  const post = async (control) => {
    open += 1;
    try {
      const before = focus();
      const answer = await fetch("/act", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ control, fields: fields() }),
      });
      const positions = scrolled();
      root.innerHTML = await answer.text();
      settle(positions, before.field, null);
    } finally {
      open -= 1;
    }
  };
  document.addEventListener("click", (event) => {
    const control = event.target.closest?.("[data-c]");
    if (control) post(control.dataset.c);
  });
  document.addEventListener("keydown", (event) => {
    const field = event.target;
    if (event.key !== "Enter" || field.tagName !== "INPUT" || !field.dataset.enter) return;
    event.preventDefault();
    const control = root.querySelector(`[data-key="${CSS.escape(field.dataset.enter)}"]`);
    if (control?.dataset.c) post(control.dataset.c);
  });
  for (const name of ["contextmenu", "dragstart", "auxclick"])
    document.addEventListener(name, (event) => event.preventDefault());
  window.desk = {
    waiting: () => open,
    read: () => ({ fields: fields(), focus: focus(), scrolled: scrolled() }),
    restore: (positions, selection) => settle(positions, null, selection),
  };
})();
