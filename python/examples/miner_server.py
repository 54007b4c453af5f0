"""Serves a function from prompts to replies like a miner: an OpenAI-compatible endpoint."""

import json
import re
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

MAX_BYTES = 1_000_000
"""Maximum size of a request's body in bytes."""
READ_SECONDS = 60
"""Seconds after which an idle connection is closed."""


def serve(reply_to: Callable[[str], str], port: int) -> None:
    """Answers with the reply to the last message, until Ctrl-C. Port 0 selects a free port."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        timeout = READ_SECONDS

        def do_POST(self) -> None:
            length = self.headers.get("Content-Length")
            if length is None:
                self.refuse(411, "Content-Length expected")
                return
            if re.fullmatch("[0-9]+", length) is None:
                self.refuse(400, "Content-Length expected as a whole number")
                return
            if len(length) > len(str(MAX_BYTES)) or int(length) > MAX_BYTES:
                self.refuse(413, f"at most {MAX_BYTES} bytes expected")
                return
            try:
                prompt = str(json.loads(self.rfile.read(int(length)))["messages"][-1]["content"])
            except (KeyError, IndexError, RecursionError, TypeError, ValueError):
                self.refuse(400, "messages expected")
                return
            message = {"role": "assistant", "content": reply_to(prompt)}
            choice = {"index": 0, "finish_reason": "stop", "message": message}
            self.answer(200, {"object": "chat.completion", "choices": [choice]})

        def refuse(self, status: int, text: str) -> None:
            """Sends an error and closes the connection: the rest of a body is not a request."""
            self.close_connection = True
            self.answer(status, {"error": {"message": text}})

        def answer(self, status: int, body: dict[str, Any]) -> None:
            data = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            if self.close_connection:
                self.send_header("Connection", "close")
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: object) -> None:
            """Logs nothing."""

    ThreadingHTTPServer.request_queue_size = 128
    with ThreadingHTTPServer(("127.0.0.1", port), Handler) as server:
        print(f"serving http://127.0.0.1:{server.server_port}/v1; Ctrl-C ends it", flush=True)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            print()
