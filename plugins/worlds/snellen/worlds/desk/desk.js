// The page of a desk: it posts one control and what the text fields hold, and shows the answer.
(() => {
  let open = 0;
  let held = null;  // what is dragged: { from, x, y, top, ghost }
  let editing = false;
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

  // A cell is edited in the field above the grid. While nothing is edited, the field has the focus
  // and its whole text is selected: what is typed takes its place, as in other spreadsheets.
  const raw = () => root.querySelector("[data-raw][data-f]");
  const isIdle = (field) => field === document.activeElement && field.value === field.dataset.raw
    && field.selectionStart === 0 && field.selectionEnd === field.value.length;
  const mark = () => {
    const field = raw();
    if (!field) return;
    field.classList.toggle("idle", isIdle(field));
    const cell = root.querySelector("[data-shown]");
    if (cell) cell.textContent = field.value === field.dataset.raw ? cell.dataset.shown : field.value;
  };
  const edit = () => {
    editing = false;
    const field = raw();
    field?.focus({ preventScroll: true });
    field?.setSelectionRange(field.value.length, field.value.length);
    mark();
  };

  const settle = (positions, wanted, selection) => {
    for (const floating of root.querySelectorAll("[popover]")) floating.showPopover();
    for (const part of root.querySelectorAll("[data-s]")) {
      const place = positions[part.dataset.s];
      if (place) [part.scrollLeft, part.scrollTop] = place;
    }
    let next = root.querySelector("[data-at]");
    next ??= wanted && root.querySelector(`[data-f="${CSS.escape(wanted)}"]`);
    next?.focus({ preventScroll: true });
    if (next?.dataset?.f && selection) next.setSelectionRange(...selection);
    else if (next && next === raw()) next.select();
    if (editing) edit();
    mark();
  };
  const post = async (control, onto) => {
    open += 1;
    try {
      const before = focus();
      const answer = await fetch(`${location.pathname.replace(/\/$/, "")}/act`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ control, fields: fields(), onto: onto ?? "" }),
      });
      const positions = scrolled();
      root.innerHTML = await answer.text();
      settle(positions, before.field, null);
    } finally {
      open -= 1;
    }
  };

  // Drag: a copy follows the pointer, and the place below it is posted where it is dropped. An event
  // is dropped where its top edge is.
  const release = () => {
    held?.ghost?.remove();
    held?.from.classList.remove("held");
    root.querySelector(".over")?.classList.remove("over");
    const dragged = held?.ghost ? held : null;
    held = null;
    return dragged;
  };
  const placeAt = (event) => {
    const slot = held.from.closest(".week-body");
    const y = slot ? event.clientY - held.y + held.top + 14 : event.clientY;
    const below = document.elementsFromPoint(event.clientX, y);
    const [kind] = held.from.dataset.g.split(".");
    return below.map((part) => part.closest("[data-d]")).find((part) =>
      part && part !== held.from && part.dataset.d.startsWith(`${kind}.`));
  };
  let dropped = false;
  document.addEventListener("mousedown", (event) => {
    dropped = false;
    const from = event.button === 0 && event.target.closest?.("[data-g]");
    if (!from) return;
    const { top } = from.getBoundingClientRect();
    held = { from, x: event.clientX, y: event.clientY, top, ghost: null };
  });
  document.addEventListener("mousemove", (event) => {
    if (!held) return;
    const [right, down] = [event.clientX - held.x, event.clientY - held.y];
    if (!held.ghost) {
      if (Math.hypot(right, down) < 5) return;
      const box = held.from.getBoundingClientRect();
      held.ghost = held.from.cloneNode(true);
      held.ghost.classList.add("ghost");
      for (const name of ["left", "top", "width", "height"]) held.ghost.style[name] = `${box[name]}px`;
      held.from.after(held.ghost);
      held.from.classList.add("held");
    }
    held.ghost.style.transform = `translate(${right}px, ${down}px)`;
    const over = placeAt(event);
    root.querySelectorAll(".over").forEach((part) => part.classList.toggle("over", part === over));
    over?.classList.add("over");
  });
  document.addEventListener("mouseup", (event) => {
    const over = held?.ghost && placeAt(event);
    const dragged = release();
    if (!dragged) return;
    dropped = true;
    if (over) post(dragged.from.dataset.g, over.dataset.d);
  });

  document.addEventListener("click", (event) => {
    if (dropped && event.detail) return;
    const below = document.elementFromPoint(event.clientX, event.clientY);
    if (event.detail >= 2 && raw() && below?.closest(".cell-box")) {
      if (open) editing = true;
      else edit();
      return;
    }
    const control = event.target.closest?.("[data-c]");
    if (control) post(control.dataset.c);
  });
  document.addEventListener("dblclick", (event) => {
    const control = event.target.closest?.("[data-b]");
    if (control) post(control.dataset.b);
  });
  document.addEventListener("contextmenu", (event) => {
    const control = event.target.closest?.("[data-m]");
    if (control) post(control.dataset.m);
  });

  // Keys: those that the page names, then the arrows in menus and lists.
  const nameOf = ({ key, ctrlKey, metaKey, altKey, shiftKey }) => [
    (ctrlKey || metaKey) && "Control", altKey && "Alt", shiftKey && (key.length > 1 || ctrlKey || metaKey) && "Shift",
    key.length === 1 ? key.toLowerCase() : key,
  ].filter(Boolean).join("+");
  const works = (control, target) => {
    const { in: where = "", idle } = control.dataset;
    if (where === "*") return true;
    return (target.dataset?.f ?? "") === where && (idle === undefined || isIdle(target));
  };
  const press = async (name, control) => {
    open += 1;
    try {
      const field = raw();
      if (name === "Control+x") await navigator.clipboard.writeText(field.value);
      if (name === "Control+v") field.value = await navigator.clipboard.readText();
      await post(control.dataset.c);
    } finally {
      open -= 1;
    }
  };
  const step = (name, target) => {
    const lists = [...root.querySelectorAll("[data-list]")];
    const list = root.querySelector(".floating[data-list]") ?? target.closest?.("[data-list]")
      ?? lists.find((each) => each.querySelector(".on")) ?? lists[0];
    const rows = [...list?.querySelectorAll("[data-c]") ?? []].filter((row) =>
      row === row.parentElement.querySelector("[data-c]") || row.parentElement === list);
    if (!rows.length) return false;
    if (name.startsWith("Page")) {
      list.scrollBy(0, (name === "PageDown" ? 1 : -1) * list.clientHeight);
      return true;
    }
    const at = rows.includes(target) ? rows.indexOf(target)
      : rows.findIndex((row) => row.closest(".on"));
    const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: rows.length - 1 }[name];
    rows[Math.min(Math.max(next, 0), rows.length - 1)].focus();
    return true;
  };
  const STEPS = ["ArrowDown", "ArrowUp", "Home", "End", "PageDown", "PageUp"];
  document.addEventListener("keydown", (event) => {
    let { target } = event;
    if (event.key === "Escape" && held?.ghost) {
      release();
      dropped = true;
      return;
    }
    if (target === document.body && raw()) {
      target = raw();
      target.focus({ preventScroll: true });
      target.select();
    }
    const name = nameOf(event);
    const control = [...root.querySelectorAll("[data-k]")].find((each) =>
      each.dataset.k === name && works(each, target));
    if (control) {
      event.preventDefault();
      press(name, control);
    } else if (name === "F2" && target === raw()) {
      edit();
    } else if (event.key === "Enter" && target.tagName === "INPUT" && target.dataset.enter) {
      event.preventDefault();
      const button = root.querySelector(`[data-key="${CSS.escape(target.dataset.enter)}"]`);
      if (button?.dataset.c) post(button.dataset.c);
    } else if (!target.dataset?.f && STEPS.includes(name) && step(name, target)) {
      event.preventDefault();
    }
  });
  document.addEventListener("selectionchange", mark);
  document.addEventListener("input", mark);
  for (const name of ["contextmenu", "dragstart", "auxclick"])
    document.addEventListener(name, (event) => event.preventDefault());
  window.desk = {
    waiting: () => open,
    read: async () => ({
      fields: fields(), focus: focus(), scrolled: scrolled(), selected: String(getSelection()),
      clipboard: await navigator.clipboard.readText(),
    }),
    restore: (positions, selection, clipboard) => {
      if (clipboard) navigator.clipboard.writeText(clipboard);
      settle(positions, null, selection);
    },
  };
})();
