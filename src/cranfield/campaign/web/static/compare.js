// Lines that connect a document's positions in two lists, redrawn when an entry is opened or the window is resized.

const lists = document.getElementById("pair");
const SVG = "http://www.w3.org/2000/svg";

const draw = () => {
  const [first, second] = lists.querySelectorAll("ol"), frame = lists.getBoundingClientRect();
  const place = new Map([...second.children].map((item) => [item.dataset.document, item.getBoundingClientRect()]));
  const lines = [...first.children].filter((item) => place.has(item.dataset.document)).map((item) => {
    const from = item.getBoundingClientRect(), to = place.get(item.dataset.document), line = document.createElementNS(SVG, "line");
    for (const [name, value] of Object.entries({ x1: from.right - frame.left + 6, y1: from.top - frame.top + 21, x2: to.left - frame.left - 6, y2: to.top - frame.top + 21 })) line.setAttribute(name, value);
    if ("relevant" in item.dataset) line.classList.add("relevant");
    return line;
  });
  drawing.replaceChildren(...lines);
};

const drawing = document.createElementNS(SVG, "svg");
if (lists) {
  drawing.classList.add("links");
  drawing.setAttribute("aria-hidden", "true");
  lists.append(drawing);
  new ResizeObserver(draw).observe(lists);
}
