// The leaderboard and the figures that follow it: the systems are ranked by one measure; one system may be the baseline.
function leaderboard(data) {
  const board = data.board;
  const measure = () => Math.max(0, data.measures.indexOf(view.chosen("measure")));
  const baseline = () => (view.chosen("baseline") === "none" ? null : placeOf(view.chosen("baseline")) ?? board.baseline);
  const placeOf = (name) => (data.systems.includes(name) ? data.systems.indexOf(name) : null);
  const byName = () => view.chosen("order");  // "name" or "-name"; null if the systems are ranked

  function order() {
    const m = measure(), places = data.systems.map((_, s) => s);
    if (byName()) return ordered(places, (s) => data.systems[s], byName() === "-name");
    return ordered(places, (s) => board.values[s][m], !data.lower[m]);
  }

  // the tested difference between two systems, first minus second
  function tested(one, other) {
    for (const [a, b, low, high, p, significant] of board.pairs[measure()]) {
      if (a === one && b === other) return { low, high, p, significant };
      if (a === other && b === one) return { low: high === null ? null : -high, high: low === null ? null : -low, p, significant };
    }
    return null;
  }

  function heads() {
    const m = measure(), base = baseline(), sort = data.lower[m] ? "ascending" : "descending";
    const others = data.measures.map((_, place) => place).filter((place) => place !== m);
    const choose = (place) => () => {
      view.choose({ measure: data.measures[place], order: null });
      find("board").querySelector("th[aria-sort] button").focus();
    };
    const named = byName() ? (byName() === "-name" ? "descending" : "ascending") : null;
    return [
      head("System", false, named, () => {
        view.choose({ order: byName() === "name" ? "-name" : "name" });
        find("board").querySelector("th button").focus();
      }),
      ...(board.tiers[m] ? [made("th", { scope: "col" }, "Tier")] : []),
      head(data.measures[m], true, byName() ? null : sort, choose(m)),
      ...(board.intervals ? [made("th", { scope: "col" }, `${percent(board.confidence)} interval`)] : []),
      ...(base === null ? [] : [made("th", { scope: "col", class: "number" }, "Difference")]),
      ...others.map((place) => head(data.measures[place], true, null, choose(place))),
      ...(board.judged ? [made("th", { scope: "col", class: "number" }, "Judged@10")] : []),
    ];
  }

  function line(s, scale) {
    const m = measure(), base = baseline();
    const value = (place) => {
      const text = number(board.values[s][place], board.digits);
      return board.best[s][place] ? made("b", {}, text) : text;
    };
    return made("tr", { class: s === order()[0] && !byName() ? "leading" : null, "data-system": data.systems[s] },
      made("th", { scope: "row", "data-copy": data.systems[s] }, systemLink(s),
        ...(s === base ? [" ", made("em", {}, "baseline")] : []),
        ...board.remarks[s].flatMap((remark) => [" ", made("em", { class: "warn" }, remark)])),
      ...(board.tiers[m] ? [made("td", { class: "tier" }, made("i", {}, tierRange(board.tiers[m][s])))] : []),
      made("td", { class: "number" }, value(m)),
      ...(board.intervals ? [intervalCell(board.intervals[s][m], board.values[s][m], scale)] : []),
      ...(base === null ? [] : [differenceCell(s, base, m)]),
      ...data.measures.flatMap((_, place) => (place === m ? [] : [made("td", { class: "number" }, value(place))])),
      ...(board.judged ? [made("td", { class: "number" }, board.judged[s] === null ? "–" : `${Math.round(100 * board.judged[s])} %`)] : []));
  }

  function systemLink(s) {
    const link = made("a", { href: `#leaderboard?${new URLSearchParams({ system: data.systems[s] })}` }, data.systems[s]);
    link.addEventListener("click", (event) => {
      event.preventDefault();
      view.choose({ system: view.chosen("system") === data.systems[s] ? null : data.systems[s] });
    });
    return link;
  }

  // "1 2 3 5" as "1–3, 5"
  function tierRange(tiers) {
    const runs = [];
    for (const tier of tiers.split(" ").map(Number)) {
      if (runs.length && runs.at(-1)[1] === tier - 1) runs.at(-1)[1] = tier;
      else runs.push([tier, tier]);
    }
    return runs.map(([low, high]) => (low === high ? `${low}` : `${low}–${high}`)).join(", ");
  }

  function scaleOf(m) {
    const ends = data.systems.flatMap((_, s) => board.intervals?.[s][m] ?? [board.values[s][m]]).filter((end) => end !== null);
    const low = Math.min(...ends), high = Math.max(...ends);
    return (value) => 6 + ((value - low) / (high - low || 1)) * 104;
  }

  function intervalCell(bounds, value, place) {
    if (!bounds) return made("td", {}, "–");
    const text = bounds.map((bound) => bound.toFixed(Math.max(3, board.digits - 1))).join(" to ");
    const base = baseline(), m = measure();
    const guide = base === null ? [] : [drawn("line", { x1: place(board.values[base][m]), x2: place(board.values[base][m]), y1: 0, y2: 20, class: "guide" })];
    return made("td", { class: "interval", "data-copy": text, "data-tip": text },
      drawn("svg", { viewBox: "0 0 116 20", width: 116, height: 20, role: "img", "aria-label": `interval ${text}` }, ...guide,
        drawn("line", { x1: place(bounds[0]), x2: place(bounds[1]), y1: 10, y2: 10, class: "range" }),
        drawn("circle", { cx: place(value), cy: 10, r: 4.5 })));
  }

  function differenceCell(s, base, m) {
    if (s === base) return made("td", { class: "number" }, "");
    const difference = board.values[s][m] - board.values[base][m], test = tested(s, base);
    const sign = data.lower[m] ? -difference : difference;
    const mark = test?.significant ? made("sup", {}, "*") : "";
    const about = test ? `${board.terms[0]} ${number(test.low)} to ${number(test.high)}\n${board.terms[1]} = ${test.p === null ? "–" : test.p.toPrecision(2)}` : "not tested";
    return made("td", { class: `number ${sign > 0 ? "gain" : sign < 0 ? "loss" : ""}`, "data-tip": about }, signed(difference, board.digits), mark);
  }

  // how the chosen system, or the best one, compares with the baseline
  function comparison(system, base) {
    const m = measure(), test = tested(system, base);
    const pairs = data.queries.map((_, q) => [data.values[system][m][q], data.values[base][m][q]]).filter(([a, b]) => a !== null && b !== null);
    const sign = data.lower[m] ? -1 : 1, wins = pairs.filter(([a, b]) => sign * (a - b) > 0).length;
    const difference = board.values[system][m] - board.values[base][m];
    const bounds = test && test.low !== null ? `, ${board.terms[0]} ${signed(test.low, 3)} to ${signed(test.high, 3)}` : "";
    const p = test && test.p !== null ? `, ${board.terms[1]} ${test.p < 0.001 ? "< 0.001" : `= ${Number(test.p.toPrecision(2))}`}` : "";
    const verdict = !test ? "" : test.significant ? ", which is significant" : ", which is not significant";
    return `Against ${data.systems[base]}, ${data.systems[system]} ${sign * difference >= 0 ? "gains" : "loses"} `
      + `${Math.abs(difference).toFixed(3)}${verdict} (${signed(difference, 3)}${bounds}${p}); it is better on ${counted(wins)} of ${counted(pairs.length)} queries.`;
  }

  function leadSentences(first, focus, base) {
    const [best, ...rest] = board.leads[measure()];
    const compared = base !== null && base !== focus ? [comparison(focus, base)] : [];
    return [best, ...(compared.length && base !== board.baseline && focus === first ? [] : rest), ...compared];
  }

  function withBoldName(sentence) {
    const name = data.systems.find((system) => sentence.startsWith(`${system} `));
    return name ? [made("b", {}, name), sentence.slice(name.length)] : [sentence];
  }

  function notes() {
    const m = measure(), base = baseline();
    return [
      `${data.measures[m]} over ${counted(data.queries.length)} queries.`,
      ...(board.tiers[m] ? ["Systems that share a tier are not significantly different."] : []),
      ...(base === null ? [] : [`Dotted line: ${data.systems[base]}.`, "* significantly different from it."]),
      ...(board.tested ? [`Test: ${board.tested}.`] : []),
    ].join(" ");
  }

  function draw() {
    const rows = order(), scale = scaleOf(measure()), base = baseline();
    const table = made("table", { class: "board" }, made("thead", {}, made("tr", {}, ...heads())),
      made("tbody", {}, ...rows.map((s) => line(s, scale))));
    find("board").replaceChildren(
      made("p", { class: "over" }, copyButton(() => table)),
      made("div", { class: "wide", role: "region", "aria-label": "Leaderboard", tabindex: "0" }, table),
      made("p", { class: "aside" }, notes()));
    const ranked = ordered(data.systems.map((_, s) => s), (s) => board.values[s][measure()], !data.lower[measure()]);
    const focus = placeOf(view.chosen("system")) ?? ranked[0];
    find("lead").replaceChildren(...leadSentences(ranked[0], focus, base).map((text) => made("p", { class: "lead" }, ...withBoldName(text))));
    drawFigures(ranked, focus, base);
    highlight(view.chosen("system"));
    hint();
  }

  function drawFigures(ranked, focus, base) {
    const m = measure(), against = base !== null && base !== focus ? base : ranked.find((s) => s !== focus);
    redraw("systems", `${data.measures[m]} by query, ${ranked.length > SIZE.most ? `the best ${SIZE.most} of ` : ""}${ranked.length} systems`,
      m === 0, (width) => distribution(data, ranked, m, width));
    redraw("differences", `${data.measures[m]}: ${data.systems[focus]} against ${data.systems[against]}, by query`,
      m === 0 && focus === board.compared[0] && against === board.compared[1],
      (width) => differenceBars(data, focus, against, m, width));
    if (board.connected && board.tiers[m]) {
      redraw("tiers", `${data.measures[m]}: connected systems are not significantly different`, m === 0,
        (width) => tierBars(data, ranked, m, width));
    }
  }

  // a figure as wide as its frame; the table below it shows the data of the first choice only
  function redraw(id, title, original, chart) {
    const figure = find(id);
    if (!figure) return;
    find(`${id}-title`).textContent = title;
    const picture = figure.querySelector(".picture");
    picture.setAttribute("aria-label", title);
    picture.replaceChildren(chart(Math.max(SIZE.narrowest, Math.min(SIZE.width, picture.clientWidth - SIZE.padding))));
    figure.querySelector("details").hidden = !original;
  }

  fill(find("measure"), data.measures, measure());
  find("baseline").append(made("option", { value: "none" }, "none"), ...data.systems.map((name) => made("option", { value: name }, name)));
  find("system").append(made("option", { value: "" }, "none"), ...data.systems.map((name) => made("option", { value: name }, name)));
  find("measure").addEventListener("change", () => view.choose({ measure: data.measures[find("measure").value], order: null }));
  find("baseline").addEventListener("change", () => view.choose({ baseline: find("baseline").value }));
  find("system").addEventListener("change", () => view.choose({ system: find("system").value || null }));

  function follow() {
    find("measure").value = String(measure());
    find("baseline").value = baseline() === null ? "none" : data.systems[baseline()];
    find("system").value = view.chosen("system") ?? "";
    draw();
  }
  view.listen(follow);
  addEventListener("resize", draw);
  follow();
  return { measure };
}
