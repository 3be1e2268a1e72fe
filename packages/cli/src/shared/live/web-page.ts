/** The page of the web view and its style. `web-script.ts` fills it. */

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
<details id="agents" hidden><summary>Agents</summary><ul></ul></details>
<details id="bars" hidden><summary>Live timeline</summary><div></div></details>
<details id="timeline"><summary>Whole timeline</summary><iframe title="Timeline" sandbox="allow-scripts"></iframe></details>
<ol id="items" aria-label="Transcript"></ol>
<section id="questions" aria-live="polite" aria-label="Questions"></section>
</main>
<script src="/app.js"></script>
</body>
</html>
`;

export const STYLE = `
:root { --edge: #d8dee4; --soft: #f6f8fa; --dim: #59636e; --text: #1f2328; --page: #fff; --accent: #0550ae; --add: #116329; --add-back: #dafbe1; --gone: #a40e26; --gone-back: #ffebe9; --warn: #9a6700; --warn-back: #fff8c5; --run: #0969da; --wait: #d4a72c; }
@media (prefers-color-scheme: dark) {
  :root { --edge: #30363d; --soft: #161b22; --dim: #9198a1; --text: #e6edf3; --page: #0d1117; --accent: #79c0ff; --add: #7ee787; --add-back: #12361f; --gone: #ffa198; --gone-back: #43191d; --warn: #e3b341; --warn-back: #2b2310; --run: #388bfd; --wait: #9e6a03; }
}
* { box-sizing: border-box; }
[hidden] { display: none !important; }
body { margin: 0; display: grid; grid-template-columns: 17em minmax(0, 1fr); min-height: 100vh; font: 15px/1.5 system-ui, sans-serif; color: var(--text); background: var(--page); }
nav { position: sticky; top: 0; height: 100vh; overflow: auto; border-right: 1px solid var(--edge); padding: 1em; background: var(--soft); }
h1 { font-size: 1.1em; margin: 0 0 1em; }
nav ul { list-style: none; padding: 0; margin: 0; }
nav li { margin: 0 0 .3em; }
button, input, textarea { font: inherit; color: inherit; border: 1px solid var(--edge); border-radius: 6px; background: var(--page); padding: .35em .7em; }
button { cursor: pointer; }
button:hover { border-color: var(--accent); }
button:focus-visible, input:focus-visible, textarea:focus-visible, summary:focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }
button.main { background: var(--accent); border-color: var(--accent); color: var(--page); }
nav button { width: 100%; text-align: left; overflow-wrap: anywhere; background: transparent; border-color: transparent; }
nav button[aria-current=true] { background: var(--page); border-color: var(--edge); font-weight: 600; }
.latest { display: block; color: var(--dim); font-weight: 400; white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }
.badge { display: block; color: var(--warn); font-weight: 600; }
main { padding: 1em 1.5em 4em; min-width: 0; max-width: 75em; }
header { color: var(--dim); margin-bottom: .8em; overflow-wrap: anywhere; }
details > summary { cursor: pointer; }
main > details { border: 1px solid var(--edge); border-radius: 8px; padding: .5em .8em; margin: .5em 0; }
#items { list-style: none; padding: 0; margin: 1em 0 0; }
#items > li { margin: .35em 0; }
#items > li.nested { margin-left: 1.5em; padding-left: .7em; border-left: 2px solid var(--edge); }
pre, textarea { font: 13px/1.45 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; background: var(--soft); padding: .6em .8em; border-radius: 6px; max-height: 28em; overflow: auto; margin: .4em 0; }
pre span { display: block; min-height: 1.45em; }
code { font: .9em ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; background: var(--soft); padding: .1em .3em; border-radius: 4px; }
.prompt { font-weight: 600; white-space: pre-wrap; overflow-wrap: anywhere; margin-top: 1em; }
.text > * { white-space: pre-wrap; overflow-wrap: anywhere; margin: .4em 0; }
.notice { color: var(--gone); white-space: pre-wrap; overflow-wrap: anywhere; }
.state { color: var(--dim); }
.state.failed, .state.denied { color: var(--gone); }
.state.asking { color: var(--warn); font-weight: 600; }
.why { color: var(--dim); margin: .2em 0; }
.added { color: var(--add); background: var(--add-back); } .removed { color: var(--gone); background: var(--gone-back); } .place { color: var(--dim); }
#questions { position: sticky; bottom: 0; max-height: 75vh; overflow: auto; background: var(--page); }
.question { border: 1px solid var(--warn); background: var(--warn-back); border-radius: 8px; padding: .8em 1em; margin: .6em 0; }
.question fieldset { border: 0; margin: 0 0 .8em; padding: 0; }
.question legend { font-weight: bold; padding: 0; }
.question label { display: block; margin: .3em 0; }
.question label small { display: block; margin-left: 1.7em; opacity: .75; }
.question pre, .question textarea { background: var(--page); }
.question textarea { width: 100%; min-height: 14em; resize: vertical; display: block; margin: .5em 0; }
.answers { display: flex; flex-wrap: wrap; gap: .5em; margin-top: .6em; }
.answers button { text-align: left; }
.answers small { display: block; color: var(--dim); overflow-wrap: anywhere; }
.answers input { flex: 1 1 14em; min-width: 0; }
iframe { width: 100%; height: 32em; border: 1px solid var(--edge); border-radius: 6px; background: #fff; }
#agents ul { margin: .2em 0; padding-left: 1.2em; }
.bar { display: grid; grid-template-columns: minmax(6em, 16em) minmax(0, 1fr) 5.5em; gap: .6em; align-items: center; font-size: 13px; }
.bar .name { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.bar .track { position: relative; height: 1em; background: var(--soft); border-radius: 3px; overflow: hidden; }
.bar i { position: absolute; top: 0; bottom: 0; min-width: 2px; }
.bar .waited { background: var(--wait); } .bar .ran { background: var(--run); }
.bar .took { color: var(--dim); text-align: right; }
.legend { color: var(--dim); font-size: 13px; margin: .3em 0; }
@media (max-width: 45em) {
  body { display: block; }
  nav { position: static; height: auto; border-right: 0; border-bottom: 1px solid var(--edge); padding: .6em 1em; }
  h1 { margin-bottom: .4em; }
  main { padding: .8em 1em 3em; }
  .bar { grid-template-columns: minmax(4em, 9em) minmax(0, 1fr) 4.5em; }
}
`;
