"""Serves a function from prompts to replies as a miner does: an OpenAI-compatible endpoint."""

import json
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

MOST_BYTES = 1_000_000


def serve(reply_to: Callable[[str], str], port: int) -> None:
    """Answers with the reply to the last message, until Ctrl-C. Port 0 takes any that is free."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            try:
                size = min(int(self.headers["Content-Length"]), MOST_BYTES)
                prompt = str(json.loads(self.rfile.read(size))["messages"][-1]["content"])
            except (KeyError, IndexError, TypeError, ValueError):
                self.answer(400, {"error": {"message": "messages expected"}})
                return
            message = {"role": "assistant", "content": reply_to(prompt)}
            choice = {"index": 0, "finish_reason": "stop", "message": message}
            self.answer(200, {"object": "chat.completion", "choices": [choice]})

        def answer(self, status: int, body: dict[str, Any]) -> None:
            data = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: object) -> None:
            """Says nothing."""

    ThreadingHTTPServer.request_queue_size = 128
    with ThreadingHTTPServer(("127.0.0.1", port), Handler) as server:
        print(f"serving http://127.0.0.1:{server.server_port}/v1; Ctrl-C ends it", flush=True)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            print()
