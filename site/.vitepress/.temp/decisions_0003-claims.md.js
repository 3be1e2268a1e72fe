import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0003 Claims as queues with intentions","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/0003-claims.md","filePath":"decisions/0003-claims.md"}');
const _sfc_main = { name: "decisions/0003-claims.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0003-claims-as-queues-with-intentions" tabindex="-1">0003 Claims as queues with intentions <a class="header-anchor" href="#0003-claims-as-queues-with-intentions" aria-label="Permalink to &quot;0003 Claims as queues with intentions&quot;">​</a></h1><p>Two calls conflict if one writes what the other reads or writes, and places form a tree. Comparing a new call with every unfinished one is quadratic. Instead, each node of the tree has a queue per mode, as in the lock manager of a database: a claim on <code>fs:/a/b</code> is an intention at the root, at <code>fs:</code> and at <code>fs:/a</code>, and the claim itself at the last node.</p><p>Calls are in the queues in the model&#39;s order. A call is free to start if no incompatible request is before it at any of its nodes, neither of an earlier call nor of a running one. A call that is not free waits at one gate: the first node where it is blocked. When a request leaves that node, only the earliest call at the gate is checked, and only if it could run.</p><p>An earlier version kept a flag per request for whether it was granted, and revoked it when an earlier call changed its claims. That was linear while claims did not change, and quadratic when a hook or a rule changed the input of every call. With gates, nothing has to be revoked: whether a call is free is determined when it could start. 100,000 calls cost as much per call as 1,000 (<code>npm run bench</code>).</p><p>A waiting call does not block later calls that it does not conflict with, and no call overtakes one that it conflicts with.</p></div>`);
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
