"use strict";
// Keys of the conflict page: a digit selects the grade and moves to the reason, where Ctrl+Enter submits the decision.

(() => {
  const form = document.getElementById("decision");
  const reason = document.getElementById("reason");
  const on = (() => { try { return JSON.parse(localStorage.getItem("cranfield keys on")) ?? true; } catch { return true; } })();
  if (!form) return;
  document.addEventListener("keydown", (event) => {
    if (event.target === reason) {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) { event.preventDefault(); form.requestSubmit(); }
      return;
    }
    if (!on || event.ctrlKey || event.metaKey || event.altKey || event.target.matches("textarea, select")) return;
    const radio = /^\d$/.test(event.key) && form.querySelector(`input[name=grade][value="${event.key}"]`);
    if (radio) { event.preventDefault(); radio.checked = true; reason.focus(); }
  });
})();
