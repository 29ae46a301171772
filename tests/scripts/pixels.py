# pixels.py FILE X,Y... -- the colours there in a PNG of 8 bits, as "blue", "red", "yellow",
# "black", "grey" or "white", a line each
import struct
import sys
import zlib


def chunks(data):
    at = 8
    while at < len(data):
        length, = struct.unpack('>I', data[at:at + 4])
        yield data[at + 4:at + 8], data[at + 8:at + 8 + length]
        at += 12 + length


def predict(kind, left, up, corner):
    if kind == 4:
        guess = left + up - corner
        return min((abs(guess - left), 0, left), (abs(guess - up), 1, up),
                   (abs(guess - corner), 2, corner))[2]
    return (0, left, up, (left + up) // 2)[kind]


def rows(raw, width, size):
    above = bytearray(width * size)
    for at in range(0, len(raw), width * size + 1):
        kind, line = raw[at], bytearray(raw[at + 1:at + 1 + width * size])
        for i, byte in enumerate(line):
            left = line[i - size] if i >= size else 0
            corner = above[i - size] if i >= size else 0
            line[i] = (byte + predict(kind, left, above[i], corner)) & 255
        yield line
        above = line


def name(red, green, blue):
    if max(red, green, blue) - min(red, green, blue) < 30:
        return 'white' if red > 250 else 'black' if red < 90 else 'grey'
    return 'blue' if blue > red else 'red' if green * 2 < red else 'yellow'


found = {}
for kind, body in chunks(open(sys.argv[1], 'rb').read()):
    found[kind] = found.get(kind, b'') + body
width, height, depth, colours = struct.unpack('>IIBB', found[b'IHDR'][:10])
assert depth == 8 and colours in (2, 6)
size = 3 if colours == 2 else 4
image = list(rows(zlib.decompress(found[b'IDAT']), width, size))
for place in sys.argv[2:]:
    x, y = (int(n) for n in place.split(','))
    print(name(*image[y][x * size:x * size + 3]))
