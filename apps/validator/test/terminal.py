"""Runs a program in a terminal.

Arguments: first, as JSON, pairs of a text to wait for and a text to type; then the program with its words.
"""

import fcntl
import json
import os
import pty
import struct
import sys
import termios

ROWS, COLUMNS = 50, 200

steps = json.loads(sys.argv[1])
child, terminal = pty.fork()
if child == 0:
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    os.execvp(sys.argv[2], sys.argv[2:])

seen = b""
looked = 0
while True:
    try:
        piece = os.read(terminal, 65536)
    except OSError:
        break
    if not piece:
        break
    sys.stdout.buffer.write(piece)
    sys.stdout.buffer.flush()
    seen += piece
    while steps and (at := seen.find(steps[0][0].encode(), looked)) >= 0:
        looked = at + len(steps[0][0].encode())
        os.write(terminal, steps.pop(0)[1].encode())

_, status = os.waitpid(child, 0)
sys.exit(os.waitstatus_to_exitcode(status))
