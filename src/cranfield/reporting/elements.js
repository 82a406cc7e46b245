// Functions that build elements, format numbers and order rows. Text from data is only inserted as text, never as markup.
//
// Decided here: how a report in the browser orders rows and rounds numbers.
const byName = new Intl.Collator(undefined, { numeric: true });
const find = (id) => document.getElementById(id);
const number = (value, digits = 4) => (value === null ? "–" : value.toFixed(digits));
const signed = (value, digits = 4) => (value === null ? "–" : (value > 0 ? "+" : "") + value.toFixed(digits));

const counted = (n) => n.toLocaleString("en");
const percent = (proportion) => `${Number((100 * proportion).toFixed(4))} %`;

function made(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

function drawn(tag, attributes = {}, ...children) {
  return filled(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null) element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

function fill(select, names, chosen) {
  select.append(...names.map((name, place) => made("option", { value: place }, name)));
  select.value = String(chosen);
}

// missing values go last in either order
function ordered(items, key, falling) {
  const sign = falling ? -1 : 1;
  return [...items].sort((a, b) => {
    const one = key(a), other = key(b);
    if (one === null || other === null) return (one === null) - (other === null);
    return sign * (typeof one === "string" ? byName.compare(one, other) : one - other);
  });
}

function shortened(name, longest = 28) {
  return name.length <= longest ? name : `${name.slice(0, longest / 2 - 1)}…${name.slice(-longest / 2)}`;
}
