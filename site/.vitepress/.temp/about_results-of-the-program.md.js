import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Benchmark of the terminal program","description":"","frontmatter":{},"headers":[],"relativePath":"about/results-of-the-program.md","filePath":"about/results-of-the-program.md"}');
const _sfc_main = { name: "about/results-of-the-program.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="benchmark-of-the-terminal-program" tabindex="-1">Benchmark of the terminal program <a class="header-anchor" href="#benchmark-of-the-terminal-program" aria-label="Permalink to &quot;Benchmark of the terminal program&quot;">​</a></h1><table tabindex="0"><thead><tr><th>what</th><th style="text-align:right;">value</th></tr></thead><tbody><tr><td><code>node -e 0</code>, median of 10</td><td style="text-align:right;">59 ms</td></tr><tr><td>until the prompt is drawn, median of 10</td><td style="text-align:right;">220 ms</td></tr><tr><td>memory after two seconds of nothing (RSS)</td><td style="text-align:right;">75 MB</td></tr><tr><td>bytes to the terminal for each of 20,000 characters that stream in</td><td style="text-align:right;">23.02 B</td></tr><tr><td>the same through pi-tui&#39;s own TUI and Markdown</td><td style="text-align:right;">11.92 B</td></tr><tr><td>the same in pi-coding-agent 0.74.2</td><td style="text-align:right;">123.67 B</td></tr></tbody></table><table tabindex="0"><thead><tr><th>target</th><th style="text-align:right;">value</th><th style="text-align:right;">result</th></tr></thead><tbody><tr><td>start-up against <code>node -e 0</code>: ≤ 8 ×</td><td style="text-align:right;">3.7 ×</td><td style="text-align:right;">PASS</td></tr><tr><td>memory when idle: &lt; 150 MB</td><td style="text-align:right;">75 MB</td><td style="text-align:right;">PASS</td></tr></tbody></table><ul><li>Date: 2026-11-15</li><li>Machine: 2 × AMD EPYC, 24 GB, linux 6.18.44-fc-v490 x64</li><li>Node: v20.20.2</li><li>Command: <code>node bench/cli.mjs</code></li></ul></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("about/results-of-the-program.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const resultsOfTheProgram = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  resultsOfTheProgram as default
};
