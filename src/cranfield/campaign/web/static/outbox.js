// Judgments not yet confirmed by the server. They are stored in the browser's database, so they survive a lost
// connection or a closed tab, and are sent in order; each has a key, so sending it twice stores it once.

export const MOST = 50; // unsent judgments; beyond this number the assessor has to wait

const done = (request) => new Promise((resolve, reject) => {
  request.onsuccess = () => resolve(request.result);
  request.onerror = () => reject(request.error);
});

const open = () => {
  const request = indexedDB.open("cranfield", 1);
  request.onupgradeneeded = () => request.result.createObjectStore("unsent", { keyPath: "order", autoIncrement: true });
  return done(request);
};
const stored = (database, mode) => database.transaction("unsent", mode).objectStore("unsent");

export const newKey = () => [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");

export class Outbox {
  // `owner` separates the judgments of two people who share a browser; `tell` is called with the state of sending
  constructor({ url, csrf, owner, tell }) {
    Object.assign(this, { url, csrf, owner, tell, sending: false, pause: 500, timer: 0, n: 0 });
    this.ready = open();
  }

  get isFull() { return this.n >= MOST; }

  async unsent() {
    const waiting = (await done(stored(await this.ready, "readonly").getAll())).filter((entry) => entry.owner === this.owner);
    if (!this.sending) this.n = waiting.length;
    return waiting;
  }

  async put(judgment) {
    this.n += 1;
    await done(stored(await this.ready, "readwrite").add({ owner: this.owner, judgment }));
    this.send();
  }

  async drop(order) {
    await done(stored(await this.ready, "readwrite").delete(order));
    this.n -= 1;
  }

  async send() {
    if (this.sending) return;
    this.sending = true;
    clearTimeout(this.timer);
    try {
      for (let waiting = await this.unsent(); waiting.length; waiting = await this.unsent()) {
        this.tell({ state: "sending", n: waiting.length });
        const { order, judgment } = waiting[0];
        const answer = await this.post(judgment);
        if (answer.retry) {
          this.tell({ state: "waiting", n: waiting.length, words: answer.words });
          this.timer = setTimeout(() => this.send(), this.pause);
          this.pause = Math.min(this.pause * 2, 15000);
          return;
        }
        this.pause = 500;
        await this.drop(order);
        this.tell(answer.words ? { state: "refused", judgment, words: answer.words }
          : { state: "saved", judgment, at: answer.saved, n: waiting.length - 1 });
      }
    } finally {
      this.sending = false;
    }
  }

  async post(judgment) {
    const headers = { "Content-Type": "application/json", "X-CSRF-Token": this.csrf };
    let response;
    try {
      response = await fetch(this.url, { method: "POST", headers, body: JSON.stringify(judgment) });
    } catch {
      return { retry: true, words: "There is no connection to the server." };
    }
    const body = await response.json().catch(() => ({}));
    if (response.ok) return { saved: body.saved };
    const words = body.error || `The server answered ${response.status}.`;
    // keep the judgment unless it can never be saved
    return response.status === 422 || response.status === 409 || response.status === 404 ? { words } : { retry: true, words };
  }
}
