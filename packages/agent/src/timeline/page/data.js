/** The data of the page, and helpers for its elements. */

export const byId = (id) => document.getElementById(id);

export const data = JSON.parse(byId("data").textContent);

/** Creates an element with a class and a text. Never markup, because the text comes from a model. */
export function element(tag, className, text = "") {
  const made = document.createElement(tag);
  made.className = className;
  made.textContent = text;
  return made;
}

/** Formats a time with the precision of the axis. */
export function durationText(ms, stepMs) {
  if (ms === 0) return "0";
  if (stepMs >= 60_000) return `${Math.round(ms / 60_000)} min`;
  if (stepMs >= 1000) return `${Math.round(ms / 1000)} s`;
  if (stepMs >= 1 && ms >= 1000) return `${Number((ms / 1000).toFixed(3))} s`;
  return `${Number(ms.toFixed(stepMs < 1 ? 3 : 0))} ms`;
}
