"use strict";
(() => {
  const known = JSON.parse(document.getElementById("payload").textContent);
  const cards = Array.from(document.querySelectorAll(".card"));
  if (!cards.length) return;
  const at = (id) => document.getElementById(id);

  // ---- Pictures: each is in the page once, and decoded when it comes near.
  const show = (img) => {
    const data = known.pictures[img.dataset.picture];
    if (!data || img.src) return;
    // A long page is shown at the box that matters.
    img.addEventListener("load", () => {
      const rect = img.parentElement.querySelector("rect"), frame = img.closest(".picture");
      if (rect && frame) frame.scrollTop = rect.getAttribute("y") * img.clientHeight - frame.clientHeight / 3;
    }, { once: true });
    img.src = "data:image/webp;base64," + data;
  };
  const pictures = Array.from(document.querySelectorAll("img[data-picture]"));
  const watcher = new IntersectionObserver((seen) => {
    for (const one of seen) if (one.isIntersecting) { show(one.target); watcher.unobserve(one.target); }
  }, { rootMargin: "1200px" });
  for (const img of pictures) watcher.observe(img);
  addEventListener("beforeprint", () => pictures.forEach(show));

  // ---- Removal: kept for this pack as far as the browser keeps anything. Chromium now and then
  // forgets what a file's page stores when it is loaded again, but never its history's state.
  const store = "snellen-preview " + known.pack + " " + known.digest;
  let removed = (history.state || {})[store] || null;
  try { removed = removed || JSON.parse(localStorage.getItem(store)) || {}; } catch (_) { removed = {}; }
  const keep = () => {
    history.replaceState({ [store]: removed }, "");
    try { localStorage.setItem(store, JSON.stringify(removed)); } catch (_) { /* Not kept, then. */ }
  };
  const nameOf = (card) => card.dataset.task + "\t" + card.dataset.item;
  const words = new Map();
  const draw = (card) => {
    const out = nameOf(card) in removed;
    card.classList.toggle("out", out);
    card.querySelector(".removed").checked = out;
    card.querySelector(".why").hidden = !out;
    card.querySelector(".reason").value = out ? removed[nameOf(card)] : "";
  };
  const listed = () => {
    const lines = Object.keys(removed).sort().map((name) => {
      const reason = removed[name].replace(/\s+/g, " ").trim();
      return reason ? name + "\t" + reason : name;
    });
    return ["# task, item and reason, with tabs between; snellen pack remove takes this list", ...lines, ""].join("\n");
  };
  for (const card of cards) {
    words.set(card, card.querySelector(".words").textContent.toLowerCase());
    card.querySelector(".removed").addEventListener("change", (event) => {
      if (event.target.checked) removed[nameOf(card)] = ""; else delete removed[nameOf(card)];
      keep(); draw(card); count();
    });
    card.querySelector(".reason").addEventListener("input", (event) => {
      removed[nameOf(card)] = event.target.value; keep();
    });
    draw(card);
  }
  at("save").addEventListener("click", () => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([listed()], { type: "text/plain" }));
    link.download = "removed.txt";
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  });
  at("copy").addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(listed());
      at("copy").textContent = "Copied";
    } catch (_) { at("copy").textContent = "Not allowed: use Save"; }
    setTimeout(() => { at("copy").textContent = "Copy"; }, 2000);
  });

  // ---- Filters
  const options = (select, names, first) => {
    select.replaceChildren(new Option(first, ""), ...names.map((name) => new Option(name, name)));
  };
  options(at("tag"), Object.keys(known.tags), "any");
  const tags = new Map(cards.map((card) => [card, JSON.parse(card.dataset.tags)]));
  const count = () => {
    const shown = cards.filter((card) => !card.hidden).length;
    const all = Object.keys(removed).length;
    at("count").textContent = shown + " of " + cards.length + " items, " + all + " removed";
    at("none").hidden = shown > 0;
  };
  const filter = () => {
    const task = at("task").value, tag = at("tag").value, value = at("value").value;
    const text = at("text").value.trim().toLowerCase(), only = at("only").checked;
    for (const card of cards) {
      const own = tags.get(card)[tag];
      card.hidden = !(
        (!task || card.dataset.task === task) &&
        (!tag || (own !== undefined && (!value || own === value))) &&
        (!text || words.get(card).includes(text)) &&
        (!only || nameOf(card) in removed)
      );
    }
    count();
  };
  at("tag").addEventListener("change", () => {
    const values = known.tags[at("tag").value] || [];
    options(at("value"), values, "any");
    at("value").disabled = !values.length;
    filter();
  });
  for (const id of ["task", "value", "only"]) at(id).addEventListener("change", filter);
  at("text").addEventListener("input", filter);
  document.querySelector(".bar").addEventListener("submit", (event) => event.preventDefault());
  filter();
})();
