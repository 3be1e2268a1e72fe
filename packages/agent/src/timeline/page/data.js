/** What there is to show, and the parts of the page that show it. */

export const byId = (id) => document.getElementById(id);

export const data = JSON.parse(byId("data").textContent);

/** An element with a class and a text: never markup, since the words are a model's. */
export function element(tag, className, text = "") {
  const made = document.createElement(tag);
  made.className = className;
  made.textContent = text;
  return made;
}

/** No finer than the times of the axis are apart. */
export function durationText(ms, stepMs) {
  if (ms === 0) return "0";
  if (stepMs >= 60_000) return `${Math.round(ms / 60_000)} min`;
  if (stepMs >= 1000) return `${Math.round(ms / 1000)} s`;
  if (stepMs >= 1 && ms >= 1000) return `${Number((ms / 1000).toFixed(3))} s`;
  return `${Number(ms.toFixed(stepMs < 1 ? 3 : 0))} ms`;
}
