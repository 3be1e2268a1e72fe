import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Migrating","description":"","frontmatter":{},"headers":[],"relativePath":"migrating/index.md","filePath":"migrating/index.md"}');
const _sfc_main = { name: "migrating/index.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="migrating" tabindex="-1">Migrating <a class="header-anchor" href="#migrating" aria-label="Permalink to &quot;Migrating&quot;">​</a></h1><p>Each page lists what stays and what changes, and shows a program before and after.</p><ul><li><a href="./ai-sdk.html">AI SDK</a>: tools and models stay as they are.</li><li><a href="./anthropic-sdk.html">Anthropic SDK</a>: the tools of the tool runner stay as they are.</li><li><a href="./openai-agents.html">OpenAI Agents SDK</a>: schemas and functions stay.</li><li><a href="./langchain.html">LangChain and LangGraph</a>: schemas and functions stay; you keep your graph.</li><li><a href="./mastra.html">Mastra</a>: schemas, functions and models stay.</li><li><a href="./claude-code.html">Claude Code</a>: settings, rules, hooks, MCP servers, agents and instructions are read as they are.</li></ul><p>You do not have to migrate a whole program. The engine alone works in any loop that has a stream and tools: see <a href="./../guide/streaming.html">a streaming response</a>.</p><p><strong>What you gain.</strong> <a href="./../about/results.html">The benchmark</a> runs the same work with each library on one machine. The numbers are times, divided by the shortest possible time that keeps the model&#39;s order of calls on the same path. A value below 1 means that the order was broken.</p><table tabindex="0"><thead><tr><th></th><th>a 2 s tool before 2 s more text</th><th>3 reads, 2 edits, 2 reads, a command</th><th>4 edits of one file and a read</th></tr></thead><tbody><tr><td>Runahead</td><td>1.00</td><td>1.00</td><td>1.01</td></tr><tr><td>AI SDK 7</td><td>1.85</td><td>0.81, order broken</td><td>0.44, 3 edits lost</td></tr><tr><td>Anthropic SDK, tool runner</td><td>1.85</td><td>0.81, order broken</td><td>0.44, 3 edits lost</td></tr><tr><td>OpenAI Agents</td><td>1.86</td><td>0.81, order broken</td><td>0.44, 3 edits lost</td></tr><tr><td>LangChain agents</td><td>1.86</td><td>0.81, order broken</td><td>0.45, 3 edits lost</td></tr><tr><td>Mastra</td><td>1.01</td><td>0.81, order broken</td><td>0.43, 3 edits lost</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("migrating/index.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const index = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  index as default
};
