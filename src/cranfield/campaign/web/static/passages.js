// Passages that an assessor highlights for INEX topics. Offsets count characters, as the server does; the browser
// counts UTF-16 units.

import { draw, offsetOf, rangeOf } from "./ranges.js";

let text = "", spans = [], off = true;
const at = (id) => document.getElementById(id);
const units = (n) => [...text].slice(0, n).join("").length;
const characters = (n) => [...text.slice(0, n)].length;

const merged = (listed) => {
  const joined = [];
  for (const [start, end] of [...listed].sort((a, b) => a[0] - b[0])) {
    const last = joined.at(-1);
    if (last && start <= last[1]) last[1] = Math.max(end, last[1]); else joined.push([start, end]);
  }
  return joined;
};
const specificity = (listed) => (text ? merged(listed).reduce((sum, [start, end]) => sum + end - start, 0) / [...text].length : 0);

// the selected characters, if they belong to the document
const selected = () => {
  const selection = getSelection();
  if (!selection.rangeCount || selection.isCollapsed) return null;
  const range = selection.getRangeAt(0);
  const from = offsetOf(range.startContainer, range.startOffset), to = offsetOf(range.endContainer, range.endOffset);
  return from === null || to === null || from >= to ? null : [characters(from), characters(to)];
};

// selecting within a passage removes the selection from it; any other selection is added
const changed = ([from, to]) => {
  if (!spans.some(([start, end]) => start <= from && to <= end)) return merged([...spans, [from, to]]);
  return spans.flatMap(([start, end]) => (from < end && to > start ? [[start, from], [to, end]] : [[start, end]])).filter(([start, end]) => start < end);
};

const redraw = () => draw("passage", spans.map(([start, end]) => rangeOf(units(start), units(end))).filter(Boolean));
const tell = () => {
  const now = specificity(spans), chosen = selected();
  const then = chosen ? specificity(changed(chosen)) : now;
  at("specificity").textContent = `Specificity ${now.toFixed(2)}${chosen && then !== now ? ` → ${then.toFixed(2)}` : ""}`;
};
document.addEventListener("selectionchange", () => { if (!off) tell(); });

export const show = (doc, stored, isInex) => {
  text = doc.text || "";
  spans = stored || [];
  off = !isInex || doc.text === null;
  at("passage-button").hidden = at("specificity").hidden = off;
  redraw();
  if (!off) tell();
};

export const toggle = async (save) => {
  const chosen = selected();
  if (off) return "";
  const next = chosen ? changed(chosen) : [];
  if (!chosen && !spans.length) return "Select text of the document first.";
  const before = text;
  await save(next);
  if (before !== text) return ""; // another document is on the screen by now
  spans = next;
  redraw();
  getSelection().removeAllRanges();
  tell();
  return `Specificity ${specificity(spans).toFixed(2)}.`;
};
