import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"EarlyTool","description":"","frontmatter":{},"headers":[],"relativePath":"reference/@runahead/adapters/ai-sdk/interfaces/EarlyTool.md","filePath":"reference/@runahead/adapters/ai-sdk/interfaces/EarlyTool.md"}');
const _sfc_main = { name: "reference/@runahead/adapters/ai-sdk/interfaces/EarlyTool.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="earlytool" tabindex="-1">EarlyTool <a class="header-anchor" href="#earlytool" aria-label="Permalink to &quot;EarlyTool&quot;">​</a></h1><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light github-dark vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">import</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;"> { </span><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">type</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;"> EarlyTool } </span><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">from</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> &quot;@runahead/adapters/ai-sdk&quot;</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;">;</span></span></code></pre></div><p>Describes a tool of AI SDK 6 and 7, as <code>tool()</code> returns it, with the members that <code>early</code> uses.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th style="text-align:left;">Property</th><th style="text-align:left;">Type</th><th style="text-align:left;">Description</th></tr></thead><tbody><tr><td style="text-align:left;"><a id="property-description"></a> <code>description?</code></td><td style="text-align:left;"><code>unknown</code></td><td style="text-align:left;">What the tool does; can be a function in AI SDK 7.</td></tr><tr><td style="text-align:left;"><a id="property-execute"></a> <code>execute?</code></td><td style="text-align:left;">(<code>input</code>, <code>options</code>) =&gt; <code>unknown</code></td><td style="text-align:left;">Does the work. A tool without it is returned unchanged.</td></tr><tr><td style="text-align:left;"><a id="property-inputschema"></a> <code>inputSchema</code></td><td style="text-align:left;"><code>unknown</code></td><td style="text-align:left;">The schema of the input. The SDK validates with it.</td></tr><tr><td style="text-align:left;"><a id="property-needsapproval"></a> <code>needsApproval?</code></td><td style="text-align:left;"><code>unknown</code></td><td style="text-align:left;">Whether the SDK asks for approval. Such a call runs when the SDK runs it, not earlier.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("reference/@runahead/adapters/ai-sdk/interfaces/EarlyTool.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const EarlyTool = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  EarlyTool as default
};
