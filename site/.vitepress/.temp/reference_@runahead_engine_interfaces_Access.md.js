import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Access","description":"","frontmatter":{},"headers":[],"relativePath":"reference/@runahead/engine/interfaces/Access.md","filePath":"reference/@runahead/engine/interfaces/Access.md"}');
const _sfc_main = { name: "reference/@runahead/engine/interfaces/Access.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="access" tabindex="-1">Access <a class="header-anchor" href="#access" aria-label="Permalink to &quot;Access&quot;">​</a></h1><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light github-dark vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">import</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;"> { </span><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">type</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;"> Access } </span><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">from</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> &quot;@runahead/engine&quot;</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;">;</span></span></code></pre></div><p>Holds what the scheduler must know of a call: plain data, so that an event that carries it can be recorded.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th style="text-align:left;">Property</th><th style="text-align:left;">Type</th><th style="text-align:left;">Description</th></tr></thead><tbody><tr><td style="text-align:left;"><a id="property-claims"></a> <code>claims</code></td><td style="text-align:left;">readonly <a href="./Claim.html"><code>Claim</code></a>[]</td><td style="text-align:left;">The places that the call reads and writes.</td></tr><tr><td style="text-align:left;"><a id="property-interrupt"></a> <code>interrupt</code></td><td style="text-align:left;"><code>&quot;cancel&quot;</code> | <code>&quot;block&quot;</code></td><td style="text-align:left;">Whether a new message of the person stops the call or waits for it.</td></tr><tr><td style="text-align:left;"><a id="property-onerror"></a> <code>onError</code></td><td style="text-align:left;"><code>&quot;isolate&quot;</code> | <code>&quot;cancel-later&quot;</code></td><td style="text-align:left;">Whether a failure of the call cancels later calls that write.</td></tr><tr><td style="text-align:left;"><a id="property-readonly"></a> <code>readOnly</code></td><td style="text-align:left;"><code>boolean</code></td><td style="text-align:left;">Whether the call only reads, as its tool&#39;s <code>isReadOnly</code> says.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("reference/@runahead/engine/interfaces/Access.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const Access = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  Access as default
};
