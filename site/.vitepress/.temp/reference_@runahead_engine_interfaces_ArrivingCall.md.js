import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"ArrivingCall","description":"","frontmatter":{},"headers":[],"relativePath":"reference/@runahead/engine/interfaces/ArrivingCall.md","filePath":"reference/@runahead/engine/interfaces/ArrivingCall.md"}');
const _sfc_main = { name: "reference/@runahead/engine/interfaces/ArrivingCall.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="arrivingcall" tabindex="-1">ArrivingCall <a class="header-anchor" href="#arrivingcall" aria-label="Permalink to &quot;ArrivingCall&quot;">​</a></h1><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light github-dark vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">import</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;"> { </span><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">type</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;"> ArrivingCall } </span><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">from</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> &quot;@runahead/engine&quot;</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;">;</span></span></code></pre></div><p>Describes a call whose input is still coming in.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th style="text-align:left;">Property</th><th style="text-align:left;">Type</th><th style="text-align:left;">Description</th></tr></thead><tbody><tr><td style="text-align:left;"><a id="property-delta"></a> <code>delta</code></td><td style="text-align:left;"><code>string</code></td><td style="text-align:left;">The input text that came in just now; empty when the call has just begun.</td></tr><tr><td style="text-align:left;"><a id="property-id"></a> <code>id</code></td><td style="text-align:left;"><code>string</code></td><td style="text-align:left;">The id of the call.</td></tr><tr><td style="text-align:left;"><a id="property-length"></a> <code>length</code></td><td style="text-align:left;"><code>number</code></td><td style="text-align:left;">How many characters of input text there are by now.</td></tr><tr><td style="text-align:left;"><a id="property-name"></a> <code>name</code></td><td style="text-align:left;"><code>string</code></td><td style="text-align:left;">The name of its tool.</td></tr><tr><td style="text-align:left;"><a id="property-preview"></a> <code>preview</code></td><td style="text-align:left;">() =&gt; <code>unknown</code></td><td style="text-align:left;">Parses the input as far as it has come in. Call it only as often as you draw.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("reference/@runahead/engine/interfaces/ArrivingCall.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const ArrivingCall = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  ArrivingCall as default
};
