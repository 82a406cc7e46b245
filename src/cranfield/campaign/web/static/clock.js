// Time spent on a document; a hidden tab counts as away. Shown to the assessor and used to estimate the remaining time.

const onDocument = { active: 0, away: 0 }, session = { active: 0, away: 0 };
let since = performance.now(), hidden = document.hidden;

const tick = () => {
  const now = performance.now(), kind = hidden ? "away" : "active";
  onDocument[kind] += now - since;
  session[kind] += now - since;
  since = now;
  hidden = document.hidden;
};
document.addEventListener("visibilitychange", tick);

const minutes = (ms) => (ms < 60000 ? "less than a minute" : `${Math.round(ms / 60000)} min`);
export const restart = () => { tick(); Object.assign(onDocument, { active: 0, away: 0 }); };
export const spent = () => { tick(); return { active: Math.round(onDocument.active), away: Math.round(onDocument.away) }; };
export const inWords = () => { tick(); return `${minutes(session.active)} active${session.away > 30000 ? `, ${minutes(session.away)} away` : ""}`; };
