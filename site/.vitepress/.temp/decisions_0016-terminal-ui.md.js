import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse(`{"title":"0016 The terminal with pi-tui's parts and a drawing of our own","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/0016-terminal-ui.md","filePath":"decisions/0016-terminal-ui.md"}`);
const _sfc_main = { name: "decisions/0016-terminal-ui.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0016-the-terminal-with-pi-tui-s-parts-and-a-drawing-of-our-own" tabindex="-1">0016 The terminal with pi-tui&#39;s parts and a drawing of our own <a class="header-anchor" href="#_0016-the-terminal-with-pi-tui-s-parts-and-a-drawing-of-our-own" aria-label="Permalink to &quot;0016 The terminal with pi-tui&#39;s parts and a drawing of our own&quot;">​</a></h1><p><strong>@earendil-works/pi-tui 0.74.2</strong> (the last line for Node 20) for keys, the editor, bracketed paste and markdown: text that streams costs it a fraction of what it costs ink. Its only native dependency, koffi, is optional, needed on Windows alone, and its install script is not run.</p><p><strong>Not its drawing.</strong> pi-tui draws everything that was ever said as one list of lines. When the terminal&#39;s size changes, or a line above the screen does, it clears the screen and the scrollback and writes all of it again; a line that is too wide ends the program. Here finished things are printed once and belong to the terminal from then on; only the region below is redrawn, by lines that have changed, inside synchronized output (<code>packages/cli/src/repl/screen/live-region.ts</code>). So scrollback is never cleared, and what a frame costs does not grow with the session. <code>Screen</code> is pi-tui&#39;s <code>TUI</code> with <code>requestRender</code> replaced, since its editor wants one.</p><p><strong>What is finished is printed in the model&#39;s order</strong>, and out of order only where what is live would be higher than the screen. A paragraph is printed when the next begins, a block of code when it is closed, or in parts from 8,000 characters.</p><p><strong><code>!command</code> is the person&#39;s own</strong>: a child process with its output on the screen. No rule judges it, and the model does not hear of it.</p><p><strong>Nothing that is typed while a question comes up is an answer to it</strong>, apart from Esc: the first 250 ms, and as long as one goes on typing, keys go to the editor. A rule can be made only of what was on the screen as a whole (D18).</p><p><strong>@lydell/node-pty 1.1.0 and @xterm/headless 6.0.0</strong> for tests: a real pseudo-terminal, and a screen to read.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("decisions/0016-terminal-ui.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0016TerminalUi = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0016TerminalUi as default
};
