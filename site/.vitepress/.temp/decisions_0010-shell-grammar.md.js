import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0010 A real grammar for shell commands","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/0010-shell-grammar.md","filePath":"decisions/0010-shell-grammar.md"}');
const _sfc_main = { name: "decisions/0010-shell-grammar.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0010-a-real-grammar-for-shell-commands" tabindex="-1">0010 A real grammar for shell commands <a class="header-anchor" href="#0010-a-real-grammar-for-shell-commands" aria-label="Permalink to &quot;0010 A real grammar for shell commands&quot;">​</a></h1><p>Permissions parse shell commands with <a href="https://www.npmjs.com/package/unbash" target="_blank" rel="noreferrer">unbash</a> 6.0.3 (ISC, no dependencies). It returns words without their quotes, the scripts inside substitutions, and errors instead of guesses. The alternatives were tree-sitter-bash, which misses some substitutions and returns raw text; sh-syntax, which takes milliseconds per command; and our own regular expressions, which is how other agents were tricked.</p><p>Its version is pinned, because it changes often, and its result is not trusted blindly. A command is asked about if it has more than 10,000 characters or 400 brackets (parsing time grows with the square), on any error or exception, and on every kind of node that we have not checked. Tests run random allowed commands in bash with an empty PATH, and check that bash tries to run only the programs that were judged.</p><p>Loading it takes 13 to 40 ms, so it is loaded with the first shell command that is judged. <code>decide</code> is synchronous and stays so: the grammar is loaded with <code>require</code>, which can load ES modules since Node 20.19, our oldest version.</p><p>Our own matcher (<code>packages/permissions/src/rules/gitignore.ts</code>) matches the paths in rules. The anchors, and the different meaning of <code>dir/**</code> in a deny and in an allow, are not those of gitignore, and the rest is small.</p><p>Words in which the grammar leaves brackets or bars unquoted are checked again (<code>isMisread</code>), because bash reads <code>3&lt;(…)</code> and <code>x=(…)y</code> differently. In case of doubt the command is asked about, and deny rules look inside. File name patterns such as <code>*</code> are expanded against the disk, and every match is judged.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("decisions/0010-shell-grammar.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0010ShellGrammar = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0010ShellGrammar as default
};
