import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0007 A start that waits for its record","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/0007-async-journal.md","filePath":"decisions/0007-async-journal.md"}');
const _sfc_main = { name: "decisions/0007-async-journal.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0007-a-start-that-waits-for-its-record" tabindex="-1">0007 A start that waits for its record <a class="header-anchor" href="#0007-a-start-that-waits-for-its-record" aria-label="Permalink to &quot;0007 A start that waits for its record&quot;">​</a></h1><p>A call is recorded twice before its tool runs. The event that lets it start moves it to <code>starting</code>. Just before its tool is called, <code>call-launched</code> is recorded and moves it to <code>running</code>. In between, a denial, a stop, changed rules or a changed context can still prevent it from running: it is judged again, or settled as not run.</p><p>A journal can return a promise. The tool of a call that writes is then called only after the record of its start is safe. After a crash, a call whose record says <code>starting</code> or <code>running</code> is reported with an unknown outcome, because more cannot be known.</p><p>A journal that fails does not stop the turn. Listeners get <code>journal-failed</code>, and the next record is <code>records-lost</code>, so that recovery does not report calls as never started if their records may be missing.</p></div>`);
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
