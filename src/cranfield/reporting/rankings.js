// The rankings of one query: the grades of all systems as strips, two ranked lists, and the text of a document.
function gradeMark(grade) {
  if (grade === null) return made("span", { class: "grade unjudged", title: "unjudged" }, "?");
  return made("span", { class: grade > 0 ? "grade relevant" : "grade" }, String(grade));
}

function gradeShade(grade, highest) {
  if (grade === null) return "g9";
  return grade <= 0 ? "g0" : `g${Math.max(1, Math.round((3 * grade) / Math.max(highest, 1)))}`;
}

// a text in which the words of the query, except short ones, are marked
function markedText(data, query, text) {
  const words = (data.titles?.[query] ?? "").split(/[^\p{L}\p{N}]+/u).filter((word) => word.length > 2);
  if (!words.length) return [text];
  const parts = text.split(new RegExp(`(?<![\\p{L}\\p{N}])(${words.join("|")})(?![\\p{L}\\p{N}])`, "iu"));
  return parts.map((part, place) => (place % 2 ? made("mark", {}, part) : part));
}

function showDocument(data, query, document) {
  const { names, grades } = data.documents[query];
  const [title, text] = data.texts[names[document]] ?? ["", "The text of this document is not included in this report."];
  const grade = grades[document] === null ? "unjudged" : `grade ${grades[document]}`;
  const ranks = data.systems.flatMap((name, s) => {
    const rank = data.lists[s][query].indexOf(document);
    return rank < 0 ? [] : [`${name} ${rank + 1}`];
  });
  find("document").hidden = false;
  find("document").replaceChildren(
    made("h4", {}, title ? `${names[document]}: ${title}` : names[document]),
    made("p", { class: "aside" }, `${grade}; ranks: ${ranks.slice(0, 12).join(", ")}${ranks.length > 12 ? ` and ${ranks.length - 12} more` : ""}`),
    made("p", { class: "text" }, ...markedText(data, query, text)));
}

function strips(data, query, systems) {
  const { names, grades } = data.documents[query];
  const highest = Math.max(0, ...grades.filter((grade) => grade !== null));
  const rows = systems.map((s) => made("div", { class: "strip", "data-system": data.systems[s] },
    made("span", { title: data.systems[s] }, shortened(data.systems[s])),
    ...data.lists[s][query].map((document, place) => {
      const grade = grades[document];
      const label = `rank ${place + 1}: ${names[document]}, ${grade === null ? "unjudged" : `grade ${grade}`}`;
      const cell = made("button", { type: "button", class: gradeShade(grade, highest), "aria-label": label, "data-tip": label }, grade === null ? "" : String(grade));
      cell.addEventListener("click", () => showDocument(data, query, document));
      return cell;
    }),
    ...(data.lists[s][query].length ? [] : [made("em", { class: "warn" }, "missing from the run")])));
  return [...rows, made("p", { class: "aside" }, `Grades at ranks 1 to ${data.depth}; dashed: unjudged. Select a cell to read the document.`)];
}

function rankedList(data, system, other, query) {
  const { names, grades } = data.documents[query];
  const documents = data.lists[system][query], theirs = data.lists[other][query];
  const body = documents.map((document, place) => {
    const there = theirs.indexOf(document), [title, text] = data.texts[names[document]] ?? ["", ""];
    const more = text ? [made("details", {}, made("summary", {}, title || names[document]), made("p", { class: "text" }, ...markedText(data, query, text)))] : [];
    return made("tr", {},
      made("td", { class: "number" }, String(place + 1)),
      made("td", {}, ...(text && title ? [made("code", {}, names[document])] : text ? [] : [names[document]]), ...more),
      made("td", {}, gradeMark(grades[document])),
      made("td", { class: "number" }, there < 0 ? "–" : String(there + 1)));
  });
  const heads = [["rank", true], ["document", false], ["grade", false], ["rank in the other run", true]];
  const table = made("table", {},
    made("caption", {}, data.systems[system]),
    made("thead", {}, made("tr", {}, ...heads.map(([text, numeric]) =>
      made("th", { scope: "col", class: numeric ? "number" : null }, text)))),
    made("tbody", {}, ...body));
  return made("div", {}, documents.length ? table : made("div", {}, table, made("p", {}, "This query is missing from the run.")));
}

function figuresOf(data, query, marked) {
  const best = data.measures.map((_, m) => {
    const values = data.values.map((system) => system[m][query]).filter((value) => value !== null);
    return data.lower[m] ? Math.min(...values) : Math.max(...values);
  });
  const lines = data.systems.map((name, s) => made("tr", { class: marked.includes(s) ? "chosen" : null },
    made("th", { scope: "row" }, name),
    ...data.measures.map((_, m) => {
      const value = data.values[s][m][query];
      return made("td", { class: "number" }, value !== null && value === best[m] ? made("b", {}, number(value)) : number(value));
    })));
  return made("div", { class: "wide", role: "region", "aria-label": "All systems for this query", tabindex: "0" },
    made("table", {},
      made("caption", {}, "All systems for this query"),
      made("thead", {}, made("tr", {}, ...["system", ...data.measures].map((name, place) =>
        made("th", { scope: "col", class: place ? "number" : null }, name)))),
      made("tbody", {}, ...lines)));
}
