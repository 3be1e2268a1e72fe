/** The script of the web view. All text from a session is set as text, never as HTML. */

const DOM = String.raw`"use strict";
const el = (name, className, ...parts) => {
  const made = document.createElement(name);
  if (className) made.className = className;
  made.append(...parts);
  return made;
};
const byId = (id) => document.getElementById(id);
const KEY = "runahead-key";
if (location.hash.length > 1) {
  localStorage.setItem(KEY, location.hash.slice(1));
  history.replaceState(null, "", "/");
}
const api = (path) => "/api/sessions" + path + "?key=" + encodeURIComponent(localStorage.getItem(KEY) ?? "");
const ofSession = (name, what) => api("/" + encodeURIComponent(name) + "/" + what);
const seconds = (ms) => (ms / 1000).toFixed(ms < 9950 ? 1 : 0) + " s";
let current;
let source;
let aheadMs = 0;
const items = new Map();
/** Whether the page shows its end and follows it, until the user scrolls up. */
let isFollowing = true;
let lastScroll = 0;
addEventListener("scroll", () => {
  const isAtEnd = innerHeight + scrollY >= document.body.scrollHeight - 40;
  isFollowing = isAtEnd || (isFollowing && scrollY >= lastScroll);
  lastScroll = scrollY;
});
const follow = () => { if (isFollowing) scrollTo(0, document.body.scrollHeight); };
const nowMs = () => performance.now() + aheadMs;
`;

const SESSIONS = String.raw`
async function refresh() {
  const response = await fetch(api("")).catch(() => undefined);
  if (response?.status === 401) byId("info").textContent = await response.text();
  if (!response?.ok) return;
  const sessions = await response.json();
  byId("sessions").replaceChildren(...sessions.map((session) => {
    const button = el("button", "", session.title);
    if (session.prompt && session.prompt !== session.title) button.append(el("span", "latest", session.prompt));
    if (session.questions > 0) button.append(el("span", "badge", "needs you"));
    button.setAttribute("aria-current", String(session.name === current));
    button.addEventListener("click", () => open(session.name));
    return el("li", "", button);
  }));
  const waiting = sessions.reduce((sum, { questions }) => sum + questions, 0);
  document.title = (waiting > 0 ? "(" + waiting + ") " : "") + "Runahead";
  if (sessions.length === 0) return close();
  if (!sessions.some(({ name }) => name === current)) open(sessions[0].name);
}

function close() {
  source?.close();
  current = undefined;
  clear();
  byId("questions").replaceChildren();
  byId("info").textContent = "No running session. Start runahead in a terminal.";
}

function open(name) {
  current = name;
  source?.close();
  clear();
  byId("questions").replaceChildren();
  byId("timeline").open = false;
  isFollowing = true;
  source = new EventSource(ofSession(name, "events"));
  // After a lost connection everything is sent again.
  source.onopen = () => { clear(); byId("questions").replaceChildren(); };
  source.onmessage = ({ data }) => hear(JSON.parse(data));
  refresh();
}

function clear() {
  items.clear();
  byId("items").replaceChildren();
  byId("agents").querySelector("ul").replaceChildren();
  byId("agents").hidden = true;
  drawBars();
}

function hear(message) {
  if (message.type === "info") {
    const { title, model, mode } = message.info;
    byId("info").textContent = [title, model, mode].filter(Boolean).join(" \u00b7 ");
  }
  if (message.type === "forget") clear();
  if (message.type === "items") {
    aheadMs = message.nowMs - performance.now();
    for (const item of message.items) show(item);
    drawBars();
  }
  if (message.type === "question") ask(message.question);
  if (message.type === "answered") byId("q-" + message.callId)?.remove();
  const isPrompted = message.type === "items" && message.items.some(({ kind }) => kind === "prompt");
  if (isPrompted || message.type === "question" || message.type === "answered") refresh();
  follow();
}
`;

const TRANSCRIPT = String.raw`
function show(item) {
  items.set(item.id, item);
  if (item.kind === "agent") return showAgent(item);
  const made = el("li", item.kind + (item.agent || item.parent ? " nested" : ""));
  made.id = "i-" + item.id;
  if (item.parent) made.dataset.parent = item.parent;
  if (item.kind === "call") made.append(callPart(item));
  else if (item.kind === "notice") made.append(el("div", "notice", item.text));
  else made.append(item.kind === "prompt" ? el("div", "prompt", "\u203a " + item.text) : markdown(item.text));
  const old = byId(made.id);
  if (old) {
    if (old.querySelector("details")?.open) made.querySelector("details")?.setAttribute("open", "");
    old.replaceWith(made);
  } else place(made, item.parent);
}

/** The calls of a script come after the script. */
function place(made, parent) {
  let before = parent ? byId("i-" + parent) : null;
  if (!before) return byId("items").append(made);
  while (before.nextElementSibling?.dataset.parent === parent) before = before.nextElementSibling;
  before.after(made);
}

function callPart(item) {
  const agent = items.get("agent-" + item.agent);
  const title = el("summary", "", (agent ? agent.text + " \u25b8 " : "") + item.text + " ");
  title.append(el("span", "state " + item.state, item.state));
  const folded = el("details", "", title);
  if (item.why) folded.append(el("div", "why", item.why));
  if (item.detail) folded.append(diff(item.detail));
  return folded;
}

/** Code blocks, headings, inline code and bold text. */
function markdown(text) {
  const made = el("div", "text");
  text.split(/^(\x60\x60\x60[^\n]*\n[\s\S]*?(?:\n\x60\x60\x60[ \t]*$|$(?![\s\S])))/m).forEach((part, at) => {
    if (at % 2 === 1) made.append(el("pre", "", part.replace(/^\x60\x60\x60[^\n]*\n/, "").replace(/\n?\x60\x60\x60[ \t]*$/, "")));
    else for (const paragraph of part.split(/\n{2,}/)) if (paragraph.trim()) made.append(inline(paragraph.trim()));
  });
  return made;
}

function inline(text) {
  const heading = /^#{1,6} (.*)$/s.exec(text);
  const made = el(heading ? "h3" : "p");
  (heading ? heading[1] : text).split(/(\x60[^\x60\n]+\x60|\*\*[^*\n]+\*\*)/).forEach((part, at) => {
    if (at % 2 === 0) made.append(part);
    else made.append(part.startsWith("*") ? el("strong", "", part.slice(2, -2)) : el("code", "", part.slice(1, -1)));
  });
  return made;
}

function diff(text) {
  const kinds = { "+ ": "added", "- ": "removed", "@@": "place" };
  return el("pre", "", ...text.split("\n").map((line) => el("span", kinds[line.slice(0, 2)] ?? "", line)));
}

function showAgent(item) {
  const id = "i-" + item.id;
  const made = byId(id) ?? el("li");
  made.id = id;
  const below = made.querySelector("ul") ?? el("ul");
  made.replaceChildren(item.text + " ", el("span", "state", item.state), below);
  const parent = item.parent ? byId("i-agent-" + item.parent)?.querySelector("ul") : undefined;
  (parent ?? byId("agents").querySelector("ul")).append(made);
  if (byId("agents").hidden) byId("agents").open = true;
  byId("agents").hidden = false;
}
`;

const TIMELINE = String.raw`
const MOST_BARS = 30;

/** The last calls: what each waited for, and when it ran. */
function drawBars() {
  const calls = [...items.values()].filter(({ times }) => times).slice(-MOST_BARS);
  byId("bars").hidden = calls.length === 0;
  if (calls.length === 0 || !byId("bars").open) return;
  const from = Math.min(...calls.map(({ times }) => times.fromMs));
  const to = Math.max(from + 1, ...calls.map(({ times }) => times.endMs ?? nowMs()));
  const part = (className, start, end) => {
    const made = el("i", className);
    made.style.left = ((start - from) / (to - from)) * 100 + "%";
    made.style.width = (Math.max(0, end - start) / (to - from)) * 100 + "%";
    return made;
  };
  const rows = calls.map(({ text, times, why }) => {
    const { startMs, endMs, waits } = times;
    const track = el("span", "track", ...waits.map(([, start, end]) => part("waited", start, end)));
    if (startMs === undefined && endMs === undefined) track.append(part("waited", times.fromMs, nowMs()));
    if (startMs !== undefined) track.append(part("ran", startMs, endMs ?? nowMs()));
    const took = seconds((endMs ?? nowMs()) - (startMs ?? times.fromMs));
    const row = el("div", "bar", el("span", "name", text), track, el("span", "took", took));
    row.title = why ?? text;
    return row;
  });
  const legend = el("div", "legend", "Blue: running. Yellow: waiting for an answer, a permission check or earlier calls.");
  byId("bars").querySelector("div").replaceChildren(legend, ...rows);
}

byId("bars").addEventListener("toggle", drawBars);
setInterval(() => {
  if ([...items.values()].some(({ times }) => times && times.endMs === undefined)) drawBars();
}, 250);
byId("timeline").addEventListener("toggle", ({ target }) => {
  const frame = target.querySelector("iframe");
  if (target.open && current) frame.src = ofSession(current, "timeline") + "&at=" + Date.now();
});
`;

const QUESTIONS = String.raw`
const SCOPES = { session: ", for this session", always: ", always in this project" };

function ask(question) {
  const { callId, description, reason, input, shown, plan, choices, asked, isLater } = question;
  if (byId("q-" + callId)) return;
  const made = el("div", "question");
  made.id = "q-" + callId;
  const answers = el("div", "answers");
  const refusal = el("div", "answers");
  const button = (words, isMain, given, small, place = answers) => {
    const one = el("button", isMain ? "main" : "", words);
    if (small) one.append(el("small", "", small));
    one.addEventListener("click", () => answer(made, callId, given()));
    place.append(one);
  };
  const comment = el("input");
  if (plan !== undefined) {
    const text = el("textarea");
    text.value = plan;
    text.setAttribute("aria-label", "The plan, which you can change");
    made.append(el("strong", "", "Start with this plan?"), text);
    button("Approve, and change files without asking", true, () => ({ type: "plan", mode: "acceptEdits", plan: text.value }));
    button("Approve, and ask before each change", false, () => ({ type: "plan", mode: "default", plan: text.value }));
    button("Revise the plan", false, () => ({ type: "no", comment: comment.value }), "", refusal);
    comment.placeholder = "What to change (empty: keep planning and end the turn)";
  } else if (asked) {
    const replies = asked.map((one, at) => askedPart(made, callId + "-" + at, one));
    button("Send the answers", true, () => ({ type: "answers", answers: replies.map((reply) => reply()) }));
    button("Decline to answer", false, () => ({ type: "no", comment: comment.value }), "", refusal);
    comment.placeholder = "What to do instead (can be empty)";
  } else {
    made.append(el("strong", "", description), el("div", "state", reason));
    const whole = el("pre", "", input);
    made.append(...(shown ? [diff(shown), el("details", "", el("summary", "", "Whole input"), whole)] : [whole]));
    button("Allow once", true, () => ({ type: "once" }));
    choices.forEach(({ label, rules, scopes }, choice) => {
      for (const type of scopes) button(label + SCOPES[type], false, () => ({ type, choice }), rules);
    });
    button("Reject", false, () => ({ type: "no", comment: comment.value }), "", refusal);
    comment.placeholder = "What to do instead (" + (isLater ? "can be empty" : "empty: end the turn") + ")";
  }
  comment.setAttribute("aria-label", "Comment for the model");
  refusal.append(comment);
  made.append(answers, refusal);
  byId("questions").append(made);
}

/** One question of the model, with its options and a field for other words. Returns what reads the answer. */
function askedPart(made, id, { question, header, options, isSeveral }) {
  const group = el("fieldset", "", el("legend", "", (header ? header + ": " : "") + question));
  const boxes = options.map(({ label, description }) => {
    const box = el("input");
    box.type = isSeveral ? "checkbox" : "radio";
    box.name = id;
    group.append(el("label", "", box, " " + label, ...(description ? [el("small", "", description)] : [])));
    return box;
  });
  const other = el("input");
  other.placeholder = options.length > 0 ? "Something else" : "Your answer";
  other.setAttribute("aria-label", other.placeholder + ": " + question);
  group.append(other);
  made.append(group);
  return () => ({ options: boxes.flatMap((box, at) => (box.checked ? [at] : [])), text: other.value });
}

async function answer(made, callId, given) {
  const response = await fetch(ofSession(current, "answer"), {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ callId, answer: given }),
  });
  if (!response.ok) made.append(el("div", "state", await response.text()));
}

refresh();
setInterval(refresh, 3000);
`;

export const SCRIPT = [DOM, SESSIONS, TRANSCRIPT, TIMELINE, QUESTIONS].join("");
