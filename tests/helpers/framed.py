#!/usr/bin/env python3
"""A picture of a terminal's screen: lines as screen.py --colours prints them, to SVG."""
import re
import sys
from xml.sax.saxutils import escape

COLUMN, ROW, EDGE = 8.4, 18, 12
COLOURS = {"black": "#555", "red": "#ff6b5e", "green": "#6bd06b", "yellow": "#e5c453",
           "blue": "#6aa5ff", "magenta": "#d58cff", "cyan": "#55cfd0", "white": "#ddd"}


def runs(line):
    """Pieces of a line, each with the names of its attributes."""
    names = ""
    for piece in re.split(r"(\{[a-z ]*\})", line):
        if re.fullmatch(r"\{[a-z ]*\}", piece):
            names = piece[1:-1]
        elif piece:
            yield piece, names.split()


def drawn(piece, names, x, y):
    """One of them, at that place."""
    colour = next((COLOURS[n] for n in names if n in COLOURS), "#ddd")
    if "reverse" in names:
        yield '<rect x="%.1f" y="%.1f" width="%.1f" height="%d" fill="%s"/>' % (
            x, y - ROW * 0.75, len(piece) * COLUMN, ROW, colour)
        colour = "#1c1f24"
    yield '<text x="%.1f" y="%.1f" textLength="%.1f" fill="%s"%s%s>%s</text>' % (
        x, y, len(piece) * COLUMN, colour, ' font-weight="bold"' if "bold" in names else "",
        ' opacity="0.65"' if "dim" in names else "", escape(piece.replace(" ", "\u00a0")))


lines = sys.stdin.read().splitlines()
wide = max(len(re.sub(r"\{[a-z ]*\}", "", line)) for line in lines)
print('<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-size="14" '
      'font-family="monospace">' % (
          wide * COLUMN + 2 * EDGE, len(lines) * ROW + 2 * EDGE))
print('<rect width="100%" height="100%" rx="8" fill="#1c1f24"/>')
for row, line in enumerate(lines):
    x = EDGE
    for piece, names in runs(line):
        for element in drawn(piece, names, x, EDGE + (row + 0.75) * ROW):
            print(element)
        x += len(piece) * COLUMN
print("</svg>")
