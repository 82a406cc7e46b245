// The reader's choices, stored in the URL so that a link restores the page.
const view = (() => {
  const listeners = [];
  let anchor = "", chosen = {};

  function read() {
    const [place, values] = location.hash.slice(1).split("?");
    anchor = place;
    chosen = Object.fromEntries(new URLSearchParams(values ?? ""));
  }

  // every choice is a step back in the history of the browser, except letters typed into a field
  function write(step) {
    const values = new URLSearchParams(chosen).toString();
    const hash = `#${anchor}${values ? `?${values}` : ""}`;
    if (hash === (location.hash || "#")) return;
    if (step) history.pushState(null, "", hash);
    else history.replaceState(null, "", hash);
  }

  // null removes a choice
  function choose(changes, step = true) {
    for (const [name, value] of Object.entries(changes)) {
      if (value === null) delete chosen[name];
      else chosen[name] = value;
    }
    write(step);
    for (const listener of listeners) listener();
  }

  const text = (field) => (field.tagName === "SELECT" ? field.selectedOptions[0].text : field.value);

  function enter(field, value) {
    if (field.tagName !== "SELECT") field.value = value;
    else field.value = ([...field.options].find((option) => option.text === value) ?? field.options[0]).value;
  }

  // the fields of a form are choices too, under the given names; their first values are not written
  function keep(form, names) {
    const fields = Object.entries(names).flatMap(([id, name]) => (find(id) ? [[find(id), name]] : []));
    const first = new Map(fields.map(([field]) => [field, text(field)]));
    const restore = () => fields.forEach(([field, name]) => {
      const value = chosen[name] ?? first.get(field);
      if (text(field) !== value) enter(field, value);
    });
    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("input", (event) => {
      const changed = fields.map(([field, name]) => [name, text(field) === first.get(field) ? null : text(field)]);
      choose(Object.fromEntries(changed), event.target.tagName === "SELECT");
    });
    listeners.push(restore);
    restore();
  }

  // the column that a table is sorted by, with a minus sign if the largest values come first
  function sorting(first) {
    const column = chosen.sort ?? first;
    return { sort: column.replace(/^-/, ""), falling: column.startsWith("-") };
  }

  function sortBy(key, numeric, { sort, falling }) {
    choose({ sort: `${(sort === key ? !falling : numeric) ? "-" : ""}${key}` });
    find("values").querySelector("th[aria-sort] button").focus();
  }

  function go(id) {
    anchor = id;
    write(true);
    const target = find(id);
    target.scrollIntoView();
    if (target.tabIndex === -1 && target.hasAttribute("tabindex")) target.focus({ preventScroll: true });
  }

  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[href^='#']");
    if (!link || link.hasAttribute("download")) return;
    const id = link.getAttribute("href").slice(1);
    if (id && find(id)) {
      event.preventDefault();
      go(id);
    }
  });
  addEventListener("hashchange", () => {
    const before = anchor;
    read();
    for (const listener of listeners) listener();
    if (anchor !== before && find(anchor)) find(anchor).scrollIntoView();
  });
  read();
  return {
    choose, keep, go, sorting, sortBy,
    chosen: (name) => chosen[name] ?? null,
    listen: (listener) => listeners.push(listener),
  };
})();
