// Terms of a topic, marked in a document with colour and underline.

const STOP = new Set("a an and are as at be by can do for from how i in is it its of on or that the them this to was what when where which who why will with".split(" "));
const escape = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

// scripts without spaces between words: the browser divides them into words
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const divided = (word) => UNSPACED.test(word) && Intl.Segmenter
  ? [...new Intl.Segmenter(undefined, { granularity: "word" }).segment(word)].map(({ segment }) => segment) : [word];

export const terms = (topic) => {
  const title = topic.title.replace(/(^|\s)-\S+/g, "$1"); // without excluded terms, such as -calendar
  const words = (`${title} ${topic.keywords}`.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) || []).flatMap(divided);
  return [...new Set(words)].filter((word) => word.length > 1 && !STOP.has(word)).slice(0, 40);
};
const pattern = (word) => UNSPACED.test(word) ? escape(word) : `(?<![\\p{L}\\p{N}])${escape(word)}(?:s|es)?(?![\\p{L}\\p{N}])`;

// the text as children of an element, each term in a <mark>
export const append = (element, text, marked) => {
  const any = marked.length ? new RegExp(marked.map(pattern).join("|"), "giu") : null;
  let last = 0;
  for (const match of any ? text.matchAll(any) : []) {
    const mark = document.createElement("mark");
    mark.textContent = match[0];
    element.append(text.slice(last, match.index), mark);
    last = match.index + match[0].length;
  }
  element.append(text.slice(last));
};
