// Single-key shortcuts: shown on the buttons of the judging screen, changed and turned off in its Keys dialog.

const ACTS = {
  later: ["l", "Later"], "cannot tell": ["c", "Can’t tell"], note: ["n", "Note"], undo: ["u", "Undo (also Ctrl+Z)"],
  previous: ["k", "Previous document (also ←)"], next: ["j", "Next document (also →)"],
  marks: ["m", "Show or hide marked terms"], "next mark": [".", "Next marked term"], "previous mark": [",", "Previous marked term"],
  find: ["/", "Find in the document"], passage: ["h", "Highlight the selected passage"], guidelines: ["g", "Guidelines"], help: ["?", "These keys"],
};
const read = (name, otherwise) => { try { return JSON.parse(localStorage.getItem(name)) ?? otherwise; } catch { return otherwise; } };
const write = (name, value) => { try { localStorage.setItem(name, JSON.stringify(value)); } catch { /* private windows may refuse */ } };

const usable = (key) => typeof key === "string" && key.length === 1;
const stored = read("cranfield keys", {});
const key = Object.fromEntries(Object.entries(ACTS).map(([act, [usual]]) => [act, usable(stored?.[act]) ? stored[act] : usual]));
let on = read("cranfield keys on", true) !== false;

export const areOn = () => on;
export const actOf = (pressed) => Object.keys(key).find((act) => key[act] === pressed.toLowerCase());

const print = () => document.querySelectorAll("[data-act]").forEach((button) => {
  const printed = button.querySelector("kbd"), shortcut = key[button.dataset.act];
  if (printed) { printed.textContent = shortcut.toUpperCase(); printed.hidden = !on; }
  on ? button.setAttribute("aria-keyshortcuts", shortcut.toUpperCase()) : button.removeAttribute("aria-keyshortcuts");
});

// why a key cannot be assigned to an action; empty if it can
const refusal = (act, chosen) => {
  if (!usable(chosen) || /\s/.test(chosen)) return "Type one character.";
  if (/[0-9]/.test(chosen)) return "Digits are reserved for grades.";
  if (chosen === "a") return "“a” is reserved for the browser and screen readers.";
  const other = Object.keys(key).find((name) => name !== act && key[name] === chosen);
  return other ? `“${chosen.toUpperCase()}” is already the key for: ${ACTS[other][1]}.` : "";
};

const row = (words, cell) => {
  const line = document.createElement("tr"), name = document.createElement("th");
  name.scope = "row";
  name.textContent = words;
  line.append(name);
  line.insertCell().append(cell);
  return line;
};

const field = (act, words, say) => {
  const input = Object.assign(document.createElement("input"), { value: key[act].toUpperCase(), maxLength: 1, autocomplete: "off" });
  input.setAttribute("aria-label", `Key for: ${words}`);
  input.addEventListener("focus", () => input.select());
  input.addEventListener("change", () => {
    const chosen = input.value.toLowerCase(), wrong = refusal(act, chosen);
    say(wrong || `Saved: ${chosen.toUpperCase()}.`);
    if (!wrong) { key[act] = chosen; write("cranfield keys", key); print(); }
    input.value = key[act].toUpperCase();
  });
  return input;
};

export const openDialog = (grades) => {
  const at = (id) => document.getElementById(id);
  const say = (words) => { at("key-message").textContent = words; };
  const table = () => at("key-table").replaceChildren(
    ...grades.map(([value, words]) => row(words, Object.assign(document.createElement("kbd"), { textContent: value }))),
    ...Object.entries(ACTS).map(([act, [, words]]) => row(words, field(act, words, say))),
  );
  say("");
  table();
  at("keys-on").checked = on;
  at("keys-on").onchange = () => { on = at("keys-on").checked; write("cranfield keys on", on); print(); };
  at("keys-reset").onclick = () => {
    for (const [act, [usual]] of Object.entries(ACTS)) key[act] = usual;
    write("cranfield keys", key);
    print();
    table();
    say("All keys were reset to their defaults.");
  };
  at("help-dialog").showModal();
};

print();
