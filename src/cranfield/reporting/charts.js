// Figures that follow the chosen measure, baseline and system, drawn from the values by query.
const SIZE = { width: 860, narrowest: 320, padding: 40, left: 12, right: 66, top: 8, below: 42, row: 26, most: 20, least: 260, points: 4000 };

// both figures of a result have the same height, to fill a row of the page
const height = (data) => Math.max(SIZE.least, Math.min(SIZE.most, data.systems.length) * SIZE.row);

function quantile(rising, proportion) {
  const at = proportion * (rising.length - 1), low = Math.floor(at);
  return rising[low] + (at - low) * ((rising[low + 1] ?? rising[low]) - rising[low]);
}

function ticks(low, high, about = 6) {
  const rough = (high - low) / about, power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= 0.75 * rough);
  const first = Math.ceil(low / step - 1e-9);
  return Array.from({ length: Math.floor(high / step + 1e-9) - first + 1 }, (_, place) => (first + place) * step);
}

function domain(values, zero) {
  let low = Math.min(...values), high = Math.max(...values);
  if (zero) [low, high] = [Math.min(low, 0), Math.max(high, 0)];
  else if (low >= 0 && high <= 1) return [0, 1];
  const margin = 0.05 * (high - low) || 0.5;
  return [low ? low - margin : low, high ? high + margin : high];
}

const plain = (value) => String(Number(value.toPrecision(6)));

function frame(width, height, ...marks) {
  return drawn("svg", { viewBox: `0 0 ${width} ${height}`, width, height, class: "chart" },
    drawn("rect", { width, height, class: "paper" }), ...marks);
}

function acrossAxis(place, low, high, bottom, title) {
  return ticks(low, high, (place(high) - place(low)) / 70).flatMap((tick) => [
    drawn("line", { x1: place(tick), x2: place(tick), y1: SIZE.top, y2: bottom, class: "grid" }),
    drawn("text", { x: place(tick), y: bottom + 16, class: "tick middle" }, plain(tick)),
  ]).concat(drawn("text", { x: (place(low) + place(high)) / 2, y: bottom + 36, class: "name middle" }, title));
}

function nameWidth(names) {
  const pen = document.createElement("canvas").getContext("2d");
  pen.font = "12px Arial";
  return Math.max(...names.map((name) => pen.measureText(name).width)) + 10;
}

// names that leave most of a narrow figure to its marks
const fitted = (name, width) => shortened(name, width < 500 ? 14 : 28);

// one row per system: one point per query, quartiles, median and mean
function distribution(data, order, measure, width) {
  const shown = order.slice(0, SIZE.most), names = shown.map((s) => fitted(data.systems[s], width));
  const values = shown.map((s) => data.values[s][measure].filter((value) => value !== null));
  const [low, high] = domain(values.flat(), false);
  const left = SIZE.left + nameWidth(names), right = width - SIZE.right;
  const place = (value) => left + ((value - low) / (high - low)) * (right - left);
  const bottom = SIZE.top + height(data), tall = height(data) / shown.length;
  const few = values.flat().length <= SIZE.points;
  const rows = shown.map((s, row) => drawn("g", { "data-system": data.systems[s] },
    ...systemRow(data, s, measure, SIZE.top + tall * (row + 0.5), tall, place, few),
    drawn("text", { x: left - 8, y: SIZE.top + tall * (row + 0.5) + 4, class: "name end", "data-tip": data.systems[s] }, names[row]),
    drawn("text", { x: right + 8, y: SIZE.top + tall * (row + 0.5) + 4, class: "tick" },
      number(data.board.values[s][measure], data.board.digits))));
  return frame(width, bottom + SIZE.below, ...acrossAxis(place, low, high, bottom, data.measures[measure]), ...rows);
}

function systemRow(data, s, measure, y, tall, place, few) {
  const values = data.values[s][measure], rising = values.filter((value) => value !== null).sort((a, b) => a - b);
  if (!rising.length) return [];
  const [first, median, third] = [0.25, 0.5, 0.75].map((proportion) => quantile(rising, proportion));
  const dots = few ? values.flatMap((value, q) => (value === null ? [] : [drawn("circle", {
    cx: place(value), cy: y + (((q * 0.618) % 1) - 0.5) * tall * 0.6, r: 2.2, class: "dot",
    "data-tip": `${data.systems[s]}\n${queryName(data, q)}: ${number(value)}`, "data-query": q,
  })])) : [];
  const mean = place(data.board.values[s][measure] ?? median), thick = Math.min(14, tall * 0.24);
  return [
    ...dots,
    drawn("line", { x1: place(rising[0]), x2: place(rising.at(-1)), y1: y, y2: y, class: "whisker" }),
    drawn("rect", { x: place(first), y: y - thick, width: Math.max(1, place(third) - place(first)), height: 2 * thick, class: "box",
      "data-tip": `${data.systems[s]}\nmedian: ${number(median)}\nquartiles: ${number(first)} to ${number(third)}` }),
    drawn("line", { x1: place(median), x2: place(median), y1: y - thick, y2: y + thick, class: "median" }),
    drawn("path", { d: `M${mean - 5},${y}l5,-5l5,5l-5,5z`, class: "mean", "data-tip": `${data.systems[s]}\nmean: ${number(data.board.values[s][measure])}` }),
  ];
}

const queryName = (data, q) => (data.titles?.[q] ? `${data.queries[q]}, ${data.titles[q]}` : `query ${data.queries[q]}`);

// one bar per query, from the largest gain over the baseline to the largest loss
function differenceBars(data, system, base, measure, width) {
  const sign = data.lower[measure] ? -1 : 1;
  const rows = data.queries.map((_, q) => ({ q, one: data.values[system][measure][q], other: data.values[base][measure][q] }))
    .filter((row) => row.one !== null && row.other !== null)
    .map((row) => ({ ...row, difference: row.one - row.other }))
    .sort((a, b) => b.difference - a.difference);
  if (!rows.length) return frame(width, 40, drawn("text", { x: 12, y: 24, class: "name" }, "The systems have no query in common."));
  const [low, high] = domain(rows.map((row) => row.difference), true);
  const left = 52, right = width - 8, tall = height(data), bottom = SIZE.top + tall;
  const across = (place) => left + (place / rows.length) * (right - left);
  const up = (value) => bottom - ((value - low) / (high - low)) * tall;
  const mean = rows.reduce((sum, row) => sum + row.difference, 0) / rows.length;
  const bars = rows.map((row, place) => drawn("rect", {
    x: across(place), width: Math.max(0.5, across(1) - across(0) - (rows.length < 150 ? 1 : 0)),
    y: Math.min(up(0), up(row.difference)), height: Math.abs(up(0) - up(row.difference)),
    class: `bar ${sign * row.difference >= 0 ? "gain" : "loss"}`, "data-query": row.q,
    "data-tip": `${queryName(data, row.q)}\n${signed(row.difference)} (${number(row.one)} and ${number(row.other)})`,
  }));
  const scale = ticks(low, high).flatMap((tick) => [
    drawn("line", { x1: left, x2: right, y1: up(tick), y2: up(tick), class: "grid" }),
    drawn("text", { x: left - 6, y: up(tick) + 4, class: "tick end" }, plain(tick)),
  ]);
  return frame(width, bottom + SIZE.below, ...scale, ...bars,
    drawn("line", { x1: left, x2: right, y1: up(0), y2: up(0), class: "zero" }),
    drawn("line", { x1: left, x2: right, y1: up(mean), y2: up(mean), class: "reference" }),
    drawn("text", { x: right, y: up(mean) - 5, class: "tick end raised" }, `mean ${signed(mean)}`),
    drawn("text", { x: (left + right) / 2, y: bottom + 36, class: "name middle" },
      `${counted(rows.length)} queries, by difference in ${data.measures[measure]}`));
}

// one row per system: mean and interval, and on the right one bar per tier, from its first system to its last
function tierBars(data, order, measure, width) {
  const board = data.board, names = order.map((s) => fitted(data.systems[s], width));
  const tiers = order.map((s) => (board.tiers[measure][s] === "alone" ? [] : board.tiers[measure][s].split(" ").map(Number)));
  const last = Math.max(0, ...tiers.flat()), column = Math.min(24, (0.3 * width) / Math.max(1, last));
  const every = Math.ceil((last > 9 ? 16 : 9) / column);  // tiers per label, so that labels do not touch
  const left = SIZE.left + nameWidth(names), right = width - 20 - last * column;
  const ends = order.flatMap((s) => board.intervals[s][measure] ?? [board.values[s][measure]]).filter((end) => end !== null);
  const margin = 0.03 * (Math.max(...ends) - Math.min(...ends)) || 0.5, low = Math.min(...ends) - margin, high = Math.max(...ends) + margin;
  const place = (value) => left + ((value - low) / (high - low)) * (right - left);
  const top = SIZE.top + 14, across = (row) => top + SIZE.row * (row + 0.5), bottom = top + SIZE.row * order.length;
  const rows = order.map((s, row) => drawn("g", { "data-system": data.systems[s] },
    drawn("text", { x: left - 8, y: across(row) + 4, class: "name end", "data-tip": data.systems[s] }, names[row]),
    ...meanMarks(board, data.systems[s], s, measure, place, across(row), tiers[row])));
  const bars = Array.from({ length: last }, (_, at) => {
    const members = tiers.flatMap((numbers, row) => (numbers.includes(at + 1) ? [row] : [])), x = right + 14 + (at + 0.5) * column;
    return [
      ...(at % every ? [] : [drawn("text", { x, y: SIZE.top + 6, class: "tick middle" }, String(at + 1))]),
      drawn("line", { x1: x, x2: x, y1: across(members[0]) - 5, y2: across(members.at(-1)) + 5, class: "tie",
        "data-tip": `tier ${at + 1}: ${members.length} systems, ${data.systems[order[members[0]]]} to ${data.systems[order[members.at(-1)]]}` }),
    ];
  });
  return frame(width, bottom + SIZE.below, ...acrossAxis(place, low, high, bottom, `mean ${data.measures[measure]}`), ...rows, ...bars.flat());
}

function meanMarks(board, name, s, measure, place, y, tiers) {
  const value = board.values[s][measure], bounds = board.intervals[s][measure];
  if (value === null) return [];
  const about = `${name}\nmean: ${number(value, board.digits)}`
    + (bounds ? `\n${percent(board.confidence)} CI: ${number(bounds[0], board.digits)} to ${number(bounds[1], board.digits)}` : "")
    + (tiers.length ? `\ntier${tiers.length > 1 ? "s" : ""}: ${tiers.join(", ")}` : "");
  return [
    ...(bounds ? [drawn("line", { x1: place(bounds[0]), x2: place(bounds[1]), y1: y, y2: y, class: "range", "data-tip": about })] : []),
    drawn("circle", { cx: place(value), cy: y, r: 4.5, class: "point", "data-tip": about }),
  ];
}
