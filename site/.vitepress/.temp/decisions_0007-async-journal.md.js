import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0007 A start that waits for its record","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/0007-async-journal.md","filePath":"decisions/0007-async-journal.md"}');
const _sfc_main = { name: "decisions/0007-async-journal.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0007-a-start-that-waits-for-its-record" tabindex="-1">0007 A start that waits for its record <a class="header-anchor" href="#_0007-a-start-that-waits-for-its-record" aria-label="Permalink to &quot;0007 A start that waits for its record&quot;">​</a></h1><p>A call is recorded twice on its way into its tool. The event that lets it start moves it to <code>starting</code>. Just before its tool is entered, <code>call-launched</code> is recorded and moves it to <code>running</code>. In between, a refusal, a stop, changed rules or a changed context still keep it from running: it is judged again, or settled as not run.</p><p>A journal can return a promise. A call that writes is then entered only after the record of the event that starts it is safe. A crash after that leaves a record that says <code>starting</code> or <code>running</code>: both are reported as of unknown outcome, which is true as far as anybody can know.</p><p>A journal that fails does not stop the turn. The listener hears <code>journal-failed</code>, and the next record is <code>records-lost</code>, so that recovery does not report calls as never started whose records may be missing.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("decisions/0007-async-journal.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0007AsyncJournal = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0007AsyncJournal as default
};
