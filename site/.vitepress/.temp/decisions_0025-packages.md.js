import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0025 What is published, and how it is checked","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/0025-packages.md","filePath":"decisions/0025-packages.md"}');
const _sfc_main = { name: "decisions/0025-packages.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0025-what-is-published-and-how-it-is-checked" tabindex="-1">0025 What is published, and how it is checked <a class="header-anchor" href="#_0025-what-is-published-and-how-it-is-checked" aria-label="Permalink to &quot;0025 What is published, and how it is checked&quot;">​</a></h1><p><strong>From a clean build.</strong> <code>npm run pack:check</code> copies the packages into a folder of their own, builds and packs them there. What an earlier build has left in <code>dist/</code> cannot get into a tarball, and nobody&#39;s build is in the way. The program comes with <a href="./0019-bundle.html">its bundle</a>, which is most of its 1 MB.</p><p><strong>No maps.</strong> They would lead to sources that are not in the tarball; the sources would double its size. What is compiled has the lines and names of the sources.</p><table tabindex="0"><thead><tr><th>what</th><th>checked by</th></tr></thead><tbody><tr><td>exports, files, types first</td><td>publint 0.3.25, strictly</td></tr><tr><td>types as an importer finds them</td><td>@arethetypeswrong/cli 0.18.5, <code>esm-only</code>: there is no CommonJS, since Node 20.19 can <code>require</code> a module</td></tr><tr><td>size and number of files, no tests, no maps</td><td>limits in <code>scripts/pack-check.mjs</code></td></tr><tr><td>what bundlers leave out</td><td>esbuild 0.28.2: one export against everything, by stated factors</td></tr><tr><td>that it works</td><td>an empty project with the tarballs: the quick starts, the program by itself and through <code>npx</code>, with a recording; on Node 22 and 24 too with <code>--nodes 22,24</code></td></tr></tbody></table><p><strong>The engine&#39;s size.</strong> Minified it is 57 KB with everything that it exports: the executor, all wire adapters, the batch form and recovery; it has no dependency. The checker and the repairer of histories are an entry of their own, <code>@runahead/engine/history</code>, 9 KB more, for programs that keep a history.</p><p><strong>One version for all packages</strong>, by Changesets 2.31.1: they are released together, and what fits what need not be asked. Changesets writes versions and change logs; what is published are the tarballs that <code>npm run pack:check -- --out FOLDER</code> has kept, since these are the ones that were looked at.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("decisions/0025-packages.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0025Packages = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0025Packages as default
};
