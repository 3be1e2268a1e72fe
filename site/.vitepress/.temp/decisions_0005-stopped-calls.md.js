import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0005 How a stopped call is reported","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/0005-stopped-calls.md","filePath":"decisions/0005-stopped-calls.md"}');
const _sfc_main = { name: "decisions/0005-stopped-calls.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0005-how-a-stopped-call-is-reported" tabindex="-1">0005 How a stopped call is reported <a class="header-anchor" href="#0005-how-a-stopped-call-is-reported" aria-label="Permalink to &quot;0005 How a stopped call is reported&quot;">​</a></h1><p>A call that was asked to stop is reported as stopped, with its output so far, and as possibly having had effects. This holds even if it then returns normally: only the tool knows whether the returned value is complete. A tool that wants its partial output to be reported sends it as progress (<code>{type: &quot;output&quot;, content}</code>) or returns it.</p><p>After five seconds the call is abandoned: its claims are released, its late result is dropped, and the results of later calls that conflict with it say that it may still be running. When it does end, listeners get <code>call-ended-late</code>.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("decisions/0005-stopped-calls.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0005StoppedCalls = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0005StoppedCalls as default
};
