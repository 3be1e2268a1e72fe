import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"McpServers","description":"","frontmatter":{},"headers":[],"relativePath":"reference/@runahead/harness/interfaces/McpServers.md","filePath":"reference/@runahead/harness/interfaces/McpServers.md"}');
const _sfc_main = { name: "reference/@runahead/harness/interfaces/McpServers.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="mcpservers" tabindex="-1">McpServers <a class="header-anchor" href="#mcpservers" aria-label="Permalink to &quot;McpServers&quot;">​</a></h1><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light github-dark vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">import</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;"> { </span><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">type</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;"> McpServers } </span><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">from</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> &quot;@runahead/harness&quot;</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;">;</span></span></code></pre></div><p>The MCP servers that were found.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th style="text-align:left;">Property</th><th style="text-align:left;">Type</th><th style="text-align:left;">Description</th></tr></thead><tbody><tr><td style="text-align:left;"><a id="property-problems"></a> <code>problems</code></td><td style="text-align:left;">readonly <code>Problem</code>[]</td><td style="text-align:left;">Entries that were left out, with the reason.</td></tr><tr><td style="text-align:left;"><a id="property-servers"></a> <code>servers</code></td><td style="text-align:left;">readonly <a href="./../../mcp/interfaces/FoundMcpServer.html"><code>FoundMcpServer</code></a>[]</td><td style="text-align:left;">The servers, in the order of the file.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("reference/@runahead/harness/interfaces/McpServers.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const McpServers = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  McpServers as default
};
