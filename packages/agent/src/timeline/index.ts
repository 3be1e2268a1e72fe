/** Timelines: recorded from events, stored next to a session, shown as text, as an HTML page or as a trace. */

export { htmlTimeline } from "./html.ts";
export { type TimelineKeeper, createTimelineKeeper } from "./keep.ts";
export { type Timeline } from "./model.ts";
export { type TimelineRecorder, createTimelineRecorder } from "./recorder.ts";
export { type Summary, allSavings, summarise } from "./savings.ts";
export { readTimeline, timelinePath } from "./stored.ts";
export { textTimeline } from "./text.ts";
export { traceEvents } from "./trace.ts";
export { count, oneLine } from "./words.ts";
export { type Written, writeTimeline } from "./write.ts";
