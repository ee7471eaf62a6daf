"""Sends a JSON request to a service's socket: python3 lib/ask.py run/NAME.sock '{"...": ...}'"""

import json
import socket
import sys

with socket.socket(socket.AF_UNIX) as connection:
    connection.settimeout(5)
    connection.connect(sys.argv[1])
    connection.sendall(json.dumps(json.loads(sys.argv[2])).encode() + b"\n")
    print(connection.makefile().readline().strip())
