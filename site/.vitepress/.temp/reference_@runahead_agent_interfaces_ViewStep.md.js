import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"ViewStep","description":"","frontmatter":{},"headers":[],"relativePath":"reference/@runahead/agent/interfaces/ViewStep.md","filePath":"reference/@runahead/agent/interfaces/ViewStep.md"}');
const _sfc_main = { name: "reference/@runahead/agent/interfaces/ViewStep.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="viewstep" tabindex="-1">ViewStep <a class="header-anchor" href="#viewstep" aria-label="Permalink to &quot;ViewStep&quot;">​</a></h1><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light github-dark vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">import</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;"> { </span><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">type</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;"> ViewStep } </span><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">from</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> &quot;@runahead/agent&quot;</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;">;</span></span></code></pre></div><p>What one event changed.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th style="text-align:left;">Property</th><th style="text-align:left;">Type</th><th style="text-align:left;">Description</th></tr></thead><tbody><tr><td style="text-align:left;"><a id="property-agent"></a> <code>agent</code></td><td style="text-align:left;"><a href="./AgentView.html"><code>AgentView</code></a></td><td style="text-align:left;">The agent of the event: the main agent or a sub-agent.</td></tr><tr><td style="text-align:left;"><a id="property-calls"></a> <code>calls</code></td><td style="text-align:left;">readonly <a href="./CallChange.html"><code>CallChange</code></a>[]</td><td style="text-align:left;">The changes of calls, in order. The calls of a sub-agent end before the call that it works for.</td></tr><tr><td style="text-align:left;"><a id="property-event"></a> <code>event</code></td><td style="text-align:left;"><a href="./../type-aliases/OwnEvent.html"><code>OwnEvent</code></a></td><td style="text-align:left;">The event itself, unwrapped from <code>agent-event</code>.</td></tr><tr><td style="text-align:left;"><a id="property-turns"></a> <code>turns</code></td><td style="text-align:left;">readonly <a href="./TurnView.html"><code>TurnView</code></a>[]</td><td style="text-align:left;">Turns that began, got their first content, or ended.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("reference/@runahead/agent/interfaces/ViewStep.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const ViewStep = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  ViewStep as default
};
