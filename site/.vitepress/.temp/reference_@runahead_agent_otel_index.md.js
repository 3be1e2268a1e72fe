import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"@runahead/agent/otel","description":"","frontmatter":{},"headers":[],"relativePath":"reference/@runahead/agent/otel/index.md","filePath":"reference/@runahead/agent/otel/index.md"}');
const _sfc_main = { name: "reference/@runahead/agent/otel/index.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="runaheadagentotel" tabindex="-1">@runahead/agent/otel <a class="header-anchor" href="#runaheadagentotel" aria-label="Permalink to &quot;@runahead/agent/otel&quot;">​</a></h1><p>Reports what an agent does as OpenTelemetry spans. Depends only on <code>@opentelemetry/api</code>: without an SDK nothing is recorded.</p><h2 id="functions" tabindex="-1">Functions <a class="header-anchor" href="#functions" aria-label="Permalink to &quot;Functions&quot;">​</a></h2><ul><li><a href="./functions/telemetry.html">telemetry</a></li></ul><h2 id="interfaces" tabindex="-1">Interfaces <a class="header-anchor" href="#interfaces" aria-label="Permalink to &quot;Interfaces&quot;">​</a></h2><ul><li><a href="./interfaces/Telemetry.html">Telemetry</a></li><li><a href="./interfaces/TelemetryOptions.html">TelemetryOptions</a></li></ul></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("reference/@runahead/agent/otel/index.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const index = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  index as default
};
