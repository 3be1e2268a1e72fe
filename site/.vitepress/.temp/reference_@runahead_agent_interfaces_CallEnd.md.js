import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"CallEnd","description":"","frontmatter":{},"headers":[],"relativePath":"reference/@runahead/agent/interfaces/CallEnd.md","filePath":"reference/@runahead/agent/interfaces/CallEnd.md"}');
const _sfc_main = { name: "reference/@runahead/agent/interfaces/CallEnd.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="callend" tabindex="-1">CallEnd <a class="header-anchor" href="#callend" aria-label="Permalink to &quot;CallEnd&quot;">​</a></h1><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light github-dark vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">import</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;"> { </span><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">type</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;"> CallEnd } </span><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">from</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> &quot;@runahead/agent&quot;</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;">;</span></span></code></pre></div><p>How a call ended. Every call has exactly one end.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th style="text-align:left;">Property</th><th style="text-align:left;">Type</th><th style="text-align:left;">Description</th></tr></thead><tbody><tr><td style="text-align:left;"><a id="property-how"></a> <code>how</code></td><td style="text-align:left;"><a href="./../type-aliases/CallEnding.html"><code>CallEnding</code></a></td><td style="text-align:left;">The ending in one word.</td></tr><tr><td style="text-align:left;"><a id="property-outcome"></a> <code>outcome</code></td><td style="text-align:left;"><a href="./../../engine/type-aliases/Outcome.html"><code>Outcome</code></a> | <code>undefined</code></td><td style="text-align:left;">What the executor reported. Undefined for a call without a result: its response was cut off or requested again before its input was complete, or the call that its agent works for has ended.</td></tr><tr><td style="text-align:left;"><a id="property-output"></a> <code>output</code></td><td style="text-align:left;"><code>unknown</code></td><td style="text-align:left;">What the tool returned, for structured results such as a diff; undefined if it did not return.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("reference/@runahead/agent/interfaces/CallEnd.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const CallEnd = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  CallEnd as default
};
