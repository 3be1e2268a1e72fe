import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0017 The picture of a turn","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/0017-timeline.md","filePath":"decisions/0017-timeline.md"}');
const _sfc_main = { name: "decisions/0017-timeline.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0017-the-picture-of-a-turn" tabindex="-1">0017 The picture of a turn <a class="header-anchor" href="#_0017-the-picture-of-a-turn" aria-label="Permalink to &quot;0017 The picture of a turn&quot;">​</a></h1><p><strong>Recorded while it happens, not read from the journal.</strong> The journal&#39;s entries have no times, and need none to go on from. <code>TimelineRecorder</code> hears what the REPL and <code>-p</code> hear, and notes when, on the monotonic clock. A turn&#39;s own timings tell when it was asked for. 100,000 calls take about 40 MB; more are counted, not kept. What has come since is written beside the journal when a turn ends, so that a picture can be had of any session, and a crash costs one turn of it.</p><p><strong>Of inputs and outputs a beginning</strong>, 2,000 characters of each, because a bar without what ran does not explain itself. They are in the kept file and in the page, both for their owner alone; <code>--no-content</code> leaves them out of what is to be shown to others. Prompts and messages are in neither.</p><p><strong>What was saved is a comparison, not a sum of overlaps.</strong> The same calls, started when the response has ended, each for as long as it ran, each behind the call that it waited for, questions as long as they took. Behind which call one waited is inferred: the last to end before it started, while it was ready. Where calls run at a time, they would have done so after the response, too; that is not counted as saved. What sub-agents save is not added to what their caller saves.</p><p><strong>The page is made of rows that are in sight</strong>, plain elements, not of a canvas or of one large SVG: they can be read by a screen reader, found, printed and styled, and 20,000 calls cost what 30 cost. Only the strip above is a canvas. From 60 rows on the time shown is that of the rows in sight, since a call of a second is a speck in an hour.</p><p><strong>Its script is files of plain JavaScript</strong> (<code>packages/agent/src/timeline/page/</code>), read when a page is made, from the sources and from a build alike, and joined into one script. Not functions made into text: what compiles them adds names that a page does not have. The page&#39;s policy names its script and its style by their hashes and forbids all else.</p><p><strong>playwright-core 1.65.0</strong> drives Debian&#39;s Chromium in tests; the packages that bring browsers of their own are not used.</p></div>`);
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
