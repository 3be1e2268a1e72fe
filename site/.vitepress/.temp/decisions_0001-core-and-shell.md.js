import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0001 A deterministic core and a thin runtime","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/0001-core-and-shell.md","filePath":"decisions/0001-core-and-shell.md"}');
const _sfc_main = { name: "decisions/0001-core-and-shell.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0001-a-deterministic-core-and-a-thin-runtime" tabindex="-1">0001 A deterministic core and a thin runtime <a class="header-anchor" href="#0001-a-deterministic-core-and-a-thin-runtime" aria-label="Permalink to &quot;0001 A deterministic core and a thin runtime&quot;">​</a></h1><p>All decisions about calls are made in <code>step(turn, event) → effects</code>. The alternatives were an executor class with promises and flags, and a state machine library.</p><p>Most agents use the first. Its bugs (a call without a result, edits that race, a stop that leaves processes running) come from orders of events that nobody thought of, and it cannot be replayed. The second would add a dependency for what is one function and one union of states here.</p><p><code>step</code> changes its turn in place, because copying it would make the work per event grow with the number of calls. It is still deterministic: the same events produce the same effects. The simulation checks this by replaying every journal.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("decisions/0001-core-and-shell.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0001CoreAndShell = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0001CoreAndShell as default
};
