"""Drives the `runahead` program: writes prompts as JSON lines to its stdin, and reads events as JSON lines from its stdout.

    python3 examples/stream_json.py "What is in this folder?" "And what is missing?"
"""

import json
import subprocess
import sys

FLAGS = ["--input-format", "stream-json", "--output-format", "stream-json", "--allowedTools", "Read,Grep,Glob"]


def ask(runahead, content):
    """Returns the last line of the answer: the result."""
    message = {"type": "user", "message": {"role": "user", "content": content}}
    runahead.stdin.write(json.dumps(message) + "\n")
    runahead.stdin.flush()
    for text in runahead.stdout:
        line = json.loads(text)
        if line["type"] == "result":
            return line
        if line["type"] == "assistant":
            for block in line["message"]["content"]:
                if block["type"] == "tool_use":
                    print("→", block["name"])
    raise RuntimeError("runahead ended without a result")


pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True, "encoding": "utf-8"}
with subprocess.Popen(["runahead", "-p", *FLAGS], **pipes) as runahead:
    for prompt in sys.argv[1:]:
        answer = ask(runahead, prompt)
        print(answer["result"])
        for denial in answer["permission_denials"]:
            print(denial["tool_name"], "was not allowed")
    runahead.stdin.close()
    code = runahead.wait()
sys.exit(code)
