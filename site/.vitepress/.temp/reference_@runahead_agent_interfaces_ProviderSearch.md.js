import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"ProviderSearch","description":"","frontmatter":{},"headers":[],"relativePath":"reference/@runahead/agent/interfaces/ProviderSearch.md","filePath":"reference/@runahead/agent/interfaces/ProviderSearch.md"}');
const _sfc_main = { name: "reference/@runahead/agent/interfaces/ProviderSearch.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="providersearch" tabindex="-1">ProviderSearch <a class="header-anchor" href="#providersearch" aria-label="Permalink to &quot;ProviderSearch&quot;">​</a></h1><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light github-dark vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">import</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;"> { </span><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">type</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;"> ProviderSearch } </span><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">from</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> &quot;@runahead/agent&quot;</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;">;</span></span></code></pre></div><p>Configures a provider&#39;s own web search. It runs on the provider&#39;s servers, so permissions and hooks do not see it.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th style="text-align:left;">Property</th><th style="text-align:left;">Type</th><th style="text-align:left;">Description</th></tr></thead><tbody><tr><td style="text-align:left;"><a id="property-alloweddomains"></a> <code>allowedDomains?</code></td><td style="text-align:left;">readonly <code>string</code>[]</td><td style="text-align:left;">Only results of these domains. Default: all.</td></tr><tr><td style="text-align:left;"><a id="property-inplaceof"></a> <code>inPlaceOf?</code></td><td style="text-align:left;"><code>string</code></td><td style="text-align:left;">The name of a tool that it replaces. It is then offered only in requests with that tool. Default: it is offered in every request with tools.</td></tr><tr><td style="text-align:left;"><a id="property-maxuses"></a> <code>maxUses?</code></td><td style="text-align:left;"><code>number</code></td><td style="text-align:left;">The maximum number of searches in one response. Default: no limit.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("reference/@runahead/agent/interfaces/ProviderSearch.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const ProviderSearch = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  ProviderSearch as default
};
