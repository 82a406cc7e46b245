// Tables that can be sorted, copied and saved.
function head(text, numeric, sort, onSort) {
  const cell = made("th", { scope: "col", class: numeric ? "number" : null, "aria-sort": sort });
  const button = made("button", { type: "button" }, text);
  button.addEventListener("click", onSort);
  cell.append(button);
  return cell;
}

// the table of queries or items, sorted by one of the reader's choices
function drawValues(columns, now, lines) {
  const heads = columns.map(([key, text, numeric]) => {
    const sort = key === now.sort ? (now.falling ? "descending" : "ascending") : null;
    return head(text, numeric, sort, () => view.sortBy(key, numeric, now));
  });
  find("values").replaceChildren(made("thead", {}, made("tr", {}, ...heads)), made("tbody", {}, ...lines));
  find("values").classList.toggle("long", lines.length > 40);
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
        const entry = row.cells[place];
        if (!numeric) return entry.textContent;
        return entry.dataset.value === "" || isNaN(entry.dataset.value) ? null : Number(entry.dataset.value);
      };
      body.append(...ordered(body.rows, key, falling));
      for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
      fresh.setAttribute("aria-sort", falling ? "descending" : "ascending");
    });
    cell.replaceWith(fresh);
  });
}
document.querySelectorAll("table.sortable").forEach(makeSortable);

// an apostrophe before a text that a spreadsheet would run as a formula, as in results/writing.py
function unrunnable(text) {
  const formula = /^(\s*[=+\-@]|[\t\r])/.test(text) && !/^[+-]?[0-9]+([.,][0-9]+)?(e[+-]?[0-9]+)?[*†‡]*$/.test(text);
  return formula ? `'${text}` : text;
}

// the table as tab-separated text, for spreadsheets and editors
function tabbed(table) {
  const text = (cell) => unrunnable(cell.dataset.copy ?? cell.textContent.replace(/\s+/g, " ").trim());
  return [...table.rows].map((row) => [...row.cells].map(text).join("\t")).join("\n") + "\n";
}

async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {  // pages opened from files may have no clipboard
    const area = made("textarea", { class: "skip" });
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
}

function copyButton(table) {
  const button = made("button", { type: "button", class: "copy" }, "Copy table");
  button.addEventListener("click", async () => {
    await copyText(tabbed(table()));
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = "Copy table"; }, 1500);
  });
  return button;
}
for (const table of document.querySelectorAll("table.copied")) {
  const wide = table.closest(".wide"), frame = made("div", { class: table.caption ? "framed captioned" : "framed" });
  wide.replaceWith(frame);
  frame.append(made("p", { class: "over" }, copyButton(() => table)), wide);
}

// indicate that a table or a figure can be scrolled
function hint() {
  for (const frame of document.querySelectorAll(".wide, .picture")) {
    frame.classList.toggle("more", frame.scrollWidth > frame.clientWidth + 1);
  }
}
addEventListener("resize", hint);
hint();

function field(text) {
  const safe = unrunnable(text);
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

// a download generated from the data of the page
function offer(id, name, what, content) {
  const link = made("a", { href: "#data", id, download: name }, name);
  link.addEventListener("click", () => {
    link.href = URL.createObjectURL(new Blob([content()], { type: "text/csv" }));
  }, { once: true });
  find("downloads").append(made("li", {}, link, `: ${what}`));
}
