/**
 * The page of the chat. It uses the class that `useChat` of `@ai-sdk/react` is built on, so that it needs no framework: a
 * React component has `messages`, `sendMessage` and `addToolApprovalResponse` from `useChat`, and draws the same parts.
 */

import { AbstractChat, DefaultChatTransport } from "ai";

const place = document.querySelector("#chat");
const form = document.querySelector("form");

class State {
  #status = "ready";
  error = undefined;
  #messages = [];

  get status() {
    return this.#status;
  }

  /** A prompt is sent when the answer to the one before has ended. */
  set status(status) {
    this.#status = status;
    form.querySelector("button").disabled = status === "submitted" || status === "streaming";
  }

  get messages() {
    return this.#messages;
  }

  set messages(messages) {
    this.#messages = messages;
    draw();
  }

  pushMessage = (message) => (this.messages = [...this.#messages, message]);
  popMessage = () => (this.messages = this.#messages.slice(0, -1));
  replaceMessage = (index, message) => (this.messages = this.#messages.with(index, message));
  snapshot = (value) => structuredClone(value);
}

class Chat extends AbstractChat {}

const chat = new Chat({
  id: crypto.randomUUID(),
  state: new State(),
  transport: new DefaultChatTransport({ api: "/api/chat" }),
  // Goes on when the last question has its answer. Calls that wait for it have no output yet.
  sendAutomaticallyWhen: ({ messages }) => {
    const states = (messages.at(-1)?.parts ?? []).map(({ state }) => state);
    return states.includes("approval-responded") && !states.includes("approval-requested");
  },
  onError: (error) => place.append(element("p", `Error: ${error.message}`)),
});

function draw() {
  place.replaceChildren(
    ...chat.messages.flatMap(({ role, parts }) => parts.flatMap((part) => shown(role, part))),
  );
}

function shown(role, part) {
  switch (part.type) {
    case "text":
      return [element("p", `${role}: ${part.text}`)];
    case "dynamic-tool":
      return [shownCall(part)];
    case "data-agent": {
      const calls = part.data.calls.map(({ description, state }) => `${description} (${state})`);
      return [element("p", `${part.data.agentType}: ${part.data.description}: ${calls.join(", ")}`)];
    }
    default:
      return [];
  }
}

function shownCall({ title, state, output, preliminary, approval, errorText }) {
  const line = element("p", `${title}: ${state}`);
  if (preliminary) line.append(` (${output?.text})`);
  else if (state === "output-available") line.append(` = ${output}`);
  if (state === "output-error") line.append(` (${errorText})`);
  if (state === "approval-requested")
    for (const [name, approved] of [
      ["Allow", true],
      ["Deny", false],
    ]) {
      const button = element("button", name);
      button.addEventListener("click", () => chat.addToolApprovalResponse({ id: approval.id, approved }));
      line.append(" ", button);
    }
  return line;
}

function element(name, text) {
  return Object.assign(document.createElement(name), { textContent: text });
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  const text = form.prompt.value;
  form.reset();
  void chat.sendMessage({ text });
});
