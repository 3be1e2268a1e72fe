import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0004 Input that changes after arrival","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/0004-changed-input.md","filePath":"decisions/0004-changed-input.md"}');
const _sfc_main = { name: "decisions/0004-changed-input.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0004-input-that-changes-after-arrival" tabindex="-1">0004 Input that changes after arrival <a class="header-anchor" href="#0004-input-that-changes-after-arrival" aria-label="Permalink to &quot;0004 Input that changes after arrival&quot;">​</a></h1><p>A PreToolUse hook, <code>canUseTool</code> or the user can change the input of a call, and with it what the call touches. Its claims are then entered again <strong>at its place in the order</strong>: later calls that conflict with the new claims and have not started wait for it. A later call that has already started finishes first, so the two never overlap.</p><p>These two calls then run in the opposite order. The alternative is to hold back every later call until an earlier one has its final input. A slow hook, or a user who has not answered, would then delay calls that have nothing to do with it (promise 7). If you change inputs so that they touch other places and need the strict order, set <code>limit: 1</code>.</p><p>A call whose schema validates asynchronously claims everything until validation has finished, because nothing is known about it before.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("decisions/0004-changed-input.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0004ChangedInput = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0004ChangedInput as default
};
