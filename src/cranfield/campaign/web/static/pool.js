// The pool page: shows the settings of the chosen method, the cost of a deeper pool on a slider (from sizes that the
// server computed once), and whether there are enough judgments.

const at = (id) => document.getElementById(id);
const box = at("cost");
const number = (n, digits = 0) => n.toLocaleString("en", { maximumFractionDigits: digits });

const method = at("method");
const choose = () => {
  const { settings, definition } = method.selectedOptions[0].dataset;
  at("definition").textContent = definition;
  document.querySelectorAll("[data-setting]").forEach((part) => {
    part.hidden = !settings.split(" ").includes(part.dataset.setting);
    part.querySelectorAll("input").forEach((input) => { input.disabled = part.hidden; }); // not sent
  });
  if (box) box.classList.toggle("other", method.value !== "depth");
};
method.addEventListener("change", choose);
choose();

// pass the server's answer on, as soon as it is computed
const ask = async (url, tell) => {
  const response = await fetch(url);
  if (response.status === 202) setTimeout(() => ask(url, tell), 1000);
  else if (response.ok) tell(await response.json());
};

const showCost = ({ n_documents: sizes, n_pooled: pooled, hours_each: hours }) => {
  if (!sizes.length) return;
  const tell = () => {
    const depth = Number(at("deeper").value), n = sizes[depth - 1], more = Math.max(0, n - pooled);
    const time = hours === null || !more ? "" : `, about ${more * hours < 1 ? `${number(60 * more * hours)} minutes` : `${number(more * hours, 1)} hours`} of one assessor at the pace so far`;
    at("cost-words").textContent = `Depth ${depth}: ${number(n)} documents${pooled ? `, ${number(more)} more than now` : ""}${time}.`;
  };
  at("deeper").addEventListener("input", () => { at("depth").value = at("deeper").value; tell(); });
  at("depth").addEventListener("input", () => { if (at("depth").value >= 1) { at("deeper").value = at("depth").value; tell(); } });
  at("deeper").value = at("depth").value;
  tell();
  box.classList.remove("waiting"); // its space was reserved, so that no button moves under the pointer
};
if (box) ask(box.dataset.from, showCost);

const separation = at("separation");
if (separation) ask(separation.dataset.from, ({ words }) => Object.assign(separation, { textContent: words, hidden: false }));
