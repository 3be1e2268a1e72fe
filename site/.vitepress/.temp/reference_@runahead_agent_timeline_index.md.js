import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"@runahead/agent/timeline","description":"","frontmatter":{},"headers":[],"relativePath":"reference/@runahead/agent/timeline/index.md","filePath":"reference/@runahead/agent/timeline/index.md"}');
const _sfc_main = { name: "reference/@runahead/agent/timeline/index.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="runaheadagenttimeline" tabindex="-1">@runahead/agent/timeline <a class="header-anchor" href="#runaheadagenttimeline" aria-label="Permalink to &quot;@runahead/agent/timeline&quot;">​</a></h1><p>Timelines: recorded from events, stored next to a session, shown as text, as an HTML page or as a trace.</p><h2 id="functions" tabindex="-1">Functions <a class="header-anchor" href="#functions" aria-label="Permalink to &quot;Functions&quot;">​</a></h2><ul><li><a href="./functions/allSavings.html">allSavings</a></li><li><a href="./functions/count.html">count</a></li><li><a href="./functions/htmlTimeline.html">htmlTimeline</a></li><li><a href="./functions/oneLine.html">oneLine</a></li><li><a href="./functions/readTimeline.html">readTimeline</a></li><li><a href="./functions/summarise.html">summarise</a></li><li><a href="./functions/textTimeline.html">textTimeline</a></li><li><a href="./functions/timelinePath.html">timelinePath</a></li><li><a href="./functions/traceEvents.html">traceEvents</a></li><li><a href="./functions/writeTimeline.html">writeTimeline</a></li></ul><h2 id="classes" tabindex="-1">Classes <a class="header-anchor" href="#classes" aria-label="Permalink to &quot;Classes&quot;">​</a></h2><ul><li><a href="./classes/TimelineKeeper.html">TimelineKeeper</a></li><li><a href="./classes/TimelineRecorder.html">TimelineRecorder</a></li></ul><h2 id="interfaces" tabindex="-1">Interfaces <a class="header-anchor" href="#interfaces" aria-label="Permalink to &quot;Interfaces&quot;">​</a></h2><ul><li><a href="./interfaces/Summary.html">Summary</a></li><li><a href="./interfaces/Timeline.html">Timeline</a></li></ul><h2 id="type-aliases" tabindex="-1">Type Aliases <a class="header-anchor" href="#type-aliases" aria-label="Permalink to &quot;Type Aliases&quot;">​</a></h2><ul><li><a href="./type-aliases/Written.html">Written</a></li></ul></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("reference/@runahead/agent/timeline/index.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const index = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  index as default
};
