#!/usr/bin/env python3
"""python-dotenv as a subject of the conformance suite (PROTOCOL.md).

    cargo xtask conformance --subject 'python3 conformance/adapters/python_dotenv.py' \
        --expectations conformance/adapters/python_dotenv.yaml

It can be asked what a `.env` text assigns, with interpolation off, and nothing else.
"""

import base64
import io
import json
import sys
from importlib.metadata import version

from dotenv import dotenv_values


def started(_):
    return {"started": {"name": "python-dotenv", "version": version("python-dotenv"), "capabilities": ["parse-dotenv"]}}


def ran(assignment):
    outcomes = {}
    for step in assignment["do"]:
        parse = step["parse_dotenv"]
        text = parse["text"] if "text" in parse else base64.b64decode(parse["base64"])
        try:
            if isinstance(text, bytes):
                text = text.decode("utf-8-sig")
            entries = dotenv_values(stream=io.StringIO(text, newline=""), interpolate=False)
            outcomes[parse["as"]] = {"value": {key: value for key, value in entries.items() if value is not None}}
        except UnicodeDecodeError:
            outcomes[parse["as"]] = {"error": "encoding"}
    return {"ran": {"outcomes": outcomes}}


def stopped(_):
    return {"stopped": {}}


def main():
    answers = {"start": started, "run": ran, "stop": stopped}
    for line in sys.stdin:
        request = json.loads(line)
        (kind, asked), = request["ask"].items()
        print(json.dumps({"seq": request["seq"], "answer": answers[kind](asked)}), flush=True)
        if kind == "stop":
            break


if __name__ == "__main__":
    main()
