import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"WebToolsOptions","description":"","frontmatter":{},"headers":[],"relativePath":"reference/@runahead/tools/interfaces/WebToolsOptions.md","filePath":"reference/@runahead/tools/interfaces/WebToolsOptions.md"}');
const _sfc_main = { name: "reference/@runahead/tools/interfaces/WebToolsOptions.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="webtoolsoptions" tabindex="-1">WebToolsOptions <a class="header-anchor" href="#webtoolsoptions" aria-label="Permalink to &quot;WebToolsOptions&quot;">​</a></h1><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light github-dark vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">import</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;"> { </span><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">type</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;"> WebToolsOptions } </span><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">from</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> &quot;@runahead/tools&quot;</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;">;</span></span></code></pre></div><p>Options of <code>webTools</code>.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th style="text-align:left;">Property</th><th style="text-align:left;">Type</th><th style="text-align:left;">Description</th></tr></thead><tbody><tr><td style="text-align:left;"><a id="property-fetch"></a> <code>fetch?</code></td><td style="text-align:left;"><a href="./WebFetchOptions.html"><code>WebFetchOptions</code></a></td><td style="text-align:left;">Options of WebFetch.</td></tr><tr><td style="text-align:left;"><a id="property-search"></a> <code>search?</code></td><td style="text-align:left;"><code>false</code> | <a href="./WebSearchOptions.html"><code>WebSearchOptions</code></a></td><td style="text-align:left;">Options of WebSearch; false leaves it out.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("reference/@runahead/tools/interfaces/WebToolsOptions.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const WebToolsOptions = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  WebToolsOptions as default
};
