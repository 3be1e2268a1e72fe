import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0006 When a block is complete","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/0006-cut-blocks.md","filePath":"decisions/0006-cut-blocks.md"}');
const _sfc_main = { name: "decisions/0006-cut-blocks.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0006-when-a-block-is-complete" tabindex="-1">0006 When a block is complete <a class="header-anchor" href="#0006-when-a-block-is-complete" aria-label="Permalink to &quot;0006 When a block is complete&quot;">​</a></h1><p>The Messages API also sends <code>content_block_stop</code> for a block that was cut by <code>max_tokens</code>. A block whose text parses completely is complete, whatever follows. A block that is empty or does not parse is undecided until the next block begins or the stop reason is known. After <code>max_tokens</code> it is dropped. Otherwise an empty block means <code>{}</code>, and for one that does not parse the model gets an error result.</p><p>Calls are taken in the order of their blocks. A call that is complete before an earlier one waits for it, because the scheduler must know all earlier claims.</p><p><code>max_tokens</code> counts as a normal end: the model did ask for the calls before the cut.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("decisions/0006-cut-blocks.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0006CutBlocks = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0006CutBlocks as default
};
