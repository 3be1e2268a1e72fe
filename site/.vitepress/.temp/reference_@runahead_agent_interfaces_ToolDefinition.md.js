import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"ToolDefinition","description":"","frontmatter":{},"headers":[],"relativePath":"reference/@runahead/agent/interfaces/ToolDefinition.md","filePath":"reference/@runahead/agent/interfaces/ToolDefinition.md"}');
const _sfc_main = { name: "reference/@runahead/agent/interfaces/ToolDefinition.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="tooldefinition" tabindex="-1">ToolDefinition <a class="header-anchor" href="#tooldefinition" aria-label="Permalink to &quot;ToolDefinition&quot;">​</a></h1><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light github-dark vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">import</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;"> { </span><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">type</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;"> ToolDefinition } </span><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">from</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> &quot;@runahead/agent&quot;</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;">;</span></span></code></pre></div><p>Describes a tool to a model, in the form of the Messages API.</p><h2 id="extended-by" tabindex="-1">Extended by <a class="header-anchor" href="#extended-by" aria-label="Permalink to &quot;Extended by&quot;">​</a></h2><ul><li><a href="./../../engine/interfaces/AnthropicTool.html"><code>AnthropicTool</code></a></li></ul><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th style="text-align:left;">Property</th><th style="text-align:left;">Type</th><th style="text-align:left;">Description</th></tr></thead><tbody><tr><td style="text-align:left;"><a id="property-description"></a> <code>description</code></td><td style="text-align:left;"><code>string</code></td><td style="text-align:left;">What the tool does and when to use it, for the model.</td></tr><tr><td style="text-align:left;"><a id="property-input_schema"></a> <code>input_schema</code></td><td style="text-align:left;"><code>Readonly</code>&lt;<code>Record</code>&lt;<code>string</code>, <code>unknown</code>&gt;&gt;</td><td style="text-align:left;">The JSON Schema of its input.</td></tr><tr><td style="text-align:left;"><a id="property-name"></a> <code>name</code></td><td style="text-align:left;"><code>string</code></td><td style="text-align:left;">The name that the model calls it by.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("reference/@runahead/agent/interfaces/ToolDefinition.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const ToolDefinition = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  ToolDefinition as default
};
