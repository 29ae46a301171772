#!/usr/bin/env python3
"""A terminal for tests: runs a command on a pty and tells what is on its screen.

usage: screen.py [--size COLSxROWS] STEP... -- COMMAND [ARG...]

Steps are done one after another, each as soon as the one before it is done:

  --until TEXT   wait until TEXT is on the screen (--gone TEXT: until it is not)
  --keys STRING  type STRING; \\r, \\e, \\x03 and so on are understood
  --resize CxR   the window has another size now
  --kill SIGNAL  send SIGNAL to the foreground process group, by name or number
  --run COMMAND  run it by sh, off the screen, and wait for it; TTY is the terminal's name
  --show         print the screen as it is now, then a line of "-"

Options, anywhere before "--":

  --size CxR     of the window at the start (80x24)
  --raw FILE     write all bytes that came from the command there
  --colours      in what is printed, put {bold} and such before each run of characters with such
                 attributes, and {} after it
  --limit SECONDS  for any one step (60): then the screen goes to standard error, status 124

After the last step it waits for the command's end and prints the screen, without blanks at the
ends of lines nor empty lines at its end. A line "[cursor off]", "[alternate screen]" or
"[terminal is raw]" follows where the command has left it so. The status is the command's, or
128 + N. What the emulator does not know is an error, so that no sequence goes unnoticed: status 70.
The command has no shell above it: for Ctrl-Z and fg, run "bash --norc -i".
"""
import errno
import fcntl
import os
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
import unicodedata

SGR = {1: "bold", 2: "dim", 3: "italic", 4: "underline", 7: "reverse", 30: "black", 31: "red",
       32: "green", 33: "yellow", 34: "blue", 35: "magenta", 36: "cyan", 37: "white"}
SGR.update({n + 60: "bright " + SGR[n] for n in range(30, 38)})
SGR_OFF = {22: ("bold", "dim"), 23: ("italic",), 24: ("underline",), 27: ("reverse",)}


class Unknown(Exception):
    """A byte or sequence that no terminal of ours should get."""


def width(char):
    """How many columns a character takes."""
    if unicodedata.combining(char) or unicodedata.category(char) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


class Screen:
    """What is on it: a list of rows, each a list of [text, attributes]; "" follows a wide one."""

    def __init__(self, columns, rows):
        self.columns, self.rows = columns, rows
        self.cells = self.blank()
        self.x = self.y = 0
        self.full = False  # the last column was written: the next character wraps
        self.saved = None  # the main screen, while the alternate one is shown
        self.cursor = True
        self.attributes = ()
        self.rest = b""
        self.clears = self.scrolls = 0

    def blank(self):
        return [self.blank_row() for _ in range(self.rows)]

    def blank_row(self):
        return [[" ", ()] for _ in range(self.columns)]

    def resize(self, columns, rows):
        """As xterm does: what is outside is lost, and the cursor stays within."""
        def fit(cells):
            cells = [row[:columns] + [[" ", ()]] * (columns - len(row)) for row in cells]
            cells = [[list(cell) for cell in row] for row in cells]
            lost = max(0, self.y + 1 - rows)  # lines at the top go first
            cells = cells[lost:lost + rows]
            while len(cells) < rows:
                cells.append([[" ", ()] for _ in range(columns)])
            return cells, lost
        if self.saved:
            self.saved[0] = fit(self.saved[0])[0]
        self.cells, lost = fit(self.cells)
        self.columns, self.rows = columns, rows
        self.x, self.y = min(self.x, columns - 1), min(self.y - lost, rows - 1)
        self.full = False

    def newline(self):
        if self.y < self.rows - 1:
            self.y += 1
        else:
            self.cells = self.cells[1:] + [self.blank_row()]
            self.scrolls += 1

    def put(self, char):
        w = width(char)
        if w == 0:
            x = self.x if self.full else max(0, self.x - 1)
            if self.cells[self.y][x][0] == "" and x > 0:
                x -= 1
            self.cells[self.y][x][0] += char
            return
        if self.full or self.x + w > self.columns:
            self.x, self.full = 0, False
            self.newline()
        row = self.cells[self.y]
        row[self.x] = [char, self.attributes]
        if w == 2:
            row[self.x + 1] = ["", self.attributes]
        self.x += w
        if self.x >= self.columns:
            self.x, self.full = self.columns - 1, True

    def erase(self, row, first, last):
        for x in range(first, last):
            self.cells[row][x] = [" ", ()]

    def control(self, byte):
        if byte == 0x0d:
            self.x, self.full = 0, False
        elif byte == 0x0a:
            self.full = False
            self.newline()
        elif byte == 0x08:
            self.x, self.full = max(0, self.x - 1), False
        elif byte == 0x09:
            self.x = min(self.columns - 1, (self.x // 8 + 1) * 8)
        elif byte != 0x07:
            raise Unknown("byte %#x" % byte)

    def colour(self, numbers):
        on = list(self.attributes)
        for n in numbers:
            if n == 0:
                on = []
            elif n in SGR:
                if n >= 30:
                    on = [a for a in on if a not in [SGR[c] for c in SGR if c >= 30]]
                on.append(SGR[n])
            elif n in SGR_OFF:
                on = [a for a in on if a not in SGR_OFF[n]]
            elif n == 39:
                on = [a for a in on if a not in [SGR[c] for c in SGR if c >= 30]]
            else:
                raise Unknown("SGR %d" % n)
        self.attributes = tuple(sorted(on))

    def mode(self, number, on):
        if number == 25:
            self.cursor = on
        elif number == 1049 and on and not self.saved:
            self.saved = [self.cells, self.x, self.y]
            self.cells = self.blank()
        elif number == 1049 and not on and self.saved:
            self.cells, self.x, self.y = self.saved
            self.saved = None
        elif number not in (7, 1049, 2004):
            raise Unknown("mode %d" % number)
        self.full = False

    def sequence(self, private, text, final):
        numbers = [int(n or 0) for n in text.split(";")] if text else []
        n = max(1, numbers[0]) if numbers else 1
        if final == "m" and not private:
            self.colour(numbers or [0])
        elif private and final in "hl":
            for number in numbers:
                self.mode(number, final == "h")
        elif private:
            raise Unknown("\\e[?%s%s" % (text, final))
        elif final in "Hf":
            place = (numbers + [1, 1])[:2] if numbers else [1, 1]
            self.y = min(max(1, place[0]), self.rows) - 1
            self.x = min(max(1, place[1]), self.columns) - 1
        elif final == "A":
            self.y = max(0, self.y - n)
        elif final == "B":
            self.y = min(self.rows - 1, self.y + n)
        elif final == "C":
            self.x = min(self.columns - 1, self.x + n)
        elif final == "D":
            self.x = max(0, self.x - n)
        elif final == "G":
            self.x = min(n, self.columns) - 1
        elif final == "K" and numbers[:1] in ([], [0]):
            # in the last column, written or not, it erases that one, like xterm
            self.erase(self.y, self.x, self.columns)
        elif final == "K" and numbers[0] == 1:
            self.erase(self.y, 0, self.x + 1)
        elif final == "K" and numbers[0] == 2:
            self.erase(self.y, 0, self.columns)
        elif final == "J" and numbers[:1] in ([], [0]):
            self.erase(self.y, self.x, self.columns)
            for row in range(self.y + 1, self.rows):
                self.erase(row, 0, self.columns)
        elif final == "J" and numbers[0] in (2, 3):
            self.cells = self.blank()
            self.clears += 1
        else:
            raise Unknown("\\e[%s%s" % (text, final))
        if final not in "mhl":
            self.full = False

    def feed(self, data):
        """Takes bytes; an incomplete sequence or character waits for its rest."""
        data, self.rest = self.rest + data, b""
        i = 0
        while i < len(data):
            byte = data[i]
            if byte == 0x1b:
                if data[i + 1:i + 2] == b"[":
                    found = re.compile(rb"\x1b\[(\??)([0-9;]*)([@-~])").match(data, i)
                    if not found and len(data) - i < 32:
                        self.rest = data[i:]
                        return
                    if not found:
                        raise Unknown(repr(data[i:i + 16]))
                    self.sequence(*(g.decode() for g in found.groups()))
                    i = found.end()
                elif len(data) == i + 1:
                    self.rest = data[i:]
                    return
                elif data[i + 1:i + 2] in (b"7", b"8"):
                    i += 2
                else:
                    raise Unknown(repr(data[i:i + 16]))
            elif byte < 0x20 or byte == 0x7f:
                self.control(byte)
                i += 1
            else:
                n = 1 if byte < 0x80 else 2 if byte < 0xe0 else 3 if byte < 0xf0 else 4
                if len(data) - i < n:
                    self.rest = data[i:]
                    return
                try:
                    char = data[i:i + n].decode("utf-8")
                except UnicodeDecodeError:
                    raise Unknown("no UTF-8: %r" % data[i:i + n])
                if 0x80 <= ord(char) < 0xa0:
                    raise Unknown("control U+%04x" % ord(char))
                self.put(char)
                i += n

    def lines(self, colours=False):
        lines = []
        for row in self.cells:
            text, now = "", ()
            for char, attributes in row:
                if colours and attributes != now:
                    text += "{%s}" % " ".join(attributes)
                    now = attributes
                text += char
            lines.append((text + ("{}" if now else "")).rstrip())
        while lines and not lines[-1]:
            lines.pop()
        return lines

    def text(self, colours=False):
        return "\n".join(self.lines(colours))


class Command:
    """The command on its pty, and what it does to the screen."""

    def __init__(self, options, argv):
        self.options = options
        self.screen = Screen(*options["size"])
        self.raw = open(options["raw"], "wb", buffering=0) if options["raw"] else None
        self.fd, self.slave = os.openpty()  # the slave stays open: its settings are looked at
        set_size(self.fd, *options["size"])
        self.name = os.ttyname(self.slave)
        self.cooked = termios.tcgetattr(self.slave)
        self.status = None
        self.pid = os.fork()
        if self.pid == 0:
            os.close(self.fd)
            self.become(argv)

    def become(self, argv):
        os.setsid()
        fcntl.ioctl(self.slave, termios.TIOCSCTTY, 0)
        for fd in (0, 1, 2):
            os.dup2(self.slave, fd)
        os.close(self.slave)
        for sig in (signal.SIGPIPE, signal.SIGXFSZ):
            signal.signal(sig, signal.SIG_DFL)
        os.environ.setdefault("TERM", "xterm")
        for name in ("LINES", "COLUMNS"):
            os.environ.pop(name, None)
        try:
            os.execvp(argv[0], argv)
        except OSError as error:
            os.write(2, ("%s: %s\n" % (argv[0], error.strerror)).encode())
            os._exit(127)

    def wait(self):
        if self.status is not None:
            return
        pid, status = os.waitpid(self.pid, os.WNOHANG)
        if pid != 0:
            self.status = (os.WEXITSTATUS(status) if os.WIFEXITED(status)
                           else 128 + os.WTERMSIG(status))

    def read(self, seconds):
        """What has come; 0 when there was nothing."""
        if not select.select([self.fd], [], [], seconds)[0]:
            return 0
        try:
            data = os.read(self.fd, 65536)
        except OSError as error:
            if error.errno != errno.EIO:
                raise
            data = b""
        if self.raw:
            self.raw.write(data)
        self.screen.feed(data)
        return len(data)

    def until(self, true, what):
        end = time.monotonic() + self.options["limit"]
        while True:
            self.wait()
            ended = self.status is not None
            came = self.read(0 if ended else 0.02)
            if came == 0 and true():
                return
            if came > 0 and not ended and what.startswith("--until") and true():
                return
            if came == 0 and ended:
                self.give_up("the command ended with %d before %s" % (self.status, what))
            if time.monotonic() > end:
                self.give_up("never came: %s" % what)

    def give_up(self, why):
        sys.stderr.write("screen.py: %s\n%s\n" % (why, self.screen.text()))
        try:
            os.kill(self.pid, signal.SIGKILL)
        except OSError:
            pass
        sys.exit(124)

    def foreground(self):
        return struct.unpack("i", fcntl.ioctl(self.fd, termios.TIOCGPGRP, b"\0" * 4))[0]

    def step(self, kind, text):
        screen = self.screen
        if kind == "--until":
            self.until(lambda: text in screen.text(), "--until " + text)
        elif kind == "--gone":
            self.until(lambda: text not in screen.text(), "--gone " + text)
        elif kind == "--keys":
            os.write(self.fd, unescaped(text))
        elif kind == "--resize":
            screen.resize(*size(text))
            set_size(self.fd, *size(text))
        elif kind == "--kill":
            number = int(text) if text.isdigit() else getattr(signal, "SIG" + text)
            os.killpg(self.foreground(), number)
        elif kind == "--run":
            subprocess.run(["sh", "-c", text], env=dict(os.environ, TTY=self.name), check=True,
                           stdin=subprocess.DEVNULL)
        elif kind == "--show":
            while self.read(0):
                pass
            print(screen.text(self.options["colours"]) + "\n-", flush=True)

    def finish(self):
        self.until(lambda: self.status is not None, "its end")
        print(self.screen.text(self.options["colours"]))
        if not self.screen.cursor:
            print("[cursor off]")
        if self.screen.saved:
            print("[alternate screen]")
        if termios.tcgetattr(self.slave)[:4] != self.cooked[:4]:
            print("[terminal is raw]")
        sys.stdout.flush()
        return self.status


def unescaped(text):
    names = {"\\r": "\r", "\\n": "\n", "\\t": "\t", "\\e": "\033", "\\\\": "\\"}
    return re.sub(r"\\x[0-9a-fA-F]{2}|\\.", lambda m: names.get(m[0]) or chr(int(m[0][2:], 16)),
                  text).encode("latin-1")


def size(text):
    columns, rows = text.split("x")
    return int(columns), int(rows)


def set_size(fd, columns, rows):
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))


def arguments(argv):
    options = {"size": (80, 24), "raw": None, "colours": False, "limit": 60.0}
    steps = []
    while argv and argv[0] != "--":
        word = argv.pop(0)
        if word == "--show":
            steps.append((word, None))
        elif word == "--colours":
            options["colours"] = True
        elif word in ("--until", "--gone", "--keys", "--resize", "--kill", "--run"):
            steps.append((word, argv.pop(0)))
        elif word == "--size":
            options["size"] = size(argv.pop(0))
        elif word == "--raw":
            options["raw"] = argv.pop(0)
        elif word == "--limit":
            options["limit"] = float(argv.pop(0))
        else:
            sys.exit("screen.py: %s?\n%s" % (word, __doc__))
    if len(argv) < 2:
        sys.exit(__doc__)
    return options, steps, argv[1:]


def main():
    options, steps, argv = arguments(sys.argv[1:])
    sys.stdout.reconfigure(encoding="utf-8", errors="replace")
    command = Command(options, argv)
    try:
        for kind, text in steps:
            command.step(kind, text)
        return command.finish()
    except Unknown as what:
        sys.stderr.write("screen.py: the terminal does not know %s\n%s\n" %
                         (what, command.screen.text()))
        os.kill(command.pid, signal.SIGKILL)
        return 70


sys.exit(main())
