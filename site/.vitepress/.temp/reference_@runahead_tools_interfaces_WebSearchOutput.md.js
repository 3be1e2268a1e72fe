import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"WebSearchOutput","description":"","frontmatter":{},"headers":[],"relativePath":"reference/@runahead/tools/interfaces/WebSearchOutput.md","filePath":"reference/@runahead/tools/interfaces/WebSearchOutput.md"}');
const _sfc_main = { name: "reference/@runahead/tools/interfaces/WebSearchOutput.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="websearchoutput" tabindex="-1">WebSearchOutput <a class="header-anchor" href="#websearchoutput" aria-label="Permalink to &quot;WebSearchOutput&quot;">​</a></h1><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light github-dark vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">import</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;"> { </span><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">type</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;"> WebSearchOutput } </span><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">from</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> &quot;@runahead/tools&quot;</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;">;</span></span></code></pre></div><p>Output of WebSearch.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th style="text-align:left;">Property</th><th style="text-align:left;">Type</th><th style="text-align:left;">Description</th></tr></thead><tbody><tr><td style="text-align:left;"><a id="property-leftout"></a> <code>leftOut</code></td><td style="text-align:left;"><code>number</code></td><td style="text-align:left;">How many results of unwanted domains were left out.</td></tr><tr><td style="text-align:left;"><a id="property-provider"></a> <code>provider</code></td><td style="text-align:left;"><code>string</code></td><td style="text-align:left;">Name of the service.</td></tr><tr><td style="text-align:left;"><a id="property-query"></a> <code>query</code></td><td style="text-align:left;"><code>string</code></td><td style="text-align:left;">The query.</td></tr><tr><td style="text-align:left;"><a id="property-results"></a> <code>results</code></td><td style="text-align:left;">readonly <code>SearchResult</code>[]</td><td style="text-align:left;">The results, best first.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("reference/@runahead/tools/interfaces/WebSearchOutput.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const WebSearchOutput = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  WebSearchOutput as default
};
