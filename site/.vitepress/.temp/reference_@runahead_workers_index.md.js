import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"@runahead/workers","description":"","frontmatter":{},"headers":[],"relativePath":"reference/@runahead/workers/index.md","filePath":"reference/@runahead/workers/index.md"}');
const _sfc_main = { name: "reference/@runahead/workers/index.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="runaheadworkers" tabindex="-1">@runahead/workers <a class="header-anchor" href="#runaheadworkers" aria-label="Permalink to &quot;@runahead/workers&quot;">​</a></h1><p>Runs Runahead&#39;s tools on other machines, with BullMQ and Redis.</p><h2 id="functions" tabindex="-1">Functions <a class="header-anchor" href="#functions" aria-label="Permalink to &quot;Functions&quot;">​</a></h2><ul><li><a href="./functions/drainWorker.html">drainWorker</a></li><li><a href="./functions/fleet.html">fleet</a></li><li><a href="./functions/remote.html">remote</a></li><li><a href="./functions/startWorker.html">startWorker</a></li></ul><h2 id="classes" tabindex="-1">Classes <a class="header-anchor" href="#classes" aria-label="Permalink to &quot;Classes&quot;">​</a></h2><ul><li><a href="./classes/NotRunError.html">NotRunError</a></li><li><a href="./classes/OutcomeUnknownError.html">OutcomeUnknownError</a></li><li><a href="./classes/RemoteError.html">RemoteError</a></li></ul><h2 id="interfaces" tabindex="-1">Interfaces <a class="header-anchor" href="#interfaces" aria-label="Permalink to &quot;Interfaces&quot;">​</a></h2><ul><li><a href="./interfaces/Fleet.html">Fleet</a></li><li><a href="./interfaces/FleetOptions.html">FleetOptions</a></li><li><a href="./interfaces/RemoteOptions.html">RemoteOptions</a></li><li><a href="./interfaces/RemoteTools.html">RemoteTools</a></li><li><a href="./interfaces/RunningWorker.html">RunningWorker</a></li><li><a href="./interfaces/WorkerOptions.html">WorkerOptions</a></li><li><a href="./interfaces/WorkspaceOptions.html">WorkspaceOptions</a></li></ul><h2 id="type-aliases" tabindex="-1">Type Aliases <a class="header-anchor" href="#type-aliases" aria-label="Permalink to &quot;Type Aliases&quot;">​</a></h2><ul><li><a href="./type-aliases/Connection.html">Connection</a></li><li><a href="./type-aliases/WorkerRecord.html">WorkerRecord</a></li></ul></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("reference/@runahead/workers/index.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const index = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  index as default
};
