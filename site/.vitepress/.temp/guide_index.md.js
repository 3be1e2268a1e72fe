import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Guide","description":"","frontmatter":{},"headers":[],"relativePath":"guide/index.md","filePath":"guide/index.md"}');
const _sfc_main = { name: "guide/index.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="guide" tabindex="-1">Guide <a class="header-anchor" href="#guide" aria-label="Permalink to &quot;Guide&quot;">​</a></h1><p>From your first tool to a fleet of agents. Each page is short and has a program that runs as printed, without an API key or network.</p><ol><li><a href="./first-tool.html">The first tool</a>: a function that a model can call.</li><li><a href="./streaming.html">A streaming response</a>: calls run while the model is still writing.</li><li><a href="./permissions.html">Permissions</a>: decide which calls run, and when the user is asked.</li><li><a href="./sessions.html">Sessions and recovery</a>: a conversation that survives a crash.</li><li><a href="./sub-agents-and-mcp.html">Sub-agents and MCP</a>: agents that work for an agent, and tools from MCP servers.</li><li><a href="./terminal.html">The terminal program</a>: <code>runahead</code>, interactive and in scripts.</li><li><a href="./fleet.html">A fleet</a>: many agents, and tools on other machines.</li></ol><p><a href="./../concepts/">Concepts</a> explains how it works. If you come from another library, see <a href="./../migrating/">Migrating</a>.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("guide/index.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const index = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  index as default
};
