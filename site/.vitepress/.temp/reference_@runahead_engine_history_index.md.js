import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"@runahead/engine/history","description":"","frontmatter":{},"headers":[],"relativePath":"reference/@runahead/engine/history/index.md","filePath":"reference/@runahead/engine/history/index.md"}');
const _sfc_main = { name: "reference/@runahead/engine/history/index.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="runaheadenginehistory" tabindex="-1">@runahead/engine/history <a class="header-anchor" href="#runaheadenginehistory" aria-label="Permalink to &quot;@runahead/engine/history&quot;">​</a></h1><p>The one place that knows which histories the Messages API accepts.</p><h2 id="functions" tabindex="-1">Functions <a class="header-anchor" href="#functions" aria-label="Permalink to &quot;Functions&quot;">​</a></h2><ul><li><a href="./functions/checkHistory.html">checkHistory</a></li><li><a href="./functions/repairHistory.html">repairHistory</a></li></ul><h2 id="interfaces" tabindex="-1">Interfaces <a class="header-anchor" href="#interfaces" aria-label="Permalink to &quot;Interfaces&quot;">​</a></h2><ul><li><a href="./interfaces/HistoryMessage.html">HistoryMessage</a></li><li><a href="./interfaces/HistoryProblem.html">HistoryProblem</a></li><li><a href="./interfaces/RepairedHistory.html">RepairedHistory</a></li></ul><h2 id="type-aliases" tabindex="-1">Type Aliases <a class="header-anchor" href="#type-aliases" aria-label="Permalink to &quot;Type Aliases&quot;">​</a></h2><ul><li><a href="./type-aliases/HistoryBlock.html">HistoryBlock</a></li><li><a href="./type-aliases/HistoryProblemKind.html">HistoryProblemKind</a></li></ul></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("reference/@runahead/engine/history/index.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const index = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  index as default
};
