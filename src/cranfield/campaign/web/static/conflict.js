// Keys of the conflict page: a digit selects the grade and moves to the reason, where Ctrl+Enter submits the decision.

import { areOn } from "./keys.js";

const form = document.getElementById("decision"), reason = document.getElementById("reason");
const pressed = (event) => {
  if (event.target === reason) {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) { event.preventDefault(); form.requestSubmit(); }
    return;
  }
  if (!areOn() || event.ctrlKey || event.metaKey || event.altKey || event.target.matches("textarea, select")) return;
  const radio = /^\d$/.test(event.key) && form.querySelector(`input[name=grade][value="${event.key}"]`);
  if (radio) { event.preventDefault(); radio.checked = true; reason.focus(); }
};
// a usual reason is entered, and can be completed
document.querySelectorAll("[data-reason]").forEach((button) => button.addEventListener("click", () => {
  reason.value = [reason.value.trim(), button.dataset.reason].filter(Boolean).join(". ");
  reason.focus();
}));
if (form) document.addEventListener("keydown", pressed);
