import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"EventResult","description":"","frontmatter":{},"headers":[],"relativePath":"reference/@runahead/agent/interfaces/EventResult.md","filePath":"reference/@runahead/agent/interfaces/EventResult.md"}');
const _sfc_main = { name: "reference/@runahead/agent/interfaces/EventResult.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="eventresult" tabindex="-1">EventResult <a class="header-anchor" href="#eventresult" aria-label="Permalink to &quot;EventResult&quot;">​</a></h1><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light github-dark vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">import</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;"> { </span><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">type</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;"> EventResult } </span><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">from</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> &quot;@runahead/agent&quot;</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;">;</span></span></code></pre></div><p>The combined answer of all hooks of one event.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th style="text-align:left;">Property</th><th style="text-align:left;">Type</th><th style="text-align:left;">Description</th></tr></thead><tbody><tr><td style="text-align:left;"><a id="property-blocked"></a> <code>blocked</code></td><td style="text-align:left;">| { <code>reason</code>: <code>string</code>; } | <code>undefined</code></td><td style="text-align:left;">Set if a hook blocks: the prompt is not sent, the agent does not stop, nothing is compacted.</td></tr><tr><td style="text-align:left;"><a id="property-context"></a> <code>context</code></td><td style="text-align:left;">readonly <code>string</code>[]</td><td style="text-align:left;">Added for the model.</td></tr><tr><td style="text-align:left;"><a id="property-messages"></a> <code>messages</code></td><td style="text-align:left;">readonly <code>string</code>[]</td><td style="text-align:left;">Shown to the user.</td></tr><tr><td style="text-align:left;"><a id="property-stop"></a> <code>stop</code></td><td style="text-align:left;">| { <code>reason</code>: <code>string</code>; } | <code>undefined</code></td><td style="text-align:left;">Set if a hook ends the work.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("reference/@runahead/agent/interfaces/EventResult.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const EventResult = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  EventResult as default
};
