import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0012 Search and diff","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/0012-search-and-diff.md","filePath":"decisions/0012-search-and-diff.md"}');
const _sfc_main = { name: "decisions/0012-search-and-diff.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0012-search-and-diff" tabindex="-1">0012 Search and diff <a class="header-anchor" href="#_0012-search-and-diff" aria-label="Permalink to &quot;0012 Search and diff&quot;">​</a></h1><ul><li><strong>Search: <code>@vscode/ripgrep</code> 1.18.0</strong> (MIT). ripgrep 15 as a package for each platform, without an install script.</li><li><strong>Diff: <code>diff</code> 9.0.0</strong> (BSD-3-Clause, no dependency), with a limit of 250 ms, after which the result carries none.</li><li><strong>Schemas: <code>zod</code></strong> becomes a dependency of the agent: the tools&#39; inputs are validated by it and told to the model.</li></ul><p>ripgrep gives files in any order, for it searches with several threads; with <code>--sort path</code> it uses one. A result must be the same each time, so the first lines in the order of paths are kept while the others are counted. Where there is more than 64 million characters of output, the search is made again with <code>--sort path</code> and ends at the last line that was asked for. Order is that of the letters of a path, as git has it, and not that of times: a time changes with each edit.</p><p>A glob of ripgrep&#39;s (<code>--glob</code>) brings back what <code>.gitignore</code> leaves out. So the last name of a pattern is given as a type of file (<code>--type-add</code>), which does not, and the rest of the pattern is matched by our own few lines.</p><p>Files that say what is ignored are read above the tree too, so a search claims those: an edit of <code>.gitignore</code> and a search below it do not run side by side.</p><p>ripgrep starts no process of its own, so it gets no process group either: to kill it is enough, and on a system that schedules by session a listing of 50,000 files took about a tenth longer in a new one.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("decisions/0012-search-and-diff.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0012SearchAndDiff = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0012SearchAndDiff as default
};
