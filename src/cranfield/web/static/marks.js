// Terms of a topic, marked in a document with colour and underline.

const STOP = new Set("a an and are as at be by can do for from how i in is it its of on or that the them this to was what when where which who why will with".split(" "));
const escape = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

export const terms = (topic) => {
  const words = `${topic.title} ${topic.keywords}`.toLowerCase().match(/[\p{L}\p{N}]+/gu) || [];
  return [...new Set(words)].filter((word) => word.length > 1 && !STOP.has(word)).slice(0, 40);
};

// the text as children of an element, each term in a <mark>
export const append = (element, text, marked) => {
  const pattern = marked.length ? new RegExp(`(?<![\\p{L}\\p{N}])(?:${marked.map(escape).join("|")})(?:s|es)?(?![\\p{L}\\p{N}])`, "giu") : null;
  let last = 0;
  for (const match of pattern ? text.matchAll(pattern) : []) {
    const mark = document.createElement("mark");
    mark.textContent = match[0];
    element.append(text.slice(last, match.index), mark);
    last = match.index + match[0].length;
  }
  element.append(text.slice(last));
};
