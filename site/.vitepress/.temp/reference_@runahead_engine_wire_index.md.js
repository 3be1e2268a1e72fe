import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"@runahead/engine/wire","description":"","frontmatter":{},"headers":[],"relativePath":"reference/@runahead/engine/wire/index.md","filePath":"reference/@runahead/engine/wire/index.md"}');
const _sfc_main = { name: "reference/@runahead/engine/wire/index.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="runaheadenginewire" tabindex="-1">@runahead/engine/wire <a class="header-anchor" href="#runaheadenginewire" aria-label="Permalink to &quot;@runahead/engine/wire&quot;">​</a></h1><p>What adapters to other wires and loops build on: definitions of tools, blocks of messages, whole calls.</p><h2 id="functions" tabindex="-1">Functions <a class="header-anchor" href="#functions" aria-label="Permalink to &quot;Functions&quot;">​</a></h2><ul><li><a href="./functions/isTooDeep.html">isTooDeep</a></li><li><a href="./functions/wellFormed.html">wellFormed</a></li></ul><h2 id="classes" tabindex="-1">Classes <a class="header-anchor" href="#classes" aria-label="Permalink to &quot;Classes&quot;">​</a></h2><ul><li><a href="./classes/BlockBuilder.html">BlockBuilder</a></li><li><a href="./classes/WholeCalls.html">WholeCalls</a></li></ul><h2 id="interfaces" tabindex="-1">Interfaces <a class="header-anchor" href="#interfaces" aria-label="Permalink to &quot;Interfaces&quot;">​</a></h2><ul><li><a href="./interfaces/WholeCall.html">WholeCall</a></li></ul><h2 id="references" tabindex="-1">References <a class="header-anchor" href="#references" aria-label="Permalink to &quot;References&quot;">​</a></h2><h3 id="block" tabindex="-1">Block <a class="header-anchor" href="#block" aria-label="Permalink to &quot;Block&quot;">​</a></h3><p>Re-exports <a href="./../../agent/type-aliases/Block.html">Block</a></p><hr><h3 id="tooldefinition" tabindex="-1">ToolDefinition <a class="header-anchor" href="#tooldefinition" aria-label="Permalink to &quot;ToolDefinition&quot;">​</a></h3><p>Re-exports <a href="./../../agent/interfaces/ToolDefinition.html">ToolDefinition</a></p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("reference/@runahead/engine/wire/index.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const index = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  index as default
};
