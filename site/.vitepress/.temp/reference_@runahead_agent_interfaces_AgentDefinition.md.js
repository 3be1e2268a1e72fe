import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"AgentDefinition","description":"","frontmatter":{},"headers":[],"relativePath":"reference/@runahead/agent/interfaces/AgentDefinition.md","filePath":"reference/@runahead/agent/interfaces/AgentDefinition.md"}');
const _sfc_main = { name: "reference/@runahead/agent/interfaces/AgentDefinition.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="agentdefinition" tabindex="-1">AgentDefinition <a class="header-anchor" href="#agentdefinition" aria-label="Permalink to &quot;AgentDefinition&quot;">​</a></h1><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light github-dark vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">import</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;"> { </span><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">type</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;"> AgentDefinition } </span><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">from</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> &quot;@runahead/agent&quot;</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;">;</span></span></code></pre></div><p>Describes one kind of sub-agent that a model can start.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-description"></a> <code>description</code></td><td><code>readonly</code></td><td><code>string</code></td><td>When to use it, for the model that starts it.</td></tr><tr><td><a id="property-maxturns"></a> <code>maxTurns?</code></td><td><code>readonly</code></td><td><code>number</code></td><td>The most turns that it takes. Default: 50.</td></tr><tr><td><a id="property-model"></a> <code>model?</code></td><td><code>readonly</code></td><td><a href="./Model.html"><code>Model</code></a></td><td>Its model. Default: its caller&#39;s.</td></tr><tr><td><a id="property-name"></a> <code>name</code></td><td><code>readonly</code></td><td><code>string</code></td><td>The name by which the model asks for it. Unique; <code>general-purpose</code> is taken.</td></tr><tr><td><a id="property-prompt"></a> <code>prompt</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Its system prompt.</td></tr><tr><td><a id="property-tools"></a> <code>tools?</code></td><td><code>readonly</code></td><td>readonly <code>string</code>[]</td><td>Names of the tools that it can use. Default: all tools of its caller.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("reference/@runahead/agent/interfaces/AgentDefinition.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const AgentDefinition = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  AgentDefinition as default
};
