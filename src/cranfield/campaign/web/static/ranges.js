// Ranges in a document's text from offsets in the whole text, and highlighting them without changing the document.

const paragraphs = () => document.querySelectorAll("#text p[data-start]");

const spot = (unit, atEnd) => {
  for (const paragraph of paragraphs()) {
    let rest = unit - Number(paragraph.dataset.start);
    if (rest < 0 || rest > paragraph.textContent.length) continue;
    const walker = document.createTreeWalker(paragraph, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      if (rest < walker.currentNode.length || (atEnd && rest === walker.currentNode.length)) return [walker.currentNode, rest];
      rest -= walker.currentNode.length;
    }
  }
  return null;
};

export const rangeOf = (start, end) => {
  const from = spot(start, false), to = spot(end, true);
  if (!from || !to) return null;
  const range = document.createRange();
  range.setStart(...from);
  range.setEnd(...to);
  return range;
};

// the offset in the whole text of a position in the page
export const offsetOf = (node, offset) => {
  const paragraph = (node.nodeType === 1 ? node : node.parentElement)?.closest("#text p[data-start]");
  if (!paragraph) return null;
  const before = document.createRange();
  before.setStart(paragraph, 0);
  before.setEnd(node, offset);
  return Number(paragraph.dataset.start) + before.toString().length;
};

export const draw = (name, ranges) => {
  if (!("highlights" in CSS)) return;
  ranges.length ? CSS.highlights.set(name, new Highlight(...ranges)) : CSS.highlights.delete(name);
};

export const reveal = (range) => {
  const behavior = matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth";
  (range.startContainer.nodeType === 1 ? range.startContainer : range.startContainer.parentElement).scrollIntoView({ block: "center", behavior });
};
