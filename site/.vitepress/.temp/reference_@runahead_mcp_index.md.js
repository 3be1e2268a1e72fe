import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"@runahead/mcp","description":"","frontmatter":{},"headers":[],"relativePath":"reference/@runahead/mcp/index.md","filePath":"reference/@runahead/mcp/index.md"}');
const _sfc_main = { name: "reference/@runahead/mcp/index.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="runaheadmcp" tabindex="-1">@runahead/mcp <a class="header-anchor" href="#runaheadmcp" aria-label="Permalink to &quot;@runahead/mcp&quot;">​</a></h1><p>MCP servers: connections, their tools as Runahead tools, and approvals bound to definitions.</p><h2 id="functions" tabindex="-1">Functions <a class="header-anchor" href="#functions" aria-label="Permalink to &quot;Functions&quot;">​</a></h2><ul><li><a href="./functions/connectMcp.html">connectMcp</a></li><li><a href="./functions/memoryApprovals.html">memoryApprovals</a></li></ul><h2 id="interfaces" tabindex="-1">Interfaces <a class="header-anchor" href="#interfaces" aria-label="Permalink to &quot;Interfaces&quot;">​</a></h2><ul><li><a href="./interfaces/FoundMcpServer.html">FoundMcpServer</a></li><li><a href="./interfaces/McpApprovals.html">McpApprovals</a></li><li><a href="./interfaces/McpAskBack.html">McpAskBack</a></li><li><a href="./interfaces/McpConnections.html">McpConnections</a></li><li><a href="./interfaces/McpLimits.html">McpLimits</a></li><li><a href="./interfaces/McpOptions.html">McpOptions</a></li><li><a href="./interfaces/McpServerStatus.html">McpServerStatus</a></li></ul><h2 id="references" tabindex="-1">References <a class="header-anchor" href="#references" aria-label="Permalink to &quot;References&quot;">​</a></h2><h3 id="mcpserver" tabindex="-1">McpServer <a class="header-anchor" href="#mcpserver" aria-label="Permalink to &quot;McpServer&quot;">​</a></h3><p>Re-exports <a href="./../harness/type-aliases/McpServer.html">McpServer</a></p><hr><h3 id="validatejsonschema" tabindex="-1">validateJsonSchema <a class="header-anchor" href="#validatejsonschema" aria-label="Permalink to &quot;validateJsonSchema&quot;">​</a></h3><p>Re-exports <a href="./../harness/variables/validateJsonSchema.html">validateJsonSchema</a></p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("reference/@runahead/mcp/index.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const index = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  index as default
};
