import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"GateSettings","description":"","frontmatter":{},"headers":[],"relativePath":"reference/@runahead/agent/interfaces/GateSettings.md","filePath":"reference/@runahead/agent/interfaces/GateSettings.md"}');
const _sfc_main = { name: "reference/@runahead/agent/interfaces/GateSettings.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="gatesettings" tabindex="-1">GateSettings <a class="header-anchor" href="#gatesettings" aria-label="Permalink to &quot;GateSettings&quot;">​</a></h1><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light github-dark vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">import</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;"> { </span><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">type</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;"> GateSettings } </span><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">from</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> &quot;@runahead/agent&quot;</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;">;</span></span></code></pre></div><p>The mode and the rules of a <a href="./../classes/PermissionGate.html">PermissionGate</a>.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th style="text-align:left;">Property</th><th style="text-align:left;">Type</th><th style="text-align:left;">Description</th></tr></thead><tbody><tr><td style="text-align:left;"><a id="property-istrusted"></a> <code>isTrusted?</code></td><td style="text-align:left;"><code>boolean</code></td><td style="text-align:left;">Whether the folder is trusted. Default: the <code>trusted</code> option.</td></tr><tr><td style="text-align:left;"><a id="property-mode"></a> <code>mode</code></td><td style="text-align:left;"><code>string</code></td><td style="text-align:left;">What happens to calls that no rule decides: <code>default</code>, <code>acceptEdits</code>, <code>plan</code>, <code>auto</code>, <code>dontAsk</code> or <code>bypassPermissions</code>.</td></tr><tr><td style="text-align:left;"><a id="property-sources"></a> <code>sources</code></td><td style="text-align:left;">readonly <a href="./../../permissions/interfaces/PermissionSource.html"><code>PermissionSource</code></a>[]</td><td style="text-align:left;">Rules by where they come from, the strongest source first. A deny of any source comes before all allows.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("reference/@runahead/agent/interfaces/GateSettings.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const GateSettings = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  GateSettings as default
};
