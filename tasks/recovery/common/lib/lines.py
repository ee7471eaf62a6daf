"""A server for Unix sockets: one JSON request a line, one JSON answer a line."""

import json
import os
import socketserver


def serve(path, answer, ready):
    """Answers requests at ``path`` until the process ends; one that fails is answered with its error."""

    class Handler(socketserver.StreamRequestHandler):
        def handle(self):
            for line in self.rfile:
                try:
                    reply = answer(json.loads(line))
                except Exception as error:
                    reply = {"error": f"{type(error).__name__}: {error}"}
                self.wfile.write(json.dumps(reply).encode() + b"\n")

    class Server(socketserver.ThreadingUnixStreamServer):
        daemon_threads = True

    if os.path.lexists(path):
        os.unlink(path)
    with Server(path, Handler) as server:
        ready()
        server.serve_forever(poll_interval=0.05)
