import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Judged","description":"","frontmatter":{},"headers":[],"relativePath":"reference/@runahead/agent/interfaces/Judged.md","filePath":"reference/@runahead/agent/interfaces/Judged.md"}');
const _sfc_main = { name: "reference/@runahead/agent/interfaces/Judged.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="judged" tabindex="-1">Judged <a class="header-anchor" href="#judged" aria-label="Permalink to &quot;Judged&quot;">​</a></h1><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light github-dark vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">import</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;"> { </span><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">type</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;"> Judged } </span><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">from</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> &quot;@runahead/agent&quot;</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;">;</span></span></code></pre></div><p>A decision of auto mode on one call.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th style="text-align:left;">Property</th><th style="text-align:left;">Type</th><th style="text-align:left;">Description</th></tr></thead><tbody><tr><td style="text-align:left;"><a id="property-callid"></a> <code>callId</code></td><td style="text-align:left;"><code>string</code></td><td style="text-align:left;">The id of the call.</td></tr><tr><td style="text-align:left;"><a id="property-decision"></a> <code>decision</code></td><td style="text-align:left;"><code>&quot;ask&quot;</code> | <code>&quot;allow&quot;</code></td><td style="text-align:left;"><code>allow</code>: it runs without a question. <code>ask</code>: the user is asked.</td></tr><tr><td style="text-align:left;"><a id="property-model"></a> <code>model</code></td><td style="text-align:left;"><code>string</code></td><td style="text-align:left;">The model that decided.</td></tr><tr><td style="text-align:left;"><a id="property-reason"></a> <code>reason</code></td><td style="text-align:left;"><code>string</code></td><td style="text-align:left;">The reason, in one line for the user.</td></tr><tr><td style="text-align:left;"><a id="property-toolname"></a> <code>toolName</code></td><td style="text-align:left;"><code>string</code></td><td style="text-align:left;">The name of its tool.</td></tr><tr><td style="text-align:left;"><a id="property-usage"></a> <code>usage</code></td><td style="text-align:left;"><a href="./Usage.html"><code>Usage</code></a></td><td style="text-align:left;">The tokens that the decision used; none for a call that shares the decision of an identical one.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("reference/@runahead/agent/interfaces/Judged.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const Judged = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  Judged as default
};
