// Records every edit of the DOM as it happens, so that it can be taken back.
({ undo }) => {
  const roots = [document];
  for (const root of roots) {
    for (const element of root.querySelectorAll("*")) {
      if (element.shadowRoot) roots.push(element.shadowRoot);
    }
  }
  if (!undo) {
    const edits = [];
    const watcher = new MutationObserver((found) => edits.push(...found));
    for (const root of roots) {
      watcher.observe(root, {
        attributes: true, attributeOldValue: true, characterData: true,
        characterDataOldValue: true, childList: true, subtree: true,
      });
    }
    globalThis.snellenEdits = { edits, watcher };
    return 0;
  }
  const { edits, watcher } = globalThis.snellenEdits;
  edits.push(...watcher.takeRecords());
  watcher.disconnect();
  for (const edit of edits.toReversed()) {
    if (edit.type === "characterData") {
      edit.target.data = edit.oldValue;
    } else if (edit.type === "attributes") {
      if (edit.oldValue === null) {
        edit.target.removeAttributeNS(edit.attributeNamespace, edit.attributeName);
      } else {
        edit.target.setAttributeNS(edit.attributeNamespace, edit.attributeName, edit.oldValue);
      }
    } else {
      for (const node of edit.addedNodes) node.remove();
      for (const node of edit.removedNodes) {
        if (edit.nextSibling?.parentNode === edit.target) {
          edit.target.insertBefore(node, edit.nextSibling);
        } else if (edit.previousSibling?.parentNode === edit.target) {
          edit.previousSibling.after(node);
        } else {
          edit.target.append(node);
        }
      }
    }
  }
  return edits.length;
}
