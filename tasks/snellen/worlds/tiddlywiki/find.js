// Where something is on the screen: the middle of it, by what a person reads there.
([what, name]) => {
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const view = () => all(".tc-tiddler-view-frame").find((frame) => frame.dataset.tiddlerTitle === name);
  const draft = document.querySelector(".tc-tiddler-edit-frame");
  const titled = (text, root) => all("button", root).find((button) => button.title === text);
  const field = () => all(".tc-edit-field", draft).find(
    (row) => row.querySelector(".tc-edit-field-name").innerText.trim().replace(/:$/, "") === name,
  );
  const found = {
    search: () => document.querySelector(".tc-search input"),
    result: () => all(".tc-search-drop-down a").find((link) => link.innerText.trim() === name),
    view,
    new: () => titled("Create a new tiddler", document),
    edit: () => titled("Edit this tiddler", view()),
    delete: () => titled("Delete this tiddler", draft),
    save: () => titled("Confirm changes to this tiddler", draft),
    title: () => draft.querySelector("input.tc-titlebar"),
    text: () => all("iframe.tc-edit-texteditor-body, textarea.tc-edit-texteditor-body", draft)
      .find((part) => part.offsetHeight > 0),
    untag: () => all(".tc-tag-list-item", draft)
      .find((tag) => tag.innerText.trim() === name)?.querySelector(".tc-remove-tag-button"),
    tag: () => draft.querySelector("input[placeholder='tag name']"),
    "add tag": () => draft.querySelector(".tc-add-tag-button button"),
    field: () => field()?.querySelector(".tc-edit-field-value input"),
    "field name": () => draft.querySelector(".tc-edit-field-add input[placeholder='field name']"),
    "field value": () => draft.querySelector(".tc-edit-field-add input[placeholder='field value']"),
    "add field": () => all("button", draft.querySelector(".tc-edit-field-add")).at(-1),
  }[what]();
  if (!found) return null;
  const box = found.getBoundingClientRect();
  const point = [Math.round(box.x + box.width / 2), Math.round(box.y + box.height / 2)];
  const hit = document.elementFromPoint(...point);
  return { point, covered: !(hit && (found === hit || found.contains(hit))) };
}
