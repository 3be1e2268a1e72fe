import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0013 Commands and options with commander","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/0013-command-line.md","filePath":"decisions/0013-command-line.md"}');
const _sfc_main = { name: "decisions/0013-command-line.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0013-commands-and-options-with-commander" tabindex="-1">0013 Commands and options with commander <a class="header-anchor" href="#0013-commands-and-options-with-commander" aria-label="Permalink to &quot;0013 Commands and options with commander&quot;">​</a></h1><p>The program has commands, options with values and help for each, and must suggest the nearest name for a mistyped one. Node&#39;s <code>util.parseArgs</code> only parses. commander 14 is the last version for Node 20, has no dependencies and loads in about 9 ms. The code of each command is loaded when it is used.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("decisions/0013-command-line.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0013CommandLine = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0013CommandLine as default
};
