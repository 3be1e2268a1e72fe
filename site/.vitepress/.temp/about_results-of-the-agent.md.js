import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Benchmark of the agent","description":"","frontmatter":{},"headers":[],"relativePath":"about/results-of-the-agent.md","filePath":"about/results-of-the-agent.md"}');
const _sfc_main = { name: "about/results-of-the-agent.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="benchmark-of-the-agent" tabindex="-1">Benchmark of the agent <a class="header-anchor" href="#benchmark-of-the-agent" aria-label="Permalink to &quot;Benchmark of the agent&quot;">​</a></h1><table tabindex="0"><thead><tr><th>what</th><th style="text-align:right;">value</th></tr></thead><tbody><tr><td>1000 agents, 3 turns of 4 reads of 300 ms under 1 s of text (ideal 3.00 s)</td><td style="text-align:right;">3.18 s</td></tr><tr><td>the same with sessions on disk</td><td style="text-align:right;">4.27 s</td></tr><tr><td>heap per idle session</td><td style="text-align:right;">6828 B</td></tr><tr><td>heap per running turn</td><td style="text-align:right;">20889 B</td></tr><tr><td>a verdict on a shell command of 215 characters, 20000 samples: p50 / p99</td><td style="text-align:right;">217 µs / 596 µs</td></tr><tr><td>1 GB of output through Bash / redirected to a file</td><td style="text-align:right;">1.96 s / 1.53 s</td></tr><tr><td>memory that it takes</td><td style="text-align:right;">10 MB</td></tr><tr><td>grep-files in 50000 files / rg itself</td><td style="text-align:right;">188 / 187 ms</td></tr><tr><td>grep-content in 50000 files / rg itself</td><td style="text-align:right;">201 / 197 ms</td></tr><tr><td>glob in 50000 files / rg itself</td><td style="text-align:right;">61 / 55 ms</td></tr></tbody></table><table tabindex="0"><thead><tr><th>target</th><th style="text-align:right;">value</th><th style="text-align:right;">result</th></tr></thead><tbody><tr><td>1000 agents in one process against the ideal: ≤ 1.2 ×</td><td style="text-align:right;">1.06 ×</td><td style="text-align:right;">PASS</td></tr><tr><td>a verdict on a shell command, p99: &lt; 1 ms</td><td style="text-align:right;">596 µs</td><td style="text-align:right;">PASS</td></tr><tr><td>1 GB of output through Bash against a redirection: ≤ 3 ×</td><td style="text-align:right;">1.28 ×</td><td style="text-align:right;">PASS</td></tr><tr><td>memory for 1 GB of output: ≤ 200 MB</td><td style="text-align:right;">10 MB</td><td style="text-align:right;">PASS</td></tr><tr><td>grep-files against rg itself: ≤ 1.15 ×</td><td style="text-align:right;">1.00 ×</td><td style="text-align:right;">PASS</td></tr><tr><td>grep-content against rg itself: ≤ 1.15 ×</td><td style="text-align:right;">1.02 ×</td><td style="text-align:right;">PASS</td></tr><tr><td>glob against rg itself: ≤ 1.15 ×</td><td style="text-align:right;">1.11 ×</td><td style="text-align:right;">PASS</td></tr></tbody></table><ul><li>Date: 2026-11-15</li><li>Machine: 2 × AMD EPYC, 24 GB, linux 6.18.44-fc-v490 x64</li><li>Node: v20.20.2</li><li>Command: <code>node bench/agent.mjs</code></li></ul></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("about/results-of-the-agent.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const resultsOfTheAgent = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  resultsOfTheAgent as default
};
