// The reader's choices, stored in the URL so that a link restores the page.
const view = (() => {
  const listeners = [];
  let anchor = "", chosen = {};

  function read() {
    const [place, values] = decodeHash().split("?");
    anchor = place;
    chosen = Object.fromEntries(new URLSearchParams(values ?? ""));
  }

  function decodeHash() {
    return location.hash.slice(1);
  }

  function write() {
    const values = new URLSearchParams(chosen).toString();
    history.replaceState(null, "", `#${anchor}${values ? `?${values}` : ""}`);
  }

  // null removes a choice
  function choose(changes) {
    for (const [name, value] of Object.entries(changes)) {
      if (value === null) delete chosen[name];
      else chosen[name] = value;
    }
    write();
    for (const listener of listeners) listener();
  }

  function go(id) {
    anchor = id;
    write();
    const target = find(id);
    target.scrollIntoView();
    if (target.tabIndex === -1 && target.hasAttribute("tabindex")) target.focus({ preventScroll: true });
  }

  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[href^='#']");
    if (!link || link.hasAttribute("download")) return;
    const id = link.getAttribute("href").slice(1);
    if (id && find(id)) {
      event.preventDefault();
      go(id);
    }
  });
  addEventListener("hashchange", () => {
    read();
    for (const listener of listeners) listener();
    if (anchor && find(anchor)) find(anchor).scrollIntoView();
  });
  read();
  return { choose, go, chosen: (name) => chosen[name] ?? null, listen: (listener) => listeners.push(listener) };
})();
