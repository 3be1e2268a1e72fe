import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse(`{"title":"0023 Editors with the protocol's own SDK","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/0023-acp.md","filePath":"decisions/0023-acp.md"}`);
const _sfc_main = { name: "decisions/0023-acp.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0023-editors-with-the-protocols-own-sdk" tabindex="-1">0023 Editors with the protocol&#39;s own SDK <a class="header-anchor" href="#0023-editors-with-the-protocols-own-sdk" aria-label="Permalink to &quot;0023 Editors with the protocol&#39;s own SDK&quot;">​</a></h1><p><strong>@agentclientprotocol/sdk 2.4.0</strong> (Apache-2.0, the official SDK) for <code>runahead acp</code>. Its schemas validate messages, and the tests talk to the program with its client. It is imported with the command. We implement the stable part of version 1 of the protocol.</p><p>Our own parts:</p><ul><li><strong>The order of messages.</strong> The SDK passes a message to its handlers over several ticks, more for handlers that were registered later, so a cancel could overtake the prompt before it, or hit the next one. We admit one message at a time, each when the previous one has reached its handler (<code>packages/cli/src/acp/acp.ts</code>).</li><li><strong>Sending.</strong> Updates go through a queue per session that joins text and replaces live output while the client does not read (<code>packages/cli/src/acp/outbox.ts</code>). The answer to a prompt is sent when the queue is empty, so a client never receives an update of a turn after its end.</li><li><strong>Standard output.</strong> <code>process.stdout.write</code> is redirected to standard error while the protocol uses standard output: a stray line of a dependency would break the connection.</li></ul><p><strong>Each part of a change is a separate diff</strong> with three lines of context, from the outputs of Edit and Write: they keep no whole files, and a client needs no more to show a diff. Before the call runs, the diff comes from its input.</p><p><strong>A &quot;no&quot; without a message ends the turn</strong>, as in the terminal: the user can then say what they want.</p><p><strong>The client&#39;s file methods and terminals are not used.</strong> Permissions, claims, the check for changed files and the sandbox work on the disk. A second way to access files would need all of them again.</p><p><strong>The title of a command is the command.</strong> A model&#39;s description of a command can say less than the command does (D18).</p></div>`);
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
