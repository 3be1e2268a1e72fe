import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse(`{"title":"0023 Editors with the protocol's own SDK","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/0023-acp.md","filePath":"decisions/0023-acp.md"}`);
const _sfc_main = { name: "decisions/0023-acp.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0023-editors-with-the-protocol-s-own-sdk" tabindex="-1">0023 Editors with the protocol&#39;s own SDK <a class="header-anchor" href="#_0023-editors-with-the-protocol-s-own-sdk" aria-label="Permalink to &quot;0023 Editors with the protocol&#39;s own SDK&quot;">​</a></h1><p><strong>@agentclientprotocol/sdk 2.4.0</strong> (Apache-2.0, by those who make the protocol) for <code>runahead acp</code>: its schemas check what comes in, and the tests talk to the program with its client. It is imported with the command and not before. Version 1 of the protocol, its stable part alone.</p><p>Ours are:</p><ul><li><strong>The order of messages.</strong> The SDK hands a message to its handlers over several ticks, more for those that were registered later, so that a cancel can overtake the prompt before it, or hit the one behind it. Messages are let in one at a time, each when the one before has reached its handler (<code>packages/cli/src/acp/acp.ts</code>).</li><li><strong>The way out.</strong> Updates go through a queue for each session that joins text and replaces live output while the client does not read (<code>packages/cli/src/acp/outbox.ts</code>). The answer to a prompt is sent when the queue is empty, so a client never hears of a turn after its end.</li><li><strong>Standard output.</strong> <code>process.stdout.write</code> leads to standard error while the protocol has it: a stray line of a dependency would break the connection.</li></ul><p><strong>Each place of a change is a diff of its own</strong>, with three lines around it, from what Edit and Write give back: they keep no whole texts, and a client that shows a diff needs no more. What would be done is shown before, from the input.</p><p><strong>No without words ends the turn</strong>, as at the terminal: the person can then say what they want.</p><p><strong>The client&#39;s file methods and terminals are left out.</strong> Permissions, claims, the check that a file is as it was read, and the sandbox are about the disk; a second way to files would need all of them again.</p><p><strong>A command is its own title.</strong> The words that a model puts beside a command may say less than it does (D18).</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("decisions/0023-acp.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0023Acp = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0023Acp as default
};
