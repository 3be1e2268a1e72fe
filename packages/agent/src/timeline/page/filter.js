/** Filters the rows: calls that match, and the turns that contain them. */

import { byId, data } from "./data.js";

export const filter = { search: "", tool: "", hidden: new Set() };

/** The visible rows, and the index of the selected one (-1: none). */
export const seen = { rows: data.rows, chosen: -1, calls: 0 };

const isFiltered = () => filter.search !== "" || filter.tool !== "" || filter.hidden.size > 0;

function matches(row) {
  if (filter.tool !== "" && row.name !== filter.tool) return false;
  if (filter.hidden.has(row.outcome)) return false;
  return filter.search === "" || `${row.name} ${row.text}`.toLowerCase().includes(filter.search);
}

export function applyFilter() {
  const chosen = seen.rows[seen.chosen];
  const rows = isFiltered() ? filtered() : data.rows;
  seen.rows = rows;
  seen.chosen = chosen === undefined ? -1 : rows.indexOf(chosen);
  seen.calls = rows.filter(({ type }) => type === "call").length;
}

/** Adds a turn only when one of its calls, or a call nested in them, matches. */
function filtered() {
  const rows = [];
  let turns = [];
  for (const row of data.rows) {
    if (row.type === "turn") {
      turns = [...turns.filter(({ depth }) => depth < row.depth), row];
      continue;
    }
    if (row.type !== "call" || !matches(row)) continue;
    // Deeper turns belong to an earlier call.
    rows.push(...turns.filter(({ depth }) => depth <= row.depth), row);
    turns = [];
  }
  return rows;
}

/** Fills the filters with the existing tools and outcomes and their counts. */
export function fillFilters() {
  const tools = new Map();
  const outcomes = new Map();
  for (const { type, name, outcome } of data.rows) {
    if (type !== "call") continue;
    tools.set(name, (tools.get(name) ?? 0) + 1);
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
  }
  const sorted = [...tools].toSorted(([one], [other]) => one.localeCompare(other));
  byId("tool").append(
    new Option("All tools", ""),
    ...sorted.map(([name, n]) => new Option(`${name} (${n})`, name)),
  );
  for (const button of byId("outcomes").children) {
    const n = outcomes.get(button.dataset.outcome) ?? 0;
    button.hidden = n === 0;
    button.querySelector(".count").textContent = n.toLocaleString("en");
  }
}
