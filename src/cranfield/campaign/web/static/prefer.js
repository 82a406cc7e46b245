// Keys of the preference page: ← and → for the better side, = for equal, C for cannot tell, U to undo. The terms of the
// topic are marked in both documents.

import { areOn } from "./keys.js";
import { append, terms } from "./marks.js";

const form = document.getElementById("preference"), back = document.getElementById("undo");
const choices = { ArrowLeft: "left", ArrowRight: "right", "=": "equal", c: "cannot tell" };
let sent = false;
document.addEventListener("keydown", (event) => {
  if (!areOn() || sent || event.repeat || event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input, textarea, select")) return;
  const choice = choices[event.key] ?? choices[event.key.toLowerCase()];
  const button = choice && form?.querySelector(`button[value="${choice}"]`);
  if (button) { event.preventDefault(); sent = true; form.requestSubmit(button); }
  else if (event.key.toLowerCase() === "u" && back) { event.preventDefault(); sent = true; back.requestSubmit(); }
});

const words = form ? terms(form.dataset) : [];
document.querySelectorAll(".sides .text").forEach((part) => { const text = part.textContent; part.replaceChildren(); append(part, text, words); });
