/** The facts of one row: in a tooltip, and in the details below when it is selected. */

import { byId, element } from "./data.js";
import { seen } from "./filter.js";

const tip = byId("tip");
const details = byId("details");

function factList(facts) {
  return facts.flatMap(([name, value]) => [element("dt", "", name), element("dd", "", value)]);
}

export function showTip(row, x, y) {
  const list = element("dl", "");
  list.append(...factList(row.facts));
  tip.replaceChildren(element("strong", "", row.name), element("p", "", row.text), list);
  tip.hidden = false;
  // On the side of the pointer that has room.
  const { width, height } = tip.getBoundingClientRect();
  tip.style.left = `${Math.max(4, x + 16 + width > innerWidth ? x - width - 12 : x + 16)}px`;
  tip.style.top = `${Math.max(4, y + 16 + height > innerHeight ? y - height - 12 : y + 16)}px`;
}

export function hideTip() {
  tip.hidden = true;
}

export const areDetailsOpen = () => !details.hidden;

/** Shows the details of the selected row, if there is one. */
export function showDetails() {
  const row = seen.rows[seen.chosen];
  details.hidden = row === undefined;
  if (row === undefined) return;
  details.querySelector("h2").textContent = row.name;
  details.querySelector(".text").textContent = row.text;
  details.querySelector("dl").replaceChildren(
    ...row.facts.map(([name, value]) => {
      const pair = element("div", "");
      pair.append(element("dt", "", name), element("dd", "", value));
      return pair;
    }),
  );
  showContent(row.content);
}

/** Keeps the open state of both parts when another row is selected. */
function showContent(content) {
  byId("content").hidden = content === undefined;
  for (const name of ["input", "output"]) {
    const text = content?.[name] ?? "";
    byId(name).querySelector("pre").textContent = text === "" ? "(empty)" : text;
  }
}

export function toggleContent(name) {
  if (details.hidden) showDetails();
  const part = byId(name);
  part.open = !part.open;
}

export function closeDetails() {
  details.hidden = true;
}
