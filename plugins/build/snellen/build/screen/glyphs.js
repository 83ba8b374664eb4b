// Characters that are on the page and in no font: drawn, they look like one that nobody has.
const findMissing = (records) => {
  const texts = records.map((record) => `${record.own ?? ""}${record.name ?? ""}`).join("");
  const characters = new Set([...texts].filter((each) =>
    each.codePointAt(0) > 0x24f && /[\p{L}\p{N}\p{S}]/u.test(each)));
  if (!characters.size) return "";
  const size = 24;
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 2 * size;
  const context = canvas.getContext("2d", { willReadFrequently: true });
  context.font = `${size}px ${getComputedStyle(document.body).fontFamily}, sans-serif`;
  const drawn = (character) => {
    context.clearRect(0, 0, 2 * size, 2 * size);
    context.fillText(character, 4, 1.4 * size);
    return context.getImageData(0, 0, 2 * size, 2 * size).data.join();
  };
  const nobody = drawn("\u0378");
  return [...characters].filter((each) => drawn(each) === nobody).join("");
};
