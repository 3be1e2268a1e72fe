import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0012 Search and diff","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/0012-search-and-diff.md","filePath":"decisions/0012-search-and-diff.md"}');
const _sfc_main = { name: "decisions/0012-search-and-diff.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0012-search-and-diff" tabindex="-1">0012 Search and diff <a class="header-anchor" href="#0012-search-and-diff" aria-label="Permalink to &quot;0012 Search and diff&quot;">​</a></h1><ul><li><strong>Search: <code>@vscode/ripgrep</code> 1.18.0</strong> (MIT). ripgrep 15 as a package for each platform, without an install script.</li><li><strong>Diff: <code>diff</code> 9.0.0</strong> (BSD-3-Clause, no dependencies), with a limit of 250 ms, after which the result has no diff.</li><li><strong>Schemas: <code>zod</code></strong> is a dependency of the tools: it validates their inputs and describes them to the model.</li></ul><p>ripgrep returns files in any order, because it searches with several threads; with <code>--sort path</code> it uses one. A result must be the same each time, so we keep the first lines in path order and count the rest. If there are more than 64 million characters of output, the search runs again with <code>--sort path</code> and ends at the last requested line. Files are sorted by path, like in git, and not by time, because times change with each edit.</p><p>A glob of ripgrep (<code>--glob</code>) includes files that <code>.gitignore</code> excludes. So the last name of a pattern is passed as a file type (<code>--type-add</code>), which does not, and a few lines of our own match the rest of the pattern.</p><p>Ignore files above the searched folder are read too, so a search claims them: an edit of <code>.gitignore</code> and a search below it do not run at the same time.</p><p>ripgrep starts no processes, so it gets no process group of its own: killing it is enough. On a system that schedules by session, listing 50,000 files took about 10 % longer in a new group.</p></div>`);
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
