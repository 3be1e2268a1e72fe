import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"WebSearchOptions","description":"","frontmatter":{},"headers":[],"relativePath":"reference/@runahead/tools/interfaces/WebSearchOptions.md","filePath":"reference/@runahead/tools/interfaces/WebSearchOptions.md"}');
const _sfc_main = { name: "reference/@runahead/tools/interfaces/WebSearchOptions.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="websearchoptions" tabindex="-1">WebSearchOptions <a class="header-anchor" href="#websearchoptions" aria-label="Permalink to &quot;WebSearchOptions&quot;">​</a></h1><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light github-dark vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">import</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;"> { </span><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">type</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;"> WebSearchOptions } </span><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">from</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> &quot;@runahead/tools&quot;</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;">;</span></span></code></pre></div><p>Options of WebSearch.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th style="text-align:left;">Property</th><th style="text-align:left;">Type</th><th style="text-align:left;">Description</th></tr></thead><tbody><tr><td style="text-align:left;"><a id="property-environment"></a> <code>environment?</code></td><td style="text-align:left;"><code>Readonly</code>&lt;<code>Record</code>&lt;<code>string</code>, <code>string</code> | <code>undefined</code>&gt;&gt;</td><td style="text-align:left;">Environment variables that configure a provider. Default: <code>process.env</code>.</td></tr><tr><td style="text-align:left;"><a id="property-limitms"></a> <code>limitMs?</code></td><td style="text-align:left;"><code>number</code></td><td style="text-align:left;">Time limit of one search, in milliseconds. Default: 30,000.</td></tr><tr><td style="text-align:left;"><a id="property-provider"></a> <code>provider?</code></td><td style="text-align:left;"><a href="./SearchProvider.html"><code>SearchProvider</code></a></td><td style="text-align:left;">The search service. Default: the first that <code>environment</code> configures.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("reference/@runahead/tools/interfaces/WebSearchOptions.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const WebSearchOptions = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  WebSearchOptions as default
};
