// Browsers refuse workers to pages that are opened as files. A hidden frame does the same work, so that the search of the
// site needs no server.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      this.ready = new Promise((loaded) => {
        this.frame.onload = () => this.start(this.frame.contentWindow, url).then(loaded);
      });
      document.documentElement.append(this.frame);
    }

    async start(inside, url) {
      const load = (source) => new Promise((loaded) => {
        const script = inside.document.createElement("script");
        Object.assign(script, { src: source, onload: loaded });
        inside.document.head.append(script);
      });
      inside.importScripts = (...sources) => Promise.all(sources.map(load));
      inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
      await load(url);
    }

    async postMessage(data) {
      await this.ready;
      this.frame.contentWindow.dispatchEvent(new MessageEvent("message", { data }));
    }

    terminate() {
      this.frame.remove();
    }
  };
}
