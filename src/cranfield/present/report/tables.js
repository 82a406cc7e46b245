// Tables that can be sorted, and what the rest is made with. Text from data only ever becomes text, never markup.
const byName = new Intl.Collator(undefined, { numeric: true });

function made(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null) element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

// what is missing goes last, whichever way the rest is sorted
function ordered(items, key, falling) {
  const sign = falling ? -1 : 1;
  return [...items].sort((a, b) => {
    const one = key(a), other = key(b);
    if (one === null || other === null) return (one === null) - (other === null);
    return sign * (typeof one === "string" ? byName.compare(one, other) : one - other);
  });
}

function head(text, numeric, sort, onSort) {
  const cell = made("th", { scope: "col", class: numeric ? "number" : null, "aria-sort": sort });
  const button = made("button", { type: "button" }, text);
  button.addEventListener("click", onSort);
  cell.append(button);
  return cell;
}

function makeSortable(table) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((cell, place) => {
    const numeric = cell.classList.contains("number");
    if (!cell.textContent.trim()) return;
    const fresh = head(cell.textContent, numeric, null, () => {
      const falling = fresh.hasAttribute("aria-sort")
        ? fresh.getAttribute("aria-sort") === "ascending" : numeric;
      const body = table.tBodies[0];
      const key = (row) => {
        const own = row.cells[place];
        if (!numeric) return own.textContent;
        return own.dataset.value === "" || isNaN(own.dataset.value) ? null : Number(own.dataset.value);
      };
      body.append(...ordered(body.rows, key, falling));
      for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
      fresh.setAttribute("aria-sort", falling ? "descending" : "ascending");
    });
    cell.replaceWith(fresh);
  });
}
document.querySelectorAll("table.sortable").forEach(makeSortable);

// a table that goes on beyond its frame says so
function hint() {
  for (const frame of document.querySelectorAll(".wide")) {
    frame.classList.toggle("more", frame.scrollWidth > frame.clientWidth + 1);
  }
}
addEventListener("resize", hint);
hint();

// paper cannot be unfolded
const folded = () => document.querySelectorAll(".finding details");
addEventListener("beforeprint", () => folded().forEach((part) => part.toggleAttribute("open", true)));
addEventListener("afterprint", () => folded().forEach((part) => part.toggleAttribute("open", false)));

const find = (id) => document.getElementById(id);
const number = (value, digits = 4) => (value === null ? "–" : value.toFixed(digits));

function fill(select, names, chosen) {
  select.append(...names.map((name, place) => made("option", { value: place }, name)));
  select.value = String(chosen);
}

function field(text) {
  const formula = /^[=+\-@\t\r]/.test(text) && !/^[+-]?[0-9]+([.,][0-9]+)?$/.test(text);
  const safe = formula ? `'${text}` : text;
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

// a file that is made of what is in the page already
function offer(id, name, what, content) {
  const link = made("a", { href: "#data", id, download: name }, name);
  link.addEventListener("click", () => {
    link.href = URL.createObjectURL(new Blob([content()], { type: "text/csv" }));
  }, { once: true });
  find("downloads").append(made("li", {}, link, `: ${what}`));
}
