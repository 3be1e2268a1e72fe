import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0014 MCP with the official client","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/0014-mcp.md","filePath":"decisions/0014-mcp.md"}');
const _sfc_main = { name: "decisions/0014-mcp.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0014-mcp-with-the-official-client" tabindex="-1">0014 MCP with the official client <a class="header-anchor" href="#0014-mcp-with-the-official-client" aria-label="Permalink to &quot;0014 MCP with the official client&quot;">​</a></h1><p><code>@modelcontextprotocol/client</code> 2.4.0 supports the protocol of 2026-07-28 and earlier versions, over HTTP and the older SSE transport, and passes the conformance suite. Its rules on versions, headers, resumed streams and multi-round input are more than we want to write again. It takes 8.7 MB with its core, so it is imported with the first server.</p><p>Four parts are our own, because those of the client do not keep our promises:</p><ul><li><strong>The stdio transport.</strong> The client&#39;s transport has no process group, waits for two seconds at each step of ending a process, and reports every stray line as an error. Ours ends everything that a server started, reports stray output once, and limits the length of a line.</li><li><strong>HTTP.</strong> The size of an answer is limited, a stream that ends without an answer fails its request (the client would wait for the time limit), and a cancelled request closes its stream.</li><li><strong>Time limits.</strong> The client checks its total limit only when progress arrives. We use a timer for silence per call, and the engine&#39;s limit on the total.</li><li><strong>Schemas.</strong> The client rejects an answer or a list of tools if it does not know the form of one block or tool. We replace its schemas with permissive ones; parts that cannot be used are named or left out with a note.</li></ul><p>A process is first asked with the new method (<code>server/discover</code>). If it exits or does not answer within ten seconds, the older handshake is used, with a new process if necessary.</p><p>Input is validated with Ajv 8.20.0 (<code>ajv/dist/2020.js</code>, and <code>ajv</code> for schemas up to draft 07), loaded with the first schema, without strict mode, formats or remote references. A schema with an external reference validates nothing; the server still does. An invalid schema is not offered, because the Messages API would reject the request; it goes into the description instead.</p><p>An approval is bound to a fingerprint of the server&#39;s configuration, including the values of variables and headers, and of the tool. So a changed token asks again. Without the values, a changed variable could turn a server into another.</p><p>For tests: <code>@modelcontextprotocol/server-everything</code> and <code>server-filesystem</code> 2026.8.31, and <code>@modelcontextprotocol/conformance</code> 0.1.13, the last version that runs on Node 20. The current suite (0.2.0-alpha.12) needs Node 24; <code>packages/mcp/test/conformance/run.ts</code> downloads and runs it.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("decisions/0014-mcp.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0014Mcp = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0014Mcp as default
};
