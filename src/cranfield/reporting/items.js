// The interactive table of items: actual labels, predictions of two systems, and scores.
function explore(data) {
  const MOST = 200; // rows shown
  const several = data.systems.length > 1;
  const name = (code) => (code < 0 ? `not ${data.classes[data.positive]}` : data.classes[code]);
  const words = data.answers.map((codes) => codes.map(name).join(", ") || "none");

  fill(find("one"), data.systems, 0);
  if (several) fill(find("other"), data.systems, 1);
  for (const id of ["actual", "predicted"]) {
    find(id).append(made("option", { value: "" }, "any class"), ...data.classes.map((text, code) =>
      made("option", { value: code }, text)));
  }

  const chosen = () => ({ one: Number(find("one").value), other: several ? Number(find("other").value) : null });

  // the prediction -1 means any class but the positive one
  function right(system, item) {
    const predicted = data.answers[data.predicted[system][item]], actual = data.answers[data.actual[item]];
    if (predicted[0] === -1) return actual[0] !== data.positive;
    return data.predicted[system][item] === data.actual[item];
  }

  function sure(system, item) {
    const score = data.score[system] === null ? null : data.score[system][item];
    if (score === null || data.threshold[system] === null) return score;
    return Math.abs(score - data.threshold[system]);
  }

  function rows() {
    const { one, other } = chosen();
    return data.items.map((text, item) => ({
      item: text, place: item, actual: words[data.actual[item]],
      one: words[data.predicted[one][item]], oneRight: right(one, item),
      oneScore: data.score[one] === null ? null : data.score[one][item], oneSure: sure(one, item),
      ...(several ? {
        other: words[data.predicted[other][item]], otherRight: right(other, item),
        otherScore: data.score[other] === null ? null : data.score[other][item], otherSure: sure(other, item),
      } : {}),
    }));
  }

  function within(row) {
    const low = find("low").value, high = find("high").value;
    if (low === "" && high === "") return true;
    if (row.oneScore === null) return false;
    return (low === "" || row.oneScore >= Number(low)) && (high === "" || row.oneScore <= Number(high));
  }

  function matches(row) {
    const has = (id, answer) => find(id).value === "" || data.answers[answer].includes(Number(find(id).value));
    const text = find("text").value.trim().toLowerCase();
    if (text && !row.item.toLowerCase().includes(text)) return false;
    if (!has("actual", data.actual[row.place]) || !has("predicted", data.predicted[chosen().one][row.place])) return false;
    if (!within(row)) return false;
    switch (find("which").value) {
      case "one": return !row.oneRight;
      case "other": return !row.otherRight;
      case "both": return !row.oneRight && !row.otherRight;
      case "better": return row.oneRight && !row.otherRight;
      case "worse": return !row.oneRight && row.otherRight;
      case "differ": return row.one !== row.other;
      default: return true;
    }
  }

  function columns() {
    const { one, other } = chosen();
    const of = (system, key, sign) => [
      [key, `${sign}${data.systems[system]} predicts`, false],
      ...(data.score[system] === null ? [] : [[`${key}Score`, "score", true]]),
      ...(data.threshold[system] === null ? [] : [[`${key}Sure`, "distance from threshold", true]]),
    ];
    return [
      ["item", "item", false], ["actual", "actual", false], ...of(one, "one", several ? "A: " : ""),
      ...(several ? of(other, "other", "B: ") : []),
    ];
  }

  const mark = (text, good) => made("span", { class: good ? "answer" : "answer wrong" }, good ? text : `✗ ${text}`);

  function line(row, shown) {
    const cells = shown.map(([key, , numeric]) => {
      if (key === "item") return made("th", { scope: "row" }, row.item);
      if (key === "one" || key === "other") return made("td", {}, mark(row[key], row[`${key}Right`]));
      return made("td", { class: numeric ? "number" : null }, numeric ? number(row[key]) : row[key]);
    });
    return made("tr", {}, ...cells);
  }

  function draw() {
    const shown = columns();
    const first = ["oneSure", "oneScore"].find((name) => shown.some(([key]) => key === name));
    const now = view.sorting(first ? `-${first}` : "item");
    const matching = ordered(rows().filter(matches), (row) => row[now.sort] ?? null, now.falling);
    drawValues(shown, now, matching.slice(0, MOST).map((row) => line(row, shown)));
    const limited = matching.length > MOST ? `; the first ${MOST} are shown` : "";
    find("status").textContent = `${counted(matching.length)} of ${counted(data.items.length)} items match${limited}`;
  }

  function itemsFile() {
    const heads = ["item", "actual", ...data.systems.flatMap((text, s) => [text, ...(data.score[s] ? [`${text} score`] : [])])];
    const lines = data.items.map((text, item) => [
      field(text), field(words[data.actual[item]]),
      ...data.systems.flatMap((_, s) => [field(words[data.predicted[s][item]]), ...(data.score[s] ? [data.score[s][item] ?? ""] : [])]),
    ].join(","));
    return [heads.map(field).join(","), ...lines].join("\n") + "\n";
  }

  view.keep(find("choice"), {
    one: "a", other: "b", which: "show", actual: "actual", predicted: "predicted", text: "contains", low: "from", high: "to",
  });
  view.listen(draw);
  offer("values-file", "items.csv", "actual labels, predictions and scores of the items on this page", itemsFile);
  draw();
}
