import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0010 A real grammar for shell commands","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/0010-shell-grammar.md","filePath":"decisions/0010-shell-grammar.md"}');
const _sfc_main = { name: "decisions/0010-shell-grammar.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0010-a-real-grammar-for-shell-commands" tabindex="-1">0010 A real grammar for shell commands <a class="header-anchor" href="#_0010-a-real-grammar-for-shell-commands" aria-label="Permalink to &quot;0010 A real grammar for shell commands&quot;">​</a></h1><p>Permissions read shell commands with <a href="https://www.npmjs.com/package/unbash" target="_blank" rel="noreferrer">unbash</a> 6.0.3 (ISC, no dependencies). It gives words without their quotes, the scripts inside substitutions, and errors instead of guesses. The alternatives were tree-sitter-bash, which misses some substitutions and gives raw text, sh-syntax, which takes milliseconds per command, and splitting by our own regular expressions, which is how other agents were fooled.</p><p>It is exact in its version, since it changes often, and it is not trusted: above 10,000 characters or 400 brackets (where its time grows with the square), on any error or exception, and on every kind of node that is not proved here, the command is asked about. Random texts whose verdict was <code>allow</code> were run by bash with nothing on its path, and no command but the allowed ones was tried.</p><p>Loading it takes 13 to 40 ms, so it is loaded by the first shell command that is judged. <code>decide</code> is synchronous and stays so: the grammar is loaded with <code>require</code>, which can load ES modules since Node 20.19, our oldest.</p><p>Paths in rules are matched by our own matcher (<code>packages/permissions/src/rules/gitignore.ts</code>): the anchors, and the difference between what a deny and an allow of <code>dir/**</code> mean, are not gitignore&#39;s, and what is left of it is small.</p><p>Words in which the grammar leaves brackets or bars unquoted are checked again (<code>isMisread</code>), since bash reads <code>3&lt;(…)</code> and <code>x=(…)y</code> differently; what is in doubt is asked about, and denies look inside. What a pattern such as <code>*</code> will match is not looked up, so a link that leads out of the workspace and that a pattern matches is read through by commands that only look. The fuzzing (<code>packages/permissions/test/shell-fuzz/</code>) leaves such links out of its world.</p></div>`);
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
