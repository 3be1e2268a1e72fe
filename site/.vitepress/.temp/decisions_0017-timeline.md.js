import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0017 The timeline","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/0017-timeline.md","filePath":"decisions/0017-timeline.md"}');
const _sfc_main = { name: "decisions/0017-timeline.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0017-the-timeline" tabindex="-1">0017 The timeline <a class="header-anchor" href="#0017-the-timeline" aria-label="Permalink to &quot;0017 The timeline&quot;">​</a></h1><p><strong>Recorded live, not read from the journal.</strong> The entries of the journal have no times and do not need them. <code>TimelineRecorder</code> receives the events that the REPL and <code>-p</code> receive, and notes their times on the monotonic clock. The timings of a turn say when it was requested. 100,000 calls take about 40 MB; more are counted but not kept. New entries are written next to the journal when a turn ends, so every session has a timeline, and a crash loses one turn of it.</p><p><strong>The beginning of inputs and outputs</strong>, 2,000 characters each, because a bar without what ran explains nothing. They are in the file and in the page, both readable by their owner only; <code>--no-content</code> leaves them out. Prompts and messages are in neither.</p><p><strong>Saved time is a comparison, not a sum of overlaps</strong>: the same calls, started when the response has ended, each as long as it ran, each after the call that it waited for, with questions as long as they took. Which call it waited for is inferred: the last one that ended before it started, while it was ready. Calls that run in parallel would also have done so after the response, so this does not count as saved. Time saved by sub-agents is not added to that of their caller.</p><p><strong>The page contains only the visible rows</strong>, as plain elements and not as a canvas or one large SVG. So screen readers, search, printing and styles work, and 20,000 calls cost as much as 30. Only the strip at the top is a canvas. With more than 60 rows, the time axis follows the visible rows, because a call of one second is only a dot in an hour.</p><p><strong>Its script is plain JavaScript in files</strong> (<code>packages/agent/src/timeline/page/</code>), read when a page is made, from the sources and from a build, and joined into one script. Functions converted to text would not work, because compilers add helper names that the page does not have. The page&#39;s content security policy allows only its script and style, by their hashes.</p><p><strong>playwright-core 1.65.0</strong> drives Debian&#39;s Chromium in tests, so no browser is downloaded.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("decisions/0017-timeline.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0017Timeline = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0017Timeline as default
};
