import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"AnthropicOptions","description":"","frontmatter":{},"headers":[],"relativePath":"reference/@runahead/agent/interfaces/AnthropicOptions.md","filePath":"reference/@runahead/agent/interfaces/AnthropicOptions.md"}');
const _sfc_main = { name: "reference/@runahead/agent/interfaces/AnthropicOptions.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="anthropicoptions" tabindex="-1">AnthropicOptions <a class="header-anchor" href="#anthropicoptions" aria-label="Permalink to &quot;AnthropicOptions&quot;">​</a></h1><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light github-dark vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">import</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;"> { </span><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">type</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;"> AnthropicOptions } </span><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">from</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> &quot;@runahead/agent&quot;</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;">;</span></span></code></pre></div><p>Options of <a href="./../functions/anthropic.html">anthropic</a>.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th style="text-align:left;">Property</th><th style="text-align:left;">Type</th><th style="text-align:left;">Description</th></tr></thead><tbody><tr><td style="text-align:left;"><a id="property-apikey"></a> <code>apiKey?</code></td><td style="text-align:left;"><code>string</code></td><td style="text-align:left;">The API key. Default: <code>ANTHROPIC_API_KEY</code>.</td></tr><tr><td style="text-align:left;"><a id="property-baseurl"></a> <code>baseURL?</code></td><td style="text-align:left;"><code>string</code></td><td style="text-align:left;">The address of the API. Default: <code>ANTHROPIC_BASE_URL</code>, then Anthropic&#39;s own.</td></tr><tr><td style="text-align:left;"><a id="property-model"></a> <code>model</code></td><td style="text-align:left;"><code>string</code></td><td style="text-align:left;">The name of the model.</td></tr><tr><td style="text-align:left;"><a id="property-websearch"></a> <code>webSearch?</code></td><td style="text-align:left;"><a href="./ProviderSearch.html"><code>ProviderSearch</code></a></td><td style="text-align:left;">Enables Anthropic&#39;s own web search. Default: off.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("reference/@runahead/agent/interfaces/AnthropicOptions.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const AnthropicOptions = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  AnthropicOptions as default
};
