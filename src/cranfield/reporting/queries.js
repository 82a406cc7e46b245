// The interactive table of queries: values of two systems, filtered and sorted.
function explore(data) {
  const state = { query: null, shown: [] };
  const board = leaderboard(data);

  fill(find("one"), data.systems, 0);
  fill(find("other"), data.systems, Math.min(1, data.systems.length - 1));

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

  function matches(row) {
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
      ...(data.titles ? [["title", "text", false]] : []),
      ["one", `A: ${data.systems[one]}`, true],
      ["other", `B: ${data.systems[other]}`, true],
      ["difference", "A − B", true],
      ["mean", "mean of all systems", true],
      ["relevant", "relevant", true],
    ];
  }

  function line(row) {
    const button = made("button", { type: "button", "data-query": row.q }, row.query);
    const better = (data.lower[chosen().measure] ? -1 : 1) * (row.difference ?? 0);
    const shade = better > 0 ? " gain" : better < 0 ? " loss" : "";
    const tableRow = made("tr", { class: row.q === state.query ? "chosen" : null },
      made("th", { scope: "row" }, button),
      ...(data.titles ? [made("td", {}, row.title)] : []),
      made("td", { class: "number" }, number(row.one)),
      made("td", { class: "number" }, number(row.other)),
      made("td", { class: `number${shade}` }, signed(row.difference)),
      made("td", { class: "number" }, number(row.mean)),
      made("td", { class: "number" }, row.relevant === null ? "–" : String(row.relevant)));
    tableRow.addEventListener("click", () => getSelection().isCollapsed && open(row.q)); // not after selecting text
    return tableRow;
  }

  function draw() {
    const all = rows(), now = view.sorting("query");
    state.shown = ordered(all.filter(matches), (row) => row[now.sort] ?? null, now.falling);
    drawValues(columns(), now, state.shown.map(line));
    const words = all.length === 1 ? "query" : "queries";
    find("status").textContent = `${counted(state.shown.length)} of ${counted(all.length)} ${words} shown`;
  }

  function open(query, focus = true) {
    view.choose({ query: data.queries[query] });
    if (focus) find("lists-title").focus();
  }

  function drawLists() {
    const { one, other } = chosen(), query = state.query;
    find("lists").hidden = query === null;
    find("document").hidden = true;
    if (query === null) return;
    const title = data.titles?.[query] ? `${data.queries[query]}: ${data.titles[query]}` : `${data.queries[query]}: the first ${data.depth} documents`;
    find("lists-title").textContent = `Query ${title}`;
    const rest = data.systems.map((_, s) => s).filter((s) => s !== one && s !== other);
    find("strips").replaceChildren(...strips(data, query, [...new Set([one, other]), ...rest]));
    find("side").replaceChildren(rankedList(data, one, other, query), rankedList(data, other, one, query));
    find("others").replaceChildren(figuresOf(data, query, [one, other]));
    find("values").querySelector(`tbody button[data-query="${query}"]`)?.setAttribute("aria-current", "true");
  }

  function step(by) {
    if (!state.shown.length) return;
    const at = state.shown.findIndex((row) => row.q === state.query);
    const next = (at + by + state.shown.length) % state.shown.length;
    open(state.shown[at < 0 ? 0 : next].q, false);  // the focus stays on the button
  }

  find("previous").addEventListener("click", () => step(-1));
  find("next").addEventListener("click", () => step(1));
  find("back").addEventListener("click", () => {
    const row = find("values").querySelector(`button[data-query="${state.query}"]`);
    (row ?? find("text")).focus();
  });
  find("figures")?.addEventListener("click", (event) => {
    const mark = event.target.closest("[data-query]");
    if (mark) open(Number(mark.dataset.query));
  });

  function valuesFile() {
    const lines = ["system,query,measure,value"];
    data.systems.forEach((system, s) => data.measures.forEach((measure, m) => data.queries.forEach((query, q) => {
      if (data.counted[s][q]) lines.push([field(system), field(query), field(measure), data.values[s][m][q] ?? ""].join(","));
    })));
    return lines.join("\n") + "\n";
  }

  offer("values-file", "queries.csv", "values of all measures by query and system", valuesFile);

  function follow() {
    const query = data.queries.indexOf(view.chosen("query"));
    state.query = query < 0 ? null : query;
    draw();
    drawLists();
    highlight(view.chosen("system"));
  }
  view.keep(find("choice"), { one: "a", other: "b", text: "contains", which: "show", least: "least" });
  view.listen(follow);
  follow();
}
