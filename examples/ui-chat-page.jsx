/** The page of the chat: `useChat` of the AI SDK, and a component that draws the parts of its messages. */

import { useChat } from "@ai-sdk/react";
import { useState } from "react";
import { createRoot } from "react-dom/client";

function Chat() {
  const [prompt, setPrompt] = useState("");
  const { messages, status, error, sendMessage, addToolApprovalResponse } = useChat({
    // Goes on when the last question has its answer. Calls that wait for it have no output yet.
    sendAutomaticallyWhen: ({ messages: sent }) => {
      const states = (sent.at(-1)?.parts ?? []).map(({ state }) => state);
      return states.includes("approval-responded") && !states.includes("approval-requested");
    },
  });
  const submit = (event) => {
    event.preventDefault();
    void sendMessage({ text: prompt });
    setPrompt("");
  };
  return (
    <>
      <main>
        {messages.map(({ id, role, parts }) =>
          parts.map((part, at) => (
            <Part key={`${id} ${at}`} role={role} part={part} onAnswer={addToolApprovalResponse} />
          )),
        )}
        {error && <p>Error: {error.message}</p>}
      </main>
      <form onSubmit={submit}>
        <input aria-label="Prompt" value={prompt} onChange={({ target }) => setPrompt(target.value)} />
        <button disabled={status === "submitted" || status === "streaming"}>Send</button>
      </form>
    </>
  );
}

function Part({ role, part, onAnswer }) {
  switch (part.type) {
    case "text":
      return <p>{`${role}: ${part.text}`}</p>;
    case "dynamic-tool":
      return <Call call={part} onAnswer={onAnswer} />;
    case "data-agent": {
      const calls = part.data.calls.map(({ description, state }) => `${description} (${state})`);
      return <p>{`${part.data.agentType}: ${part.data.description}: ${calls.join(", ")}`}</p>;
    }
    default:
      return null;
  }
}

function Call({ call: { title, state, output, preliminary, approval, errorText }, onAnswer }) {
  const answer = (approved) => () => void onAnswer({ id: approval.id, approved });
  return (
    <p>
      {`${title}: ${state}${shownResult({ state, output, preliminary, errorText })}`}
      {state === "approval-requested" && (
        <>
          {" "}
          <button onClick={answer(true)}>Allow</button> <button onClick={answer(false)}>Deny</button>
        </>
      )}
    </p>
  );
}

function shownResult({ state, output, preliminary, errorText }) {
  if (preliminary) return ` (${output?.text})`;
  if (state === "output-available") return ` = ${output}`;
  return state === "output-error" ? ` (${errorText})` : "";
}

createRoot(document.querySelector("#chat")).render(<Chat />);
