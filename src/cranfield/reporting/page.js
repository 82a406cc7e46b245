// The page itself: theme, tooltips, one system highlighted in all figures, findings, and printing.
const root = document.documentElement;

function storedTheme(theme) {
  try {
    if (theme) localStorage.setItem("theme", theme);
    return localStorage.getItem("theme");
  } catch {  // pages opened from files may have no storage
    return null;
  }
}
if (storedTheme()) root.dataset.theme = storedTheme();
find("theme").addEventListener("click", () => {
  const preferred = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  root.dataset.theme = (root.dataset.theme ?? preferred) === "dark" ? "light" : "dark";
  storedTheme(root.dataset.theme);
});

document.addEventListener("pointermove", (event) => {
  const mark = event.target.closest("[data-tip]"), tip = find("tip");
  tip.hidden = !mark;
  if (!mark) return;
  tip.textContent = mark.dataset.tip;
  const { offsetWidth: width, offsetHeight: height } = tip;
  tip.style.left = `${Math.max(4, Math.min(event.clientX + 14, innerWidth - width - 8))}px`;
  tip.style.top = `${event.clientY + 18 + height > innerHeight ? event.clientY - height - 10 : event.clientY + 18}px`;
});

document.addEventListener("scroll", () => { find("tip").hidden = true; }, true);

function highlight(system) {
  for (const mark of document.querySelectorAll("[data-system]")) {
    mark.classList.toggle("dimmed", system !== null && mark.dataset.system !== system
      && mark.dataset.system !== shortened(system));
  }
}
document.addEventListener("click", (event) => {
  const mark = event.target.closest(".picture [data-system]");
  if (mark && find("system")) view.choose({ system: mark.dataset.system === view.chosen("system") ? null : mark.dataset.system });
});

find("all-findings")?.addEventListener("click", (event) => {
  event.target.setAttribute("aria-expanded", "true");
  find("findings").classList.add("all");
  event.target.closest("p").hidden = true;
});

for (const box of document.querySelectorAll(".logarithmic")) {
  const figure = box.closest("figure");
  const show = () => {
    box.checked = view.chosen("scale") === "log";
    figure.querySelector(".linear").hidden = box.checked;
    figure.querySelector(".log").hidden = !box.checked;
  };
  box.addEventListener("change", () => view.choose({ scale: box.checked ? "log" : null }));
  view.listen(show);
  show();
}

// open all findings for printing, and close them again
let folded = [];
addEventListener("beforeprint", () => {
  folded = [...document.querySelectorAll("details.finding:not([open])")];
  folded.forEach((part) => part.toggleAttribute("open", true));
});
addEventListener("afterprint", () => folded.forEach((part) => part.toggleAttribute("open", false)));
