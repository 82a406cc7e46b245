// The interactive table of queries: values of two systems, filtered and sorted.
function explore(data) {
  const state = { sort: "query", falling: false, query: null, shown: [] };
  const board = leaderboard(data);

  fill(find("one"), data.systems, placeOf("a") ?? 0);
  fill(find("other"), data.systems, placeOf("b") ?? Math.min(1, data.systems.length - 1));

  function placeOf(name) {
    const place = data.systems.indexOf(view.chosen(name));
    return place < 0 ? null : place;
  }

  const chosen = () => ({
    measure: board.measure(),
    one: Number(find("one").value),
    other: Number(find("other").value),
  });

  function rows() {
    const { measure, one, other } = chosen();
    return data.queries.map((name, q) => {
      const all = data.values.map((system) => system[measure][q]).filter((value) => value !== null);
      const a = data.values[one][measure][q], b = data.values[other][measure][q];
      return {
        q, query: name, title: data.titles?.[q] ?? "", one: a, other: b,
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
    if (text && !`${row.query} ${row.title}`.toLowerCase().includes(text)) return false;
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
      ...(data.titles ? [["title", "text", false]] : []),
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
    const better = (data.lower[chosen().measure] ? -1 : 1) * (row.difference ?? 0);
    const shade = better > 0 ? " gain" : better < 0 ? " loss" : "";
    return made("tr", { class: row.q === state.query ? "chosen" : null },
      made("th", { scope: "row" }, button),
      made("td", { class: "number" }, number(row.one)),
      made("td", { class: "number" }, number(row.other)),
      made("td", { class: `number${shade}` }, signed(row.difference)),
      made("td", { class: "number" }, number(row.mean)),
      made("td", { class: "number" }, row.relevant === null ? "–" : String(row.relevant)),
      ...(data.titles ? [made("td", {}, row.title)] : []));
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

  function show(query, focus = true) {
    state.query = query;
    const { one, other } = chosen();
    find("lists").hidden = false;
    const title = data.titles?.[query] ? `${data.queries[query]}: ${data.titles[query]}` : `${data.queries[query]}: the first ${data.depth} documents`;
    find("lists-title").textContent = `Query ${title}`;
    find("document").hidden = true;
    const rest = data.systems.map((_, s) => s).filter((s) => s !== one && s !== other);
    find("strips").replaceChildren(...strips(data, query, [...new Set([one, other]), ...rest]));
    find("side").replaceChildren(rankedList(data, one, other, query), rankedList(data, other, one, query));
    find("others").replaceChildren(figuresOf(data, query, [one, other]));
    for (const button of find("values").querySelectorAll("tbody button")) {
      const own = Number(button.dataset.query) === query;
      button.closest("tr").classList.toggle("chosen", own);
      if (own) button.setAttribute("aria-current", "true");
      else button.removeAttribute("aria-current");
    }
    if (focus) find("lists-title").focus();
    if (view.chosen("query") !== data.queries[query]) view.choose({ query: data.queries[query] });
  }

  function step(by) {
    if (!state.shown.length) return;
    const at = state.shown.findIndex((row) => row.q === state.query);
    const next = (at + by + state.shown.length) % state.shown.length;
    show(state.shown[at < 0 ? 0 : next].q, false);  // the focus stays on the button
  }

  find("choice").addEventListener("submit", (event) => event.preventDefault());
  find("choice").addEventListener("input", () => {
    view.choose({ a: data.systems[chosen().one], b: data.systems[chosen().other] });
    if (state.query !== null) show(state.query, false);
  });
  find("previous").addEventListener("click", () => step(-1));
  find("next").addEventListener("click", () => step(1));
  find("back").addEventListener("click", () => {
    const row = find("values").querySelector(`button[data-query="${state.query}"]`);
    (row ?? find("text")).focus();
  });
  find("figures")?.addEventListener("click", (event) => {
    const mark = event.target.closest("[data-query]");
    if (mark) show(Number(mark.dataset.query));
  });

  function valuesFile() {
    const lines = ["system,query,measure,value"];
    data.systems.forEach((system, s) => data.measures.forEach((measure, m) => data.queries.forEach((query, q) => {
      if (data.counted[s][q]) lines.push([field(system), field(query), field(measure), data.values[s][m][q] ?? ""].join(","));
    })));
    return lines.join("\n") + "\n";
  }

  offer("values-file", "queries.csv", "values of all measures by query and system", valuesFile);
  view.listen(draw);
  draw();
  const first = data.queries.indexOf(view.chosen("query"));
  if (first >= 0) show(first, false);
}
