// The judging screen: shows one document at a time, accepts a judgment by key or pointer, and moves on at once; "Saved"
// appears when the server has confirmed that the judgment is on its disk.
//
// Decided here: which document a key grades, and when a key is ignored.

import * as clock from "./clock.js";
import * as keys from "./keys.js";
import { terms } from "./marks.js";
import { MOST, newKey, Outbox } from "./outbox.js";
import * as passages from "./passages.js";
import { isOpen, Queue } from "./queue.js";
import * as reader from "./reader.js";

const at = (id) => document.getElementById(id);
const screen = at("screen");
const { api, csrf, account } = screen.dataset;
const AT_ONCE = 4; // documents that are fetched at the same time
const queue = new Queue(), loaded = new Map();
let marks = true, draft = "";

const text = (id, value) => { at(id).textContent = value; };
const say = (words) => { if (words) text("spoken", words); };
const radios = [...document.querySelectorAll("input[name=grade]")];
const label = (grade) => radios.find((radio) => Number(radio.value) === grade)?.dataset.label ?? grade;
const plural = (n, singular, several) => `${n} ${n === 1 ? singular : several}`;

// fetching
const ask = async (path) => {
  const response = await fetch(`${api}${path}`);
  if (response.status === 401) { location.assign(`/login?following=${encodeURIComponent(location.pathname)}`); throw new Error("signed out"); }
  if (!response.ok) throw new Error((await response.json().catch(() => ({}))).error || `The server answered ${response.status}.`);
  return response.json();
};
const load = ({ assignment }) => {
  if (!loaded.has(assignment)) {
    const request = ask(`/items/${assignment}`);
    request.catch(() => loaded.delete(assignment));
    loaded.set(assignment, request);
  }
  return loaded.get(assignment);
};
// as many documents as judgments can be kept without a connection, the next one first
const upcoming = () => queue.items.slice(queue.place + 1).filter(isOpen).slice(0, MOST);
let nFetching = 0;
const prefetch = () => {
  for (const item of upcoming().filter(({ assignment }) => !loaded.has(assignment)).slice(0, AT_ONCE - nFetching)) {
    nFetching += 1;
    load(item).then(() => true, () => false).then((fetched) => { nFetching -= 1; if (fetched) prefetch(); });
  }
  if (loaded.size > 2 * MOST + 20) {
    const needed = new Set([queue.current, ...upcoming()].map((item) => item?.assignment));
    for (const key of [...loaded.keys()].filter((assignment) => !needed.has(assignment)).slice(0, MOST)) loaded.delete(key);
  }
};

// showing
const banner = (words, about = "") => { at("banner").hidden = !words; at("banner").dataset.about = about; text("banner", words || ""); };
const counted = () => {
  const { n, nDone, pace } = queue;
  text("count", `${nDone} of ${n}`);
  Object.assign(at("bar"), { max: n || 1, value: nDone });
  const minutes = pace === null ? 0 : Math.ceil(60 * pace * (n - nDone));
  text("left", !minutes ? "" : minutes < 100 ? `about ${minutes} min left` : `about ${Math.round(minutes / 60)} h left`);
  text("time", clock.inWords());
};
const showNeed = (topic, topicTerms) => {
  text("topic-name", `Topic ${topic.name}`);
  text("need", topic.title || topic.name);
  text("words", topic.words);
  at("words").hidden = !topic.words;
  text("description", topic.description);
  text("narrative", topic.narrative);
  at("narrative-part").hidden = !topic.narrative;
  at("terms").replaceChildren(...topicTerms.map((term) => Object.assign(document.createElement("span"), { textContent: term })));
  at("terms-part").hidden = !topicTerms.length;
  at("terms").hidden = !marks;
};
const showLabel = ({ kind, grade, note }) => {
  radios.forEach((radio) => { radio.checked = grade !== null && Number(radio.value) === grade; });
  document.querySelectorAll("[data-kind]").forEach((button) => button.setAttribute("aria-pressed", button.dataset.kind.split(",").includes(kind)));
  document.querySelector("[data-act=note]").setAttribute("aria-pressed", Boolean(note));
  draft = note;
};
const show = ({ topic, document: doc, assignment, spans }) => {
  if (queue.current?.assignment !== assignment) return;
  const topicTerms = terms(topic);
  showNeed(topic, topicTerms);
  at("document").hidden = false;
  at("done").hidden = true;
  at("judgment").hidden = false;
  const { place, isWarmUp, warmUp, review } = queue;
  at("warm-up").hidden = !isWarmUp;
  text("warm-up", review.length ? `Warm-up, again: ${place + 1} of ${warmUp}` : `Warm-up ${place + 1} of ${warmUp}`);
  reader.show(doc, marks ? topicTerms : []);
  passages.show(doc, spans, Boolean(topic.kind));
  showLabel(queue.current);
  at("title").focus({ preventScroll: true });
  screen.dataset.shown = assignment;
};
const go = async (to) => {
  queue.place = Math.max(0, Math.min(to, queue.n));
  clock.restart();
  counted();
  const { current } = queue;
  if (!current) { end(); return; }
  if (screen.dataset.shown !== String(current.assignment)) delete screen.dataset.shown; // until it is loaded, nothing can be judged
  try { const item = await load(current); if (current === queue.current) show(item); }
  catch (error) { if (current === queue.current) { banner(`${error.message} Trying again.`, "document"); setTimeout(() => current === queue.current && go(queue.place), 2000); } return; }
  if (at("banner").dataset.about === "document") banner("");
  prefetch();
};
// the end: what was done, and what can be reviewed
const choice = (words, places) => {
  const button = Object.assign(document.createElement("button"), { type: "button", textContent: words });
  button.addEventListener("click", () => { queue.review = places; go(places[0]); });
  return button;
};
const end = () => {
  const later = queue.places((item) => item.kind === "later"), untold = queue.places((item) => ["cannot tell", "unreadable"].includes(item.kind));
  const warmUp = queue.places((item, place) => place < queue.warmUp);
  at("document").hidden = at("judgment").hidden = true;
  at("done").hidden = false;
  text("done-title", later.length ? "You have seen all documents" : `All ${queue.n} judged. Thank you.`);
  text("done-words", `${plural(queue.n, "document", "documents")}, ${clock.inWords()} in this session.${later.length ? ` ${plural(later.length, "is", "are")} still marked “later”.` : ""} You can still change any grade: go back with ${keys.areOn() ? "K or " : ""}the arrows above.`);
  at("done-choices").replaceChildren(...[
    later.length && choice(`Judge the ${plural(later.length, "document", "documents")} marked “later”`, later),
    warmUp.length && choice(`Review the first ${warmUp.length} documents`, warmUp),
    untold.length && choice(`Review ${plural(untold.length, "document", "documents")} without a grade`, untold),
  ].filter(Boolean));
  at("done-title").focus();
  screen.dataset.shown = "end";
};

// judging
const saved = (words, state = "") => { at("saved").className = `saved ${state}`; text("saved", words); };
const tell = (news) => {
  const connection = at("banner").dataset.about === "connection";
  if (news.state === "saved") {
    const moment = new Date(news.at).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", second: "2-digit", hour12: false });
    saved(news.n ? `Saving ${news.n} …` : `✓ Saved ${moment}`);
    screen.dataset.saved = Number(screen.dataset.saved || 0) + 1;
    if (connection) banner("");
    if (queue.live && !news.n) reorder();
    const { kind, grade } = news.judgment;
    say(kind === "undo" ? "Undone." : `Saved as ${kind === "grade" ? label(grade) : kind}.${queue.current ? ` Document ${queue.place + 1} of ${queue.n}.` : ""}`);
  } else if (news.state === "waiting") {
    saved(`${news.n} not saved`, "failed");
    banner(`${news.words} ${news.n === 1 ? "One judgment is" : `${news.n} judgments are`} stored in this browser and will be sent again. ${news.n < MOST ? "You can continue." : "Please wait until they are sent."}`, "connection");
  } else if (news.state === "refused") {
    saved("Not saved", "failed");
    const { assignment } = news.judgment;
    refresh().then(() => {
      const place = queue.items.findIndex((item) => item.assignment === assignment);
      return go(place < 0 ? queue.place : place); // back to the document in question
    }).then(() => banner(`A judgment was refused: ${news.words}`, "refused"));
  } else saved("Saving …", "waiting");
};
const outbox = new Outbox({ url: `${api}/events`, csrf, owner: `${account} ${api}`, tell });
let nSent = 0;
const send = (assignment, fields, input) => { nSent += 1; outbox.put({ key: newKey(), assignment, seen: queue.answered(assignment), note: "", grade: null, ...fields, ...clock.spent(), input }); };
const isBlocked = () => {
  if (outbox.isFull) banner(`${MOST} judgments are waiting to be sent. Please wait for the connection to return.`, "connection");
  return outbox.isFull;
};
// a document can be judged once it is on the screen; keys pressed before that are ignored
const isShown = () => {
  if (queue.current && !screen.dataset.shown) say("The document is still loading.");
  return Boolean(queue.current && screen.dataset.shown);
};
const judge = (kind, grade, input, note = draft) => {
  const { current } = queue;
  if (!isShown() || isBlocked()) return;
  send(current.assignment, { kind, grade, note }, input);
  queue.judge({ assignment: current.assignment, kind, grade, note });
  go(queue.following());
};
const undo = (input) => {
  if (isBlocked()) return;
  const place = queue.undo();
  if (place < 0) { say("There is nothing to undo."); return; }
  queue.review = [];
  send(queue.items[place].assignment, { kind: "undo" }, input);
  go(place);
};

// dialogs
const note = () => {
  if (!isShown()) return;
  at("note").value = draft;
  at("note-dialog").showModal();
  at("note").focus();
};
// on submit, not on close: a grade may follow at once
at("note-dialog").querySelector("form").addEventListener("submit", (event) => {
  if (event.submitter?.value !== "keep") return;
  draft = at("note").value.trim();
  document.querySelector("[data-act=note]").setAttribute("aria-pressed", Boolean(draft));
});
at("note").addEventListener("keydown", (event) => { if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) { event.preventDefault(); at("note-dialog").querySelector("[value=keep]").click(); } });
const cannotTell = () => { if (isShown()) { at("reason").value = ""; at("reason-dialog").showModal(); } };
at("reason-dialog").querySelectorAll("[data-reason]").forEach((button) => button.addEventListener("click", (event) => {
  const reason = button.dataset.reason || at("reason").value.trim();
  if (!reason) { event.preventDefault(); at("reason").focus(); return; }
  at("reason-dialog").close();
  judge(button.dataset.verdict, null, event.detail ? "pointer" : "key", [reason, draft].filter(Boolean).join("\n"));
}));
at("reason-dialog").addEventListener("keydown", (event) => {
  const button = keys.areOn() && event.target !== at("reason") && at("reason-dialog").querySelector(`[data-key="${CSS.escape(event.key)}"]`);
  if (button) { event.preventDefault(); event.stopPropagation(); button.click(); } // not a grade of the next document
});
const passage = async () => {
  const { current } = queue;
  if (!isShown()) return;
  try {
    say(await passages.toggle(async (spans) => {
      const body = JSON.stringify({ key: newKey(), assignment: current.assignment, spans });
      const response = await fetch(`${api}/passages`, { method: "POST", headers: { "content-type": "application/json", "x-csrf-token": csrf }, body });
      if (!response.ok) throw new Error((await response.json()).error);
      loaded.delete(current.assignment);
    }));
  } catch (error) { banner(`The passage was not saved: ${error.message}`, "passage"); }
};

// keys and buttons
const acts = {
  passage, note, undo, "cannot tell": cannotTell,
  later: (input) => judge("later", null, input),
  next: () => go(Math.min(queue.place + 1, queue.nDone < queue.n ? queue.n - 1 : queue.n)), previous: () => go(queue.place - 1),
  marks: () => { marks = !marks; document.querySelector("[data-act=marks]").setAttribute("aria-pressed", marks); if (queue.current) load(queue.current).then(show); },
  "next mark": () => say(reader.stepMark(1)), "previous mark": () => say(reader.stepMark(-1)), find: reader.openFind,
  guidelines: () => { const part = at("guidelines"); if (part) { part.open = !part.open; if (part.open) { at("more").open = true; part.scrollIntoView({ block: "nearest" }); } } },
  help: () => keys.openDialog(radios.map((radio) => [radio.value, radio.dataset.label])),
};
document.addEventListener("keydown", (event) => {
  const typing = event.target.matches("input:not([type=radio]), textarea, select");
  if (typing || document.querySelector("dialog[open]")) return;
  if ((event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey && event.key.toLowerCase() === "z") { event.preventDefault(); undo("key"); return; }
  if (event.ctrlKey || event.metaKey || event.altKey || !keys.areOn() || event.repeat || !queue.n) return;
  if (event.key.startsWith("Arrow")) {
    if (event.target.matches("input[type=radio]")) return;
    if (event.key === "ArrowRight") acts.next(); else if (event.key === "ArrowLeft") acts.previous();
    return;
  }
  if (/^\d$/.test(event.key)) {
    if (radios.some((radio) => radio.value === event.key)) { event.preventDefault(); judge("grade", Number(event.key), "key"); }
    return;
  }
  const act = keys.actOf(event.key);
  if (act) { event.preventDefault(); acts[act]("key"); }
});
document.querySelectorAll("[data-act]").forEach((button) => button.addEventListener("click", () => acts[button.dataset.act]("pointer")));
// clicking a grade saves it; arrow keys within the group only select, and Enter or the button saves
radios.forEach((radio) => radio.addEventListener("click", (event) => { if (event.detail > 0) judge("grade", Number(radio.value), "pointer"); }));
at("judgment").addEventListener("submit", (event) => {
  event.preventDefault();
  const chosen = radios.find((radio) => radio.checked);
  if (chosen) judge("grade", Number(chosen.value), "key"); else say("Choose a grade first.");
});
addEventListener("online", () => outbox.send());
// on a narrow screen, only the topic's title stays visible
const narrow = matchMedia("(max-width: 760px), (max-height: 460px)");
const fold = () => { at("more").open = !narrow.matches; };
narrow.addEventListener("change", fold);
fold();

const refresh = async () => queue.fill(await ask("/queue"), (await outbox.unsent()).map((entry) => entry.judgment));
// in live judging: the new order of the documents not shown yet, unless another judgment was made meanwhile
const reorder = async () => {
  const before = nSent, answer = await ask("/queue").catch(() => null);
  if (!answer || before !== nSent || queue.review.length) return;
  const shown = queue.current?.assignment;
  queue.fill(answer, []);
  if (!queue.stay(shown)) { queue.place = -1; await go(queue.following()); return; }
  if (screen.dataset.shown !== String(shown)) { await go(queue.place); return; }
  counted();
  prefetch();
};
const start = async () => {
  try { await refresh(); } catch (error) { banner(`${error.message} Trying again.`, "start"); setTimeout(start, 2000); return; }
  banner("");
  outbox.send();
  if (!queue.n) {
    at("nothing").hidden = false;
    at("document").hidden = at("judgment").hidden = at("need-panel").hidden = at("progress").hidden = true;
    return;
  }
  queue.place = -1;
  await go(queue.following());
};
start();
