import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"DefinedAgent","description":"","frontmatter":{},"headers":[],"relativePath":"reference/@runahead/harness/interfaces/DefinedAgent.md","filePath":"reference/@runahead/harness/interfaces/DefinedAgent.md"}');
const _sfc_main = { name: "reference/@runahead/harness/interfaces/DefinedAgent.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="definedagent" tabindex="-1">DefinedAgent <a class="header-anchor" href="#definedagent" aria-label="Permalink to &quot;DefinedAgent&quot;">​</a></h1><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light github-dark vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">import</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;"> { </span><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">type</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;"> DefinedAgent } </span><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">from</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> &quot;@runahead/harness&quot;</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;">;</span></span></code></pre></div><p>A sub-agent that is defined in a markdown file.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th style="text-align:left;">Property</th><th style="text-align:left;">Type</th><th style="text-align:left;">Description</th></tr></thead><tbody><tr><td style="text-align:left;"><a id="property-description"></a> <code>description</code></td><td style="text-align:left;"><code>string</code></td><td style="text-align:left;">When to use it, as text for the model.</td></tr><tr><td style="text-align:left;"><a id="property-model"></a> <code>model</code></td><td style="text-align:left;"><code>string</code> | <code>undefined</code></td><td style="text-align:left;">Name of its model; undefined for the model of the caller.</td></tr><tr><td style="text-align:left;"><a id="property-name"></a> <code>name</code></td><td style="text-align:left;"><code>string</code></td><td style="text-align:left;">Name that the model calls it by.</td></tr><tr><td style="text-align:left;"><a id="property-path"></a> <code>path</code></td><td style="text-align:left;"><code>string</code></td><td style="text-align:left;">Absolute path of the file.</td></tr><tr><td style="text-align:left;"><a id="property-prompt"></a> <code>prompt</code></td><td style="text-align:left;"><code>string</code></td><td style="text-align:left;">Its system prompt.</td></tr><tr><td style="text-align:left;"><a id="property-tools"></a> <code>tools</code></td><td style="text-align:left;">readonly <code>string</code>[] | <code>undefined</code></td><td style="text-align:left;">Names of its tools; undefined for all.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("reference/@runahead/harness/interfaces/DefinedAgent.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const DefinedAgent = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  DefinedAgent as default
};
