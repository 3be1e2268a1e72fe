/** The page of the web view. All text from a session is set as text, never as HTML. */

export const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Runahead</title>
<link rel="stylesheet" href="/app.css">
</head>
<body>
<nav><h1>Runahead</h1><ul id="sessions" aria-label="Sessions"></ul></nav>
<main>
<header id="info">No running session. Start runahead in a terminal.</header>
<section id="questions" aria-live="polite"></section>
<details id="agents"><summary>Agents</summary><ul></ul></details>
<details id="timeline"><summary>Timeline</summary><iframe title="Timeline" sandbox="allow-scripts"></iframe></details>
<ol id="items"></ol>
</main>
<script src="/app.js"></script>
</body>
</html>
`;

export const STYLE = `
body { margin: 0; display: grid; grid-template-columns: 16em 1fr; min-height: 100vh; font: 15px/1.5 system-ui, sans-serif; }
nav { border-right: 1px solid #8884; padding: 1em; }
h1 { font-size: 1.1em; margin: 0 0 1em; }
nav ul { list-style: none; padding: 0; }
nav button { width: 100%; text-align: left; overflow-wrap: anywhere; }
nav button[aria-current=true] { font-weight: bold; }
main { padding: 1em; min-width: 0; }
#items { list-style: none; padding: 0; }
#items li { margin: .4em 0; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; background: #8881; padding: .5em; border-radius: 5px; max-height: 24em; overflow: auto; }
.prompt { font-weight: bold; }
.text { white-space: pre-wrap; overflow-wrap: anywhere; }
.state { opacity: .7; }
.added { color: #080; } .removed { color: #c00; }
.question { border: 2px solid #c80; border-radius: 6px; padding: .8em; margin: .6em 0; }
.question button { margin-right: .6em; }
iframe { width: 100%; height: 28em; border: 1px solid #8884; }
@media (max-width: 45em) { body { grid-template-columns: 1fr; } nav { border: 0; } }
`;

export const SCRIPT = String.raw`"use strict";
const el = (name, className, text) => {
  const made = document.createElement(name);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
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
let current;
let source;

async function refresh() {
  const response = await fetch(api(""));
  if (response.status === 401) byId("info").textContent = await response.text();
  if (!response.ok) return;
  const sessions = await response.json();
  byId("sessions").replaceChildren(...sessions.map((session) => {
    const entry = el("li");
    const waiting = session.questions > 0 ? " (needs you)" : "";
    const button = el("button", "", session.cwd + waiting);
    button.setAttribute("aria-current", String(session.name === current));
    button.addEventListener("click", () => open(session.name));
    entry.append(button);
    return entry;
  }));
  if (current === undefined && sessions.length > 0) open(sessions[0].name);
}

function open(name) {
  current = name;
  source?.close();
  clear();
  byId("questions").replaceChildren();
  source = new EventSource(ofSession(name, "events"));
  source.onmessage = ({ data }) => hear(JSON.parse(data));
  refresh();
}

function clear() {
  byId("items").replaceChildren();
  byId("agents").querySelector("ul").replaceChildren();
}

function hear(message) {
  if (message.type === "info") {
    const { cwd, model, mode } = message.info;
    byId("info").textContent = [cwd, model, mode].join(" · ");
  }
  if (message.type === "forget") clear();
  if (message.type === "items") for (const item of message.items) show(item);
  if (message.type === "question") ask(message.question);
  if (message.type === "answered") byId("q-" + message.callId)?.remove();
  if (message.type === "question" || message.type === "answered") refresh();
}

function show(item) {
  if (item.kind === "agent") return showAgent(item);
  const made = el("li", item.kind);
  made.id = "i-" + item.id;
  if (item.kind === "call") made.append(...callParts(item));
  else made.append(el("div", item.kind === "prompt" ? "prompt" : "text", (item.kind === "prompt" ? "› " : "") + item.text));
  const old = byId(made.id);
  if (old) {
    const isOpen = old.querySelector("details")?.open;
    if (isOpen) made.querySelector("details")?.setAttribute("open", "");
    old.replaceWith(made);
  } else {
    const isAtEnd = innerHeight + scrollY >= document.body.scrollHeight - 40;
    byId("items").append(made);
    if (isAtEnd) scrollTo(0, document.body.scrollHeight);
  }
}

function callParts(item) {
  const folded = el("details");
  const title = el("summary", "", (item.agent ? "[" + item.agent + "] " : "") + item.text + " ");
  title.append(el("span", "state", item.state));
  folded.append(title);
  if (item.waited) folded.append(el("div", "state", "Waited " + item.waited));
  if (item.detail) folded.append(lines(item.detail));
  return [folded];
}

function lines(text) {
  const made = el("pre");
  for (const line of text.split("\n")) {
    const kind = line.startsWith("+ ") ? "added" : line.startsWith("- ") ? "removed" : "";
    made.append(el("span", kind, line + "\n"));
  }
  return made;
}

function showAgent(item) {
  const id = "i-" + item.id;
  const made = byId(id) ?? el("li");
  made.id = id;
  const below = made.querySelector("ul") ?? el("ul");
  made.replaceChildren(item.text + " ", el("span", "state", item.state), below);
  const parent = item.parent ? byId("i-agent-" + item.parent)?.querySelector("ul") : undefined;
  (parent ?? byId("agents").querySelector("ul")).append(made);
  byId("agents").open = true;
}

function ask(question) {
  const { callId, description, reason, input } = question;
  if (byId("q-" + callId)) return;
  const made = el("div", "question");
  made.id = "q-" + callId;
  const comment = el("input");
  comment.placeholder = "What to do instead (optional)";
  const yes = el("button", "", "Allow once");
  const no = el("button", "", "Reject");
  yes.addEventListener("click", () => answer(callId, true, ""));
  no.addEventListener("click", () => answer(callId, false, comment.value));
  made.append(el("strong", "", description), el("div", "state", reason), el("pre", "", input), yes, no, comment);
  byId("questions").append(made);
}

async function answer(callId, isYes, comment) {
  await fetch(ofSession(current, "answer"), {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ callId, isYes, comment }),
  });
}

byId("timeline").addEventListener("toggle", ({ target }) => {
  const frame = target.querySelector("iframe");
  if (target.open && current) frame.src = ofSession(current, "timeline") + "&at=" + Date.now();
});
refresh();
setInterval(refresh, 3000);
`;
