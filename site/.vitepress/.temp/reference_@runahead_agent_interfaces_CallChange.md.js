import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"CallChange","description":"","frontmatter":{},"headers":[],"relativePath":"reference/@runahead/agent/interfaces/CallChange.md","filePath":"reference/@runahead/agent/interfaces/CallChange.md"}');
const _sfc_main = { name: "reference/@runahead/agent/interfaces/CallChange.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="callchange" tabindex="-1">CallChange <a class="header-anchor" href="#callchange" aria-label="Permalink to &quot;CallChange&quot;">​</a></h1><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light github-dark vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">import</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;"> { </span><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">type</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;"> CallChange } </span><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">from</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> &quot;@runahead/agent&quot;</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;">;</span></span></code></pre></div><p>One change of a call.</p><ul><li><code>began</code>: the first event about it.</li><li><code>preview</code>: more of its input arrived.</li><li><code>input</code>: its input is complete.</li><li><code>state</code>: its state changed, but it has not ended.</li><li><code>progress</code>: its tool printed something or reported a status.</li><li><code>judged</code>: auto mode decided about it.</li><li><code>ended</code>: it has its end. Reported once per call.</li></ul><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th style="text-align:left;">Property</th><th style="text-align:left;">Type</th><th style="text-align:left;">Description</th></tr></thead><tbody><tr><td style="text-align:left;"><a id="property-call"></a> <code>call</code></td><td style="text-align:left;"><a href="./CallView.html"><code>CallView</code></a></td><td style="text-align:left;">The call, with the change already applied.</td></tr><tr><td style="text-align:left;"><a id="property-what"></a> <code>what</code></td><td style="text-align:left;"><code>&quot;input&quot;</code> | <code>&quot;ended&quot;</code> | <code>&quot;preview&quot;</code> | <code>&quot;began&quot;</code> | <code>&quot;state&quot;</code> | <code>&quot;progress&quot;</code> | <code>&quot;judged&quot;</code></td><td style="text-align:left;">What changed.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("reference/@runahead/agent/interfaces/CallChange.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const CallChange = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  CallChange as default
};
