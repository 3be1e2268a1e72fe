/** The visible time range and how it changes. */

import { data } from "./data.js";

const TOTAL_MS = Math.max(data.endMs, 0.001);
const LEAST_MS = Math.min(TOTAL_MS, 0.05);

export const view = { fromMs: 0, toMs: TOTAL_MS };

/** Limits the range to the recording and to the finest resolution. */
export function show(fromMs, toMs) {
  const span = Math.min(TOTAL_MS, Math.max(LEAST_MS, toMs - fromMs));
  const middle = (fromMs + toMs) / 2;
  view.fromMs = Math.min(TOTAL_MS - span, Math.max(0, middle - span / 2));
  view.toMs = view.fromMs + span;
}

export function showAll() {
  show(0, TOTAL_MS);
}

/** Zooms around a point, given as a share of the width. */
export function zoom(factor, share = 0.5) {
  const span = view.toMs - view.fromMs;
  const next = Math.min(TOTAL_MS, Math.max(LEAST_MS, span * factor));
  const fromMs = view.fromMs + (span - next) * share;
  show(fromMs, fromMs + next);
}

export function pan(share) {
  const span = view.toMs - view.fromMs;
  const fromMs = Math.min(TOTAL_MS - span, Math.max(0, view.fromMs + share * span));
  show(fromMs, fromMs + span);
}

/** The position in percent of the width, clamped to slightly outside the view. */
export function percent(ms) {
  const at = ((ms - view.fromMs) / (view.toMs - view.fromMs)) * 100;
  return Math.min(101, Math.max(-1, at));
}

/** Round times, far enough apart for their labels. */
export function ticks(width) {
  const wanted = ((view.toMs - view.fromMs) / Math.max(1, width)) * 90;
  const power = 10 ** Math.floor(Math.log10(wanted));
  const steps = wanted >= 30_000 ? [60_000, 120_000, 300_000, 600_000, 1_800_000, 3_600_000] : [1, 2, 5, 10];
  const scale = wanted >= 30_000 ? 1 : power;
  const step =
    scale * (steps.find((one) => one * scale >= wanted) ?? Math.ceil(wanted / 3_600_000) * 3_600_000);
  const found = [];
  for (let at = Math.ceil(view.fromMs / step); at * step <= view.toMs && found.length < 200; at++)
    found.push(at * step);
  return { step, times: found };
}
