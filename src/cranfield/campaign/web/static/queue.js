// An assessor's documents in order, their labels, and the judgments that can be undone.
//
// Decided here: which document comes next in the browser, and where an undo goes back to.

const WARM_UP = 10; // the first documents, offered again at the end

const NONE = { kind: null, grade: null, note: "" };
export const isOpen = (item) => item.kind === null || item.kind === "later";

export class Queue {
  constructor() { Object.assign(this, { items: [], place: 0, history: [], review: [], pace: null, live: false }); }

  get current() { return this.items[this.place]; }
  get n() { return this.items.length; }
  get nDone() { return this.items.filter((item) => !isOpen(item)).length; }
  get warmUp() { return this.n > 2 * WARM_UP ? WARM_UP : 0; }
  get isWarmUp() { return this.place < this.warmUp; }
  places(test) { return this.items.flatMap((item, place) => (test(item, place) ? [place] : [])); }

  // the document on the screen stays there, before the unjudged ones, whatever order the server sends
  stay(assignment) {
    const from = this.items.findIndex((item) => item.assignment === assignment), to = this.items.findIndex(isOpen);
    if (from < 0) return false;
    if (to >= 0 && to < from && isOpen(this.items[from])) this.items.splice(to, 0, ...this.items.splice(from, 1));
    this.place = this.items.findIndex((item) => item.assignment === assignment);
    return true;
  }

  // `history` has the judgments in effect, in order; those in `unsent` have not reached the server yet
  fill({ items, history, pace, live }, unsent) {
    Object.assign(this, { pace, live, history: [], items: items.map((item) => ({ ...item, ...NONE })) });
    for (const judged of history) this.judge(judged);
    for (const judged of unsent) {
      this.answered(judged.assignment);
      judged.kind === "undo" ? this.undo(judged.assignment) : this.judge(judged);
    }
  }

  // the number of answers known before this one, by which the server notices those of another tab
  answered(assignment) {
    const item = this.items.find((candidate) => candidate.assignment === assignment);
    return item ? item.seen++ : null;
  }

  judge({ assignment, kind, grade, note }) {
    const item = this.items.find((candidate) => candidate.assignment === assignment);
    if (!item) return;
    this.history.push({ assignment, before: { kind: item.kind, grade: item.grade, note: item.note } });
    Object.assign(item, { kind, grade, note });
  }

  // undo the last judgment (of one document, if given); returns the document's place, or -1
  undo(assignment) {
    const last = assignment === undefined ? this.history.length - 1 : this.history.findLastIndex((entry) => entry.assignment === assignment);
    if (last < 0) return -1;
    const [{ assignment: of, before }] = this.history.splice(last, 1);
    const place = this.items.findIndex((item) => item.assignment === of);
    Object.assign(this.items[place], before);
    return place;
  }

  // where to go after a judgment: the next document under review, or one without a label, or one marked "later"; n if none
  following() {
    if (this.review.length) return this.review.find((place) => place > this.place) ?? this.finished();
    const after = (test) => { const i = this.items.findIndex((item, place) => place > this.place && test(item)); return i >= 0 ? i : this.items.findIndex((item, place) => place !== this.place && test(item)); };
    const open = after((item) => item.kind === null);
    if (open >= 0) return open;
    const later = after((item) => item.kind === "later");
    return later >= 0 ? later : this.n;
  }

  finished() { this.review = []; return this.n; }
}
