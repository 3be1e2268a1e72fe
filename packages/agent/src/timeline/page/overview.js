/** The overview: all turns side by side, with a frame around the visible range. */

import { byId, data } from "./data.js";
import { seen } from "./filter.js";
import { view } from "./view.js";

export const overview = byId("overview");

/** A turn with more rows wraps to the top. */
const MOST_LANES = 28;

const COLOURED = { request: "--request", stream: "--stream", asking: "--asking", pause: "--asking" };

/** The picture without the frame, cached because only the frame changes often. */
const picture = document.createElement("canvas");

export function drawPicture() {
  const ratio = window.devicePixelRatio || 1;
  picture.width = Math.max(1, Math.round(overview.clientWidth * ratio));
  picture.height = Math.max(1, Math.round(overview.clientHeight * ratio));
  const brush = picture.getContext("2d");
  const style = getComputedStyle(document.documentElement);
  const lanes = lanesOf(seen.rows);
  const height = picture.height / lanes.most;
  const scale = picture.width / Math.max(data.endMs, 0.001);
  for (const [at, row] of seen.rows.entries()) {
    const y = lanes.of[at] * height;
    for (const [kind, fromMs, toMs] of row.segments) {
      const colour = kind === "running" ? `--${row.outcome}` : COLOURED[kind];
      if (colour === undefined) continue;
      brush.fillStyle = style.getPropertyValue(colour);
      const width = Math.max(ratio, (toMs - fromMs) * scale);
      brush.fillRect(fromMs * scale, y, width, Math.max(1, Math.min(5 * ratio, height * 0.8)));
    }
  }
}

/** Each turn of the main agent starts at the top. */
function lanesOf(rows) {
  let lane = 0;
  let most = 6;
  const of = rows.map(({ type, depth }) => {
    lane = type !== "call" && depth === 0 ? 0 : (lane + 1) % MOST_LANES;
    most = Math.max(most, lane + 1);
    return lane;
  });
  return { of, most };
}

export function drawOverview() {
  overview.width = picture.width;
  overview.height = picture.height;
  const brush = overview.getContext("2d");
  brush.drawImage(picture, 0, 0);
  const total = Math.max(data.endMs, 0.001);
  const x = (view.fromMs / total) * picture.width;
  const width = ((view.toMs - view.fromMs) / total) * picture.width;
  const style = getComputedStyle(document.documentElement);
  const ratio = window.devicePixelRatio || 1;
  brush.fillStyle = style.getPropertyValue("--frame");
  brush.fillRect(x, 0, width, picture.height);
  brush.strokeStyle = style.getPropertyValue("--accent");
  brush.lineWidth = ratio;
  brush.strokeRect(x + ratio / 2, ratio / 2, Math.max(2, width - ratio), picture.height - ratio);
}
