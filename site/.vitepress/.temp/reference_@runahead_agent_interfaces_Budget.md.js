import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Budget","description":"","frontmatter":{},"headers":[],"relativePath":"reference/@runahead/agent/interfaces/Budget.md","filePath":"reference/@runahead/agent/interfaces/Budget.md"}');
const _sfc_main = { name: "reference/@runahead/agent/interfaces/Budget.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="budget" tabindex="-1">Budget <a class="header-anchor" href="#budget" aria-label="Permalink to &quot;Budget&quot;">​</a></h1><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light github-dark vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">import</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;"> { </span><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">type</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;"> Budget } </span><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">from</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> &quot;@runahead/agent&quot;</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;">;</span></span></code></pre></div><p>Limits of one prompt. When one is reached, the next turn does not begin.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th style="text-align:left;">Property</th><th style="text-align:left;">Type</th><th style="text-align:left;">Description</th></tr></thead><tbody><tr><td style="text-align:left;"><a id="property-calls"></a> <code>calls?</code></td><td style="text-align:left;"><code>number</code></td><td style="text-align:left;">The maximum number of calls.</td></tr><tr><td style="text-align:left;"><a id="property-costusd"></a> <code>costUsd?</code></td><td style="text-align:left;"><code>number</code></td><td style="text-align:left;">The maximum cost in US dollars. Has no effect if the price of the model is unknown.</td></tr><tr><td style="text-align:left;"><a id="property-ms"></a> <code>ms?</code></td><td style="text-align:left;"><code>number</code></td><td style="text-align:left;">The maximum time in milliseconds.</td></tr><tr><td style="text-align:left;"><a id="property-tokens"></a> <code>tokens?</code></td><td style="text-align:left;"><code>number</code></td><td style="text-align:left;">The maximum number of tokens, input and output together.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("reference/@runahead/agent/interfaces/Budget.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const Budget = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  Budget as default
};
