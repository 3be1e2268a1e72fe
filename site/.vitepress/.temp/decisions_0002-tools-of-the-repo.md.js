import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0002 Build, check and test tools","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/0002-tools-of-the-repo.md","filePath":"decisions/0002-tools-of-the-repo.md"}');
const _sfc_main = { name: "decisions/0002-tools-of-the-repo.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0002-build-check-and-test-tools" tabindex="-1">0002 Build, check and test tools <a class="header-anchor" href="#0002-build-check-and-test-tools" aria-label="Permalink to &quot;0002 Build, check and test tools&quot;">​</a></h1><table tabindex="0"><thead><tr><th>need</th><th>choice</th><th>why</th></tr></thead><tbody><tr><td>language</td><td>TypeScript 7, <code>tsc -b</code>, ESM</td><td>types are part of the interface; the native compiler checks everything in a second</td></tr><tr><td>run without a build</td><td>tsx</td><td>the examples and the simulation run the sources; Node 20 cannot strip types</td></tr><tr><td>format</td><td>Biome</td><td>one formatter for TypeScript and JSON</td></tr><tr><td>lint</td><td>oxlint with tsgolint</td><td>finds floating promises by type</td></tr><tr><td>dead code</td><td>knip</td><td>unused files, exports and dependencies</td></tr><tr><td>tests</td><td>vitest, fast-check</td><td>runs the sources; properties shrink to small counterexamples</td></tr><tr><td>schemas in tests and examples</td><td>Zod 4</td><td>what most users have; the engine itself only knows Standard Schema</td></tr></tbody></table><p>vite and rolldown are pinned, because newer versions lack packages for some platforms. You need none of these to use the engine, which has no dependencies.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("decisions/0002-tools-of-the-repo.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0002ToolsOfTheRepo = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0002ToolsOfTheRepo as default
};
