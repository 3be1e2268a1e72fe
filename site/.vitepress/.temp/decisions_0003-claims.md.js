import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0003 Claims as queues with intentions","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/0003-claims.md","filePath":"decisions/0003-claims.md"}');
const _sfc_main = { name: "decisions/0003-claims.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0003-claims-as-queues-with-intentions" tabindex="-1">0003 Claims as queues with intentions <a class="header-anchor" href="#_0003-claims-as-queues-with-intentions" aria-label="Permalink to &quot;0003 Claims as queues with intentions&quot;">​</a></h1><p>Two calls conflict when one writes what the other reads or writes, and places form a tree. Comparing a new call with every unfinished one is quadratic. Instead each node of the tree has a queue per mode, as in a database&#39;s lock manager: a claim on <code>fs:/a/b</code> is an intention at the root, at <code>fs:</code> and at <code>fs:/a</code>, and the claim itself at the last.</p><p>Calls stand in the queues in the model&#39;s order. A call is free when nobody stands before it with an incompatible request at any of its nodes: an earlier call, or any call that runs. A call that is not free waits at one gate, the first node where somebody is in its way. When somebody leaves that node, only the earliest call at the gate is looked at, and only when there is a place for it to run.</p><p>An earlier version kept a flag per request that said whether it was granted, and took the flag back when an earlier call changed its claims. That was linear as long as claims stayed, and quadratic when a hook or a rule changed the input of every call. With gates nothing has to be taken back: whether a call is free is determined when it could start. 100,000 calls cost as much per call as 1,000 (<code>npm run bench</code>).</p><p>A call that waits does not block later ones that it does not conflict with, and no call overtakes one that it does.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("decisions/0003-claims.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0003Claims = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0003Claims as default
};
