// Submitting a run: drop a file, check it for problems before it is sent, follow the upload, read the server's response.

const at = (id) => document.getElementById(id);
const form = at("submission"), zone = at("drop"), file = at("file");
const LOOKED_AT = 8 << 20, LISTED = 8; // bytes checked and problems shown here; the server checks everything

const number = (n) => n.toLocaleString("en");
const item = (words, sample) => {
  const line = document.createElement("li");
  line.textContent = words;
  if (sample !== undefined) line.append(Object.assign(document.createElement("code"), { textContent: sample.slice(0, 120) }));
  return line;
};
const report = (words, problems, state) => {
  at("checks").hidden = false;
  at("checks").className = `card ${state}`;
  at("checks-words").textContent = words;
  at("checks-list").replaceChildren(...problems.slice(0, LISTED).map(([message, sample]) => item(message, sample)), ...(problems.length > LISTED ? [item(`and ${number(problems.length - LISTED)} more`)] : []));
};

// the number in a text, infinite only if written as "inf" or "infinity"; NaN if it is not a number
const valueOf = (text) => {
  if (/^[+-]?inf(inity)?$/i.test(text)) return text.startsWith("-") ? -Infinity : Infinity;
  const value = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : NaN;
  return Number.isFinite(value) ? value : NaN;
};

// lines in TREC format, checked as the server will check them
const checked = (text, topics) => {
  const problems = [], seen = new Map(), runTopics = new Set(), last = new Map();
  let n = 0;
  text.split("\n").forEach((line, place) => {
    if (!line.trim() || line.startsWith("#")) return;
    const fields = line.trim().split(/\s+/), where = `Line ${place + 1}: `;
    n += 1;
    if (fields.length !== 6) { problems.push([`${where}${fields.length} fields instead of 6: `, line]); return; }
    const [topic, , document, rank, score] = fields, key = `${topic} ${document}`;
    if (Number.isNaN(valueOf(score))) problems.push([`${where}the score is not a number that can be ranked: `, score]);
    if (seen.has(key)) problems.push([`${where}the document already occurs on line ${seen.get(key)} of this topic: `, document]);
    else seen.set(key, place + 1);
    const before = last.get(topic);
    if (before && Number(rank) > before.rank && valueOf(score) > before.score) problems.push([`${where}a lower rank has a higher score; documents are ordered by score: `, `${rank} ${score}`]);
    last.set(topic, { rank: Number(rank), score: valueOf(score) });
    if (!runTopics.has(topic) && topics && !topics.has(topic)) problems.push([`${where}the benchmark has no such topic: `, topic]);
    runTopics.add(topic);
  });
  return { problems, n, runTopics };
};

let topics = null;
const check = async () => {
  const chosen = file.files[0];
  if (!chosen) return;
  at("chosen").textContent = `${chosen.name}, ${number(Math.ceil(chosen.size / 1024))} KB`;
  topics ??= await fetch(zone.dataset.topics).then((answer) => answer.json()).then((page) => new Set(page.topics.map((topic) => topic.name)), () => null);
  const start = new Uint8Array(await chosen.slice(0, 4).arrayBuffer());
  const isText = start.every((byte) => byte === 9 || byte === 10 || byte === 13 || (byte >= 32 && byte !== 127)) && !["{", "[", "P"].includes(String.fromCharCode(start[0])) && !/\.(csv|tsv|jsonl?|parquet|gz|zst|bz2|xz)$/i.test(chosen.name);
  if (!isText) { report("The server checks files of this format when they are submitted.", [], ""); return; }
  const part = await chosen.slice(0, LOOKED_AT).text(), whole = chosen.size <= LOOKED_AT;
  const { problems, n, runTopics } = checked(whole ? part : part.slice(0, part.lastIndexOf("\n") + 1), topics);
  if (whole && topics) for (const topic of topics) if (!runTopics.has(topic)) problems.push(["No documents for topic ", topic]);
  report(`${whole ? "" : "In the first part of the file: "}${number(n)} lines, ${number(runTopics.size)} topics. ${problems.length ? `${number(problems.length)} ${problems.length === 1 ? "problem" : "problems"}.` : "No problems found."}`, problems, problems.length ? "warn" : "good");
};

const send = () => {
  const request = new XMLHttpRequest(), bar = at("upload");
  request.open("POST", form.dataset.api);
  request.responseType = "json";
  request.upload.onprogress = (event) => { Object.assign(bar, { max: event.total, value: event.loaded }); at("upload-words").textContent = event.loaded < event.total ? `${Math.floor(100 * event.loaded / event.total)} % sent` : "Sent. The server is checking the run …"; };
  const done = (words) => { at("sending").hidden = true; form.querySelector("button").disabled = false; report(words, [], "error"); at("checks").scrollIntoView({ block: "nearest" }); };
  request.onload = () => (request.status < 300 ? location.reload() : done(`Not submitted: ${request.response?.error || `the server answered ${request.status}`}`));
  request.onerror = () => done("Not submitted: there is no connection to the server.");
  at("sending").hidden = false;
  form.querySelector("button").disabled = true;
  request.send(new FormData(form));
};

file.addEventListener("change", check);
form.addEventListener("submit", (event) => { event.preventDefault(); send(); });
for (const name of ["dragenter", "dragover"]) zone.addEventListener(name, (event) => { event.preventDefault(); zone.classList.add("over"); });
for (const name of ["dragleave", "drop"]) zone.addEventListener(name, () => zone.classList.remove("over"));
zone.addEventListener("drop", (event) => { event.preventDefault(); if (event.dataTransfer.files.length) { file.files = event.dataTransfer.files; check(); } });
