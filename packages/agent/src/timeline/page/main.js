/** Handles wheel, pointer and keys. */

import { byId, data } from "./data.js";
import { areDetailsOpen, closeDetails, hideTip, showDetails, showTip, toggleContent } from "./details.js";
import { applyFilter, fillFilters, filter, seen } from "./filter.js";
import { drawOverview, drawPicture, overview } from "./overview.js";
import { ROW_PX, draw, drawForPrint, list } from "./rows.js";
import { pan, show, showAll, view, zoom } from "./view.js";

let isWaiting = false;
/** Draws at most once per frame. */
function redraw() {
  if (isWaiting) return;
  isWaiting = true;
  requestAnimationFrame(() => {
    isWaiting = false;
    draw();
    drawOverview();
  });
}

function redrawAll() {
  // The axis has the width of the rows without their scrollbar.
  document.documentElement.style.setProperty("--scrollbar", `${list.offsetWidth - list.clientWidth}px`);
  drawPicture();
  redraw();
}

/** Whether the view follows the visible rows. Moving in time turns it off. */
let isFollowing = false;
const ROWS_TO_FOLLOW = 60;

function follow(isOn) {
  isFollowing = isOn;
  byId("follow").setAttribute("aria-pressed", String(isOn));
  if (isOn) followRows();
}

function followRows() {
  const first = Math.floor(list.scrollTop / ROW_PX);
  const rows = seen.rows.slice(first, first + Math.ceil(list.clientHeight / ROW_PX));
  showSegments(rows.flatMap(({ segments }) => segments));
}

function showSegments(segments) {
  if (segments.length === 0) return;
  const fromMs = Math.min(...segments.map(([, from]) => from));
  const toMs = Math.max(...segments.map(([, , to]) => to));
  const room = Math.max((toMs - fromMs) * 0.04, 0.05);
  show(fromMs - room, toMs + room);
  redraw();
}

/** The user moves in time. */
function move(action) {
  follow(false);
  action();
  redraw();
}

function onScroll() {
  if (isFollowing) followRows();
  redraw();
}

function refilter() {
  applyFilter();
  const all = data.rows.filter(({ type }) => type === "call").length;
  byId("count").textContent =
    seen.calls === all ? "" : `${seen.calls.toLocaleString("en")} of ${all.toLocaleString("en")} calls`;
  if (areDetailsOpen()) showDetails();
  if (isFollowing) followRows();
  redrawAll();
}

function choose(at) {
  seen.chosen = Math.min(seen.rows.length - 1, Math.max(0, at));
  const top = seen.chosen * ROW_PX;
  if (top < list.scrollTop) list.scrollTop = top;
  const lowest = top + ROW_PX - list.clientHeight;
  if (lowest > list.scrollTop) list.scrollTop = lowest;
  if (areDetailsOpen()) showDetails();
  redraw();
}

function openDetails() {
  showDetails();
  // The details take room from the list, so scroll the selected row back into view.
  choose(seen.chosen);
}

function openContent(name) {
  if (seen.chosen < 0) return;
  toggleContent(name);
  choose(seen.chosen);
}

function zoomToChosen() {
  const row = seen.rows[seen.chosen];
  if (row !== undefined) move(() => showSegments(row.segments));
}

const plotBox = () => byId("ticks").getBoundingClientRect();
const shareAt = (x) => Math.min(1, Math.max(0, (x - plotBox().left) / Math.max(1, plotBox().width)));

function onWheel(event, isAxis) {
  const { deltaX, deltaY, deltaMode, shiftKey } = event;
  const pixels = (deltaY || deltaX) * (deltaMode === 1 ? 16 : 1);
  const isZoom = event.ctrlKey || event.metaKey || event.altKey || isAxis;
  const isPan = shiftKey || Math.abs(deltaX) > Math.abs(deltaY);
  if (!isZoom && !isPan) return;
  event.preventDefault();
  const factor = Math.exp(Math.max(-1, Math.min(1, pixels / 300)));
  if (isZoom) move(() => zoom(factor, shareAt(event.clientX)));
  else move(() => pan((deltaX || deltaY) / Math.max(1, plotBox().width)));
}

const KEYS = {
  ArrowDown: () => choose(seen.chosen + 1),
  ArrowUp: () => choose(seen.chosen - 1),
  PageDown: () => choose(seen.chosen + Math.floor(list.clientHeight / ROW_PX)),
  PageUp: () => choose(seen.chosen - Math.floor(list.clientHeight / ROW_PX)),
  Home: () => choose(0),
  End: () => choose(seen.rows.length - 1),
  Enter: openDetails,
  " ": openDetails,
  ArrowLeft: () => move(() => pan(-0.2)),
  ArrowRight: () => move(() => pan(0.2)),
};

/** Keys that work everywhere except in an input field. */
const KEYS_EVERYWHERE = {
  "+": () => move(() => zoom(0.5)),
  "=": () => move(() => zoom(0.5)),
  "-": () => move(() => zoom(2)),
  0: () => move(showAll),
  f: zoomToChosen,
  r: () => follow(!isFollowing),
  i: () => openContent("input"),
  o: () => openContent("output"),
  "/": () => byId("search").focus(),
  Escape: () => (closeDetails(), hideTip(), redraw()),
};

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const isField = event.target.matches("input, select");
  if (isField && event.key === "Escape") list.focus();
  if (isField) return;
  const inList = event.target === list ? KEYS[event.key] : undefined;
  const action = inList ?? KEYS_EVERYWHERE[event.key.toLowerCase()] ?? KEYS_EVERYWHERE[event.key];
  if (action === undefined) return;
  event.preventDefault();
  action();
}

/** Drags the view. A press that hardly moves is a click. */
function dragRows() {
  let from;
  list.addEventListener("pointerdown", (event) => {
    const isScrollbar = event.offsetX > list.clientWidth && event.target === list;
    if (event.button !== 0 || isScrollbar) return;
    from = { x: event.clientX, y: event.clientY, viewMs: view.fromMs, top: list.scrollTop, isDrag: false };
  });
  addEventListener("pointermove", (event) => {
    if (from === undefined) return;
    const [x, y] = [event.clientX - from.x, event.clientY - from.y];
    if (!from.isDrag && Math.hypot(x, y) < 4) return;
    from.isDrag = true;
    hideTip();
    document.body.classList.add("dragging");
    const span = view.toMs - view.fromMs;
    const target = from.viewMs - (x / Math.max(1, plotBox().width)) * span;
    move(() => pan((target - view.fromMs) / span));
    list.scrollTop = from.top - y;
  });
  addEventListener("pointerup", (event) => {
    const row = event.target instanceof Element ? event.target.closest(".row") : null;
    const isClick = from !== undefined && !from.isDrag && row !== null;
    from = undefined;
    document.body.classList.remove("dragging");
    if (!isClick) return;
    seen.chosen = Number(row.dataset.at);
    openDetails();
  });
  addEventListener("pointercancel", () => (from = undefined));
}

function dragOverview() {
  const go = ({ offsetX }) => {
    const middle = (offsetX / overview.clientWidth) * data.endMs;
    if (!isFollowing) pan((middle - (view.fromMs + view.toMs) / 2) / (view.toMs - view.fromMs));
    // The last row that started before this time.
    const at = seen.rows.findLastIndex(({ segments: [first] }) => first !== undefined && first[1] <= middle);
    list.scrollTop = at * ROW_PX - list.clientHeight / 2;
    onScroll();
  };
  overview.addEventListener("pointerdown", (event) => {
    overview.setPointerCapture(event.pointerId);
    go(event);
  });
  overview.addEventListener("pointermove", (event) => {
    if (event.buttons === 1) go(event);
  });
}

function onHover(event) {
  const row = event.buttons === 0 ? event.target.closest(".row") : null;
  if (row === null) hideTip();
  else showTip(seen.rows[Number(row.dataset.at)], event.clientX, event.clientY);
}

function listenToFilters() {
  byId("search").addEventListener("input", ({ target }) => {
    filter.search = target.value.trim().toLowerCase();
    refilter();
  });
  byId("tool").addEventListener("change", ({ target }) => {
    filter.tool = target.value;
    refilter();
  });
  byId("outcomes").addEventListener("click", ({ target }) => {
    const button = target.closest("button");
    if (button === null) return;
    const { outcome } = button.dataset;
    const isShown = filter.hidden.has(outcome);
    if (isShown) filter.hidden.delete(outcome);
    else filter.hidden.add(outcome);
    button.setAttribute("aria-pressed", String(isShown));
    refilter();
  });
}

function listen() {
  list.addEventListener("scroll", onScroll, { passive: true });
  list.addEventListener("wheel", (event) => onWheel(event, false), { passive: false });
  byId("axis").addEventListener("wheel", (event) => onWheel(event, true), { passive: false });
  overview.addEventListener("wheel", (event) => onWheel(event, true), { passive: false });
  list.addEventListener("pointermove", onHover);
  list.addEventListener("pointerleave", hideTip);
  addEventListener("keydown", onKey);
  byId("zoom-in").addEventListener("click", KEYS_EVERYWHERE["+"]);
  byId("zoom-out").addEventListener("click", KEYS_EVERYWHERE["-"]);
  byId("zoom-fit").addEventListener("click", KEYS_EVERYWHERE[0]);
  byId("follow").addEventListener("click", KEYS_EVERYWHERE.r);
  byId("close").addEventListener("click", () => (closeDetails(), list.focus(), redraw()));
  new ResizeObserver(redrawAll).observe(list);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redrawAll);
  addEventListener("beforeprint", () => {
    // Print all rows with their whole time, unless the user chose a range.
    if (isFollowing) showAll();
    drawForPrint();
  });
  addEventListener("afterprint", onScroll);
}

fillFilters();
listenToFilters();
dragRows();
dragOverview();
listen();
refilter();
// With many rows, the calls would be too small to see at full width.
follow(data.rows.length > ROWS_TO_FOLLOW);
