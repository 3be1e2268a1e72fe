import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0016 The terminal with parts of pi-tui and our own drawing","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/0016-terminal-ui.md","filePath":"decisions/0016-terminal-ui.md"}');
const _sfc_main = { name: "decisions/0016-terminal-ui.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0016-the-terminal-with-parts-of-pi-tui-and-our-own-drawing" tabindex="-1">0016 The terminal with parts of pi-tui and our own drawing <a class="header-anchor" href="#0016-the-terminal-with-parts-of-pi-tui-and-our-own-drawing" aria-label="Permalink to &quot;0016 The terminal with parts of pi-tui and our own drawing&quot;">​</a></h1><p><strong>@earendil-works/pi-tui 0.74.2</strong> (the last version for Node 20) for keys, the editor, bracketed paste and markdown. Streaming text costs a fraction of what it costs in ink. Its only native dependency, koffi, is optional and used on Windows only, and its install script does not run.</p><p><strong>Not its drawing.</strong> pi-tui draws everything as one list of lines. When the size of the terminal or a line above the screen changes, it clears the screen and the scrollback and writes everything again. A line that is too wide ends the program. Our program prints finished content once and leaves it to the terminal. Only the region below is redrawn, and only the lines that changed, inside synchronized output (<code>packages/cli/src/repl/screen/live-region.ts</code>). So the scrollback is never cleared, and the cost of a frame does not grow with the session. <code>Screen</code> is pi-tui&#39;s <code>TUI</code> with <code>requestRender</code> replaced, because the editor needs one.</p><p><strong>Finished content is printed in the model&#39;s order</strong>, and out of order only if the live region would be higher than the screen. A paragraph is printed when the next one begins, a code block when it is closed, or in parts from 8,000 characters.</p><p><strong><code>!command</code> belongs to the user</strong>: a child process with its output on the screen. No rule judges it, and the model does not see it.</p><p><strong>Text that is typed while a question appears never answers it</strong>, except Esc. For the first half second, and while the user keeps typing, keys go to the editor. A rule can only be made from a command that was shown completely (D18).</p><p><strong>@lydell/node-pty 1.1.0 and @xterm/headless 6.0.0</strong> for tests: a real pseudo-terminal, and a screen to read.</p></div>`);
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
