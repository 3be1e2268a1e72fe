/** Draws the axis and the visible rows. */

import { byId, data, durationText, element } from "./data.js";
import { seen } from "./filter.js";
import { percent, ticks, view } from "./view.js";

export const ROW_PX = 24;
const MARGIN_ROWS = 6;
/** The limit for printing. */
const MOST_PRINTED = 2000;

export const list = byId("rows");
const sizer = byId("sizer");

export function draw() {
  const first = Math.max(0, Math.floor(list.scrollTop / ROW_PX) - MARGIN_ROWS);
  drawRows(first, first + Math.ceil(list.clientHeight / ROW_PX) + 2 * MARGIN_ROWS);
  drawAxis();
}

export function drawForPrint() {
  drawRows(0, MOST_PRINTED);
  drawAxis();
}

function drawRows(first, end) {
  sizer.style.height = `${seen.rows.length * ROW_PX}px`;
  sizer.replaceChildren(...seen.rows.slice(first, end).map((row, at) => rowElement(row, first + at)));
  if (seen.rows.length === 0) sizer.append(element("p", "nothing", "No call matches."));
  if (seen.chosen >= 0) list.setAttribute("aria-activedescendant", `row-${seen.chosen}`);
  else list.removeAttribute("aria-activedescendant");
}

function rowElement(row, at) {
  const made = element("div", `row ${row.type} ${row.outcome ?? ""}`);
  made.id = `row-${at}`;
  made.dataset.at = at;
  made.style.top = `${at * ROW_PX}px`;
  made.setAttribute("role", "option");
  made.setAttribute("aria-selected", String(at === seen.chosen));
  made.setAttribute("aria-posinset", String(at + 1));
  made.setAttribute("aria-setsize", String(seen.rows.length));
  made.setAttribute("aria-label", [row.name, row.text, row.outcome, row.note].filter(Boolean).join(", "));
  made.append(labelOf(row), plotOf(row));
  return made;
}

function labelOf(row) {
  const label = element("div", "label");
  const indent = Math.min(row.depth, 5) * 20 + (row.type === "call" ? 12 : 0);
  label.style.paddingLeft = `${indent + 8}px`;
  if (row.type === "call") label.append(element("span", "sign", data.signs[row.outcome]));
  label.append(element("span", "name", row.name), element("span", "text", row.text));
  if (row.isCritical) label.append(element("span", "star", "★"));
  label.append(element("span", "note", row.note));
  return label;
}

function plotOf(row) {
  const plot = element("div", "plot");
  if (row.streamed !== undefined && row.type === "call")
    plot.append(bar("tint", row.streamed[0], row.streamed[1]));
  for (const [kind, fromMs, toMs] of row.segments) {
    // Segments outside the view would be drawn at its edge.
    if (toMs >= view.fromMs && fromMs <= view.toMs) plot.append(bar(`segment ${kind}`, fromMs, toMs));
  }
  return plot;
}

function bar(className, fromMs, toMs) {
  const made = element("div", className);
  const left = percent(fromMs);
  made.style.left = `${left}%`;
  made.style.width = `${percent(toMs) - left}%`;
  return made;
}

function drawAxis() {
  const axis = byId("ticks");
  const { step, times } = ticks(axis.clientWidth);
  axis.replaceChildren(
    ...times.map((ms) => {
      const tick = element("span", "tick", durationText(ms, step));
      const at = percent(ms);
      tick.style.left = `${at}%`;
      // The last label would exceed the page.
      if (at > 94) tick.classList.add("last");
      return tick;
    }),
  );
}
