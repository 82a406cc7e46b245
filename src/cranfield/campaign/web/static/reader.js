// The document on the judging screen: paragraphs with marked terms, stepping through the marks, and find in text.

import * as marks from "./marks.js";
import { draw, rangeOf, reveal } from "./ranges.js";

const at = (id) => document.getElementById(id);
const WINDOW = 900; // characters of a passage
let text = "", step = -1, matches = [], current = -1;

const marked = () => [...document.querySelectorAll("#title mark, #text mark")];
const count = () => {
  const n = marked().length;
  at("matches").textContent = !n ? "no marks" : step < 0 ? `${n} ${n === 1 ? "mark" : "marks"}` : `mark ${step + 1} of ${n}`;
  document.querySelectorAll(".step").forEach((button) => { button.disabled = !n; });
};

export const show = (doc, terms) => {
  text = doc.text || "";
  step = -1;
  at("document-name").textContent = doc.name;
  at("title").replaceChildren();
  marks.append(at("title"), doc.title || doc.name, terms);
  const parts = [...text.matchAll(/[^\n](?:[^\n]|\n(?!\n))*/g)].filter(([part]) => part.trim()).map(({ 0: part, index }) => {
    const paragraph = Object.assign(document.createElement("p"), { dir: "auto" });
    paragraph.dataset.start = index;
    marks.append(paragraph, part, terms);
    return paragraph;
  });
  if (doc.text === null) parts.push(Object.assign(document.createElement("p"), { className: "absent", textContent: "The collection has no text for this document. Judge it by its title, or choose “Can’t tell”." }));
  at("text").replaceChildren(...parts);
  count();
  closeFind();
  openAtDensest();
};

// the offset of each mark
const places = (element) => {
  const before = [], walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  for (let n = 0; walker.nextNode(); n += walker.currentNode.length) if (walker.currentNode.parentElement.tagName === "MARK") before.push(n);
  return before;
};

// long documents open where the most terms are close together
const openAtDensest = () => {
  const article = document.querySelector("article"), narrow = getComputedStyle(article).overflowY === "visible";
  const view = narrow ? innerHeight : article.clientHeight;
  if (narrow) scrollTo(0, 0); else article.scrollTop = 0;
  at("opened").hidden = true;
  const all = [...document.querySelectorAll("#text mark")];
  if (at("text").scrollHeight < 1.6 * view || all.length < 2) return;
  const place = places(at("text"));
  let best = 0, most = 0;
  for (let first = 0, last = 0; first < all.length; first += 1) {
    while (last < all.length && place[last] - place[first] < WINDOW) last += 1;
    if (last - first > most) [best, most] = [first, last - first];
  }
  const top = all[best].getBoundingClientRect().top - at("title").getBoundingClientRect().top;
  if (top < 0.5 * view) return;
  all[best].scrollIntoView({ block: "center" });
  at("opened").hidden = false;
};
at("from-start").addEventListener("click", () => { at("opened").hidden = true; at("title").scrollIntoView({ block: "start" }); at("title").focus({ preventScroll: true }); });

export const stepMark = (by) => {
  const all = marked();
  if (!all.length) return "";
  all[step]?.classList.remove("current");
  step = step < 0 && by < 0 ? all.length - 1 : (step + by + all.length) % all.length;
  all[step].classList.add("current");
  const range = document.createRange();
  range.selectNodeContents(all[step]);
  reveal(range);
  count();
  return `${all[step].textContent}, mark ${step + 1} of ${all.length}`;
};

export const openFind = () => { at("find").hidden = false; at("find-words").focus(); at("find-words").select(); };
const closeFind = () => { at("find").hidden = true; matches = []; current = -1; draw("found", []); draw("found-here", []); };
const drawFound = () => {
  draw("found", matches);
  draw("found-here", current < 0 ? [] : [matches[current]]);
  at("find-count").textContent = !at("find-words").value ? "" : matches.length ? `${current + 1} of ${matches.length}` : "not in this document";
};
const search = () => {
  const words = at("find-words").value.toLowerCase();
  matches = [];
  // in some scripts lower-casing changes the length of the text; then search case-sensitively
  const all = text.toLowerCase().length === text.length ? text.toLowerCase() : text;
  for (let i = words ? all.indexOf(words) : -1; i >= 0 && matches.length < 1000; i = all.indexOf(words, i + words.length)) {
    const range = rangeOf(i, i + words.length);
    if (range) matches.push(range);
  }
  current = matches.length ? 0 : -1;
  drawFound();
  if (current >= 0) reveal(matches[0]);
};
const move = (by) => {
  if (!matches.length) return;
  current = (current + by + matches.length) % matches.length;
  drawFound();
  reveal(matches[current]);
};
at("find-words").addEventListener("input", search);
at("find-next").addEventListener("click", () => move(1));
at("find-previous").addEventListener("click", () => move(-1));
const leave = () => { closeFind(); at("title").focus({ preventScroll: true }); };
at("find-close").addEventListener("click", leave);
at("find").addEventListener("keydown", (event) => {
  if (event.key === "Escape") { event.preventDefault(); leave(); }
  if (event.key === "Enter" && event.target === at("find-words")) { event.preventDefault(); move(event.shiftKey ? -1 : 1); }
});
