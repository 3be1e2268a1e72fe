import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Concepts","description":"","frontmatter":{},"headers":[],"relativePath":"concepts/index.md","filePath":"concepts/index.md"}');
const _sfc_main = { name: "concepts/index.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="concepts" tabindex="-1">Concepts <a class="header-anchor" href="#concepts" aria-label="Permalink to &quot;Concepts&quot;">​</a></h1><p>How Runahead works, one topic per page:</p><ul><li><a href="./scheduling.html">Scheduling</a>: when a call starts, and why the result is the same as running calls one by one.</li><li><a href="./stopping.html">Stopping</a>: what stops calls, which calls it stops, and what the model reads then.</li><li><a href="./permissions.html">Permissions</a>: how a call gets its verdict, and why a denied call can never run.</li><li><a href="./recovery.html">Recovery</a>: when calls are recorded, and what happens after a crash.</li></ul><p><a href="./../about/glossary.html">The glossary</a> defines the terms. <a href="./../promises.html">Promises</a> says what is guaranteed and which test fails when a guarantee is broken.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("concepts/index.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const index = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  index as default
};
