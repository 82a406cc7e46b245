// The queries one by one: two systems side by side, their values and their ranked lists.
function explore(data) {
  const state = { sort: "query", falling: false, query: null, shown: [] };

  fill(find("measure"), data.measures, 0);
  fill(find("one"), data.systems, 0);
  fill(find("other"), data.systems, Math.min(1, data.systems.length - 1));

  const chosen = () => ({
    measure: Number(find("measure").value),
    one: Number(find("one").value),
    other: Number(find("other").value),
  });

  function rows() {
    const { measure, one, other } = chosen();
    return data.queries.map((name, q) => {
      const all = data.values.map((system) => system[measure][q]).filter((value) => value !== null);
      const a = data.values[one][measure][q], b = data.values[other][measure][q];
      return {
        q, query: name, one: a, other: b,
        difference: a === null || b === null ? null : a - b,
        mean: all.length ? all.reduce((sum, value) => sum + value, 0) / all.length : null,
        relevant: data.relevant[q],
      };
    });
  }

  function kept(row) {
    const text = find("text").value.trim().toLowerCase();
    const least = Math.abs(Number(find("least").value) || 0);
    const sign = data.lower[chosen().measure] ? -1 : 1;
    if (text && !row.query.toLowerCase().includes(text)) return false;
    if (least > 0 && (row.difference === null || Math.abs(row.difference) < least)) return false;
    const better = row.difference === null ? NaN : sign * row.difference;
    switch (find("which").value) {
      case "one": return better > 0;
      case "other": return better < 0;
      case "same": return better === 0;
      case "low": return (row.one ?? 0) < 0.1 && (row.other ?? 0) < 0.1;
      default: return true;
    }
  }

  function columns() {
    const { one, other } = chosen();
    return [
      ["query", "query", false],
      ["one", `A: ${data.systems[one]}`, true],
      ["other", `B: ${data.systems[other]}`, true],
      ["difference", "A − B", true],
      ["mean", "mean of all systems", true],
      ["relevant", "relevant", true],
    ];
  }

  function sortBy(key, numeric) {
    state.falling = state.sort === key ? !state.falling : numeric;
    state.sort = key;
    draw();
    find("values").querySelector("th[aria-sort] button").focus();
  }

  function line(row) {
    const button = made("button", { type: "button", "data-query": row.q }, row.query);
    button.addEventListener("click", () => show(row.q));
    const lower = data.lower[chosen().measure] ? -1 : 1;
    const signed = row.difference === null ? "" : lower * row.difference > 0 ? " gain" : lower * row.difference < 0 ? " loss" : "";
    const difference = row.difference === null ? "–" : (row.difference > 0 ? "+" : "") + row.difference.toFixed(4);
    return made("tr", { class: row.q === state.query ? "chosen" : null },
      made("th", { scope: "row" }, button),
      made("td", { class: "number" }, number(row.one)),
      made("td", { class: "number" }, number(row.other)),
      made("td", { class: `number${signed}` }, difference),
      made("td", { class: "number" }, number(row.mean)),
      made("td", { class: "number" }, row.relevant === null ? "–" : String(row.relevant)));
  }

  function draw() {
    const all = rows();
    state.shown = ordered(all.filter(kept), (row) => row[state.sort], state.falling);
    const sorts = columns().map(([key, text, numeric]) => {
      const sort = key === state.sort ? (state.falling ? "descending" : "ascending") : null;
      return head(text, numeric, sort, () => sortBy(key, numeric));
    });
    find("values").replaceChildren(
      made("thead", {}, made("tr", {}, ...sorts)),
      made("tbody", {}, ...state.shown.map(line)));
    find("values").classList.toggle("long", state.shown.length > 40);
    const words = all.length === 1 ? "query" : "queries";
    find("status").textContent = `${state.shown.length} of ${all.length} ${words} shown`;
  }

  function gradeMark(grade) {
    if (grade === null) return made("span", { class: "grade unjudged", title: "not judged" }, "?");
    return made("span", { class: grade > 0 ? "grade relevant" : "grade" }, String(grade));
  }

  function list(system, other, query) {
    const { names, grades } = data.documents[query];
    const own = data.lists[system][query], theirs = data.lists[other][query];
    const body = own.map((document, place) => {
      const there = theirs.indexOf(document);
      return made("tr", {},
        made("td", { class: "number" }, String(place + 1)),
        made("td", {}, names[document]),
        made("td", {}, gradeMark(grades[document])),
        made("td", { class: "number" }, there < 0 ? "–" : String(there + 1)));
    });
    const heads = [["rank", true], ["document", false], ["grade", false], ["rank there", true]];
    const table = made("table", {},
      made("caption", {}, data.systems[system]),
      made("thead", {}, made("tr", {}, ...heads.map(([text, numeric]) =>
        made("th", { scope: "col", class: numeric ? "number" : null }, text)))),
      made("tbody", {}, ...body));
    const said = own.length ? table : made("div", {}, table, made("p", {}, "This system has no answer to the query."));
    return made("div", {}, said);
  }

  function figuresOf(query) {
    const { one, other } = chosen();
    const best = data.measures.map((_, m) => {
      const values = data.values.map((system) => system[m][query]).filter((value) => value !== null);
      return data.lower[m] ? Math.min(...values) : Math.max(...values);
    });
    const lines = data.systems.map((name, s) => made("tr", { class: s === one || s === other ? "chosen" : null },
      made("th", { scope: "row" }, name),
      ...data.measures.map((_, m) => {
        const value = data.values[s][m][query];
        const text = number(value);
        return made("td", { class: "number" }, value !== null && value === best[m] ? made("b", {}, text) : text);
      })));
    return made("div", { class: "wide", role: "region", "aria-label": "All systems for this query", tabindex: "0" },
      made("table", {},
        made("caption", {}, "All systems for this query"),
        made("thead", {}, made("tr", {}, ...["system", ...data.measures].map((name, place) =>
          made("th", { scope: "col", class: place ? "number" : null }, name)))),
        made("tbody", {}, ...lines)));
  }

  function show(query, focus = true) {
    state.query = query;
    const { one, other } = chosen();
    find("lists").hidden = false;
    find("lists-title").textContent =
      `Query ${data.queries[query]}: the first ${data.depth} documents of ${data.systems[one]} and ${data.systems[other]}`;
    find("side").replaceChildren(list(one, other, query), list(other, one, query));
    find("others").replaceChildren(figuresOf(query));
    for (const button of find("values").querySelectorAll("tbody button")) {
      const own = Number(button.dataset.query) === query;
      button.closest("tr").classList.toggle("chosen", own);
      if (own) button.setAttribute("aria-current", "true");
      else button.removeAttribute("aria-current");
    }
    if (focus) find("lists-title").focus();
  }

  function step(by) {
    if (!state.shown.length) return;
    const at = state.shown.findIndex((row) => row.q === state.query);
    const next = (at + by + state.shown.length) % state.shown.length;
    show(state.shown[at < 0 ? 0 : next].q, false);  // the focus stays on the button, to go on
  }

  find("choice").addEventListener("submit", (event) => event.preventDefault());
  find("choice").addEventListener("input", () => {
    draw();
    if (state.query !== null) show(state.query, false);
  });
  find("previous").addEventListener("click", () => step(-1));
  find("next").addEventListener("click", () => step(1));
  find("back").addEventListener("click", () => {
    const row = find("values").querySelector(`button[data-query="${state.query}"]`);
    (row ?? find("text")).focus();
  });

  function valuesFile() {
    const lines = ["system,query,measure,value"];
    data.systems.forEach((system, s) => data.measures.forEach((measure, m) => data.queries.forEach((query, q) => {
      if (data.counted[s][q]) lines.push([field(system), field(query), field(measure), data.values[s][m][q] ?? ""].join(","));
    })));
    return lines.join("\n") + "\n";
  }

  offer("values-file", "queries.csv", "the value of every measure for every query and system", valuesFile);
  draw();
}
