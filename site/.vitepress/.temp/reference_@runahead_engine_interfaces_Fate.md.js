import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Fate","description":"","frontmatter":{},"headers":[],"relativePath":"reference/@runahead/engine/interfaces/Fate.md","filePath":"reference/@runahead/engine/interfaces/Fate.md"}');
const _sfc_main = { name: "reference/@runahead/engine/interfaces/Fate.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="fate" tabindex="-1">Fate <a class="header-anchor" href="#fate" aria-label="Permalink to &quot;Fate&quot;">​</a></h1><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light github-dark vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">import</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;"> { </span><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">type</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;"> Fate } </span><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">from</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> &quot;@runahead/engine&quot;</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;">;</span></span></code></pre></div><p>Says what became of one call of a turn that was cut short by a crash.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th style="text-align:left;">Property</th><th style="text-align:left;">Type</th><th style="text-align:left;">Description</th></tr></thead><tbody><tr><td style="text-align:left;"><a id="property-callid"></a> <code>callId</code></td><td style="text-align:left;"><code>string</code></td><td style="text-align:left;">The id of the call.</td></tr><tr><td style="text-align:left;"><a id="property-fate"></a> <code>fate</code></td><td style="text-align:left;"><code>&quot;unknown&quot;</code> | <code>&quot;finished&quot;</code> | <code>&quot;never-started&quot;</code></td><td style="text-align:left;"><code>finished</code>: its result is kept. <code>unknown</code>: it was running. <code>never-started</code>: it did not run.</td></tr><tr><td style="text-align:left;"><a id="property-outcome"></a> <code>outcome</code></td><td style="text-align:left;"><a href="./../type-aliases/Outcome.html"><code>Outcome</code></a></td><td style="text-align:left;">How it ended, as far as that is known.</td></tr><tr><td style="text-align:left;"><a id="property-result"></a> <code>result</code></td><td style="text-align:left;"><a href="./ToolResult.html"><code>ToolResult</code></a></td><td style="text-align:left;">What goes back to the model.</td></tr><tr><td style="text-align:left;"><a id="property-toolname"></a> <code>toolName</code></td><td style="text-align:left;"><code>string</code></td><td style="text-align:left;">The name of its tool.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("reference/@runahead/engine/interfaces/Fate.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const Fate = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  Fate as default
};
