# A log of jobs whose lines are objects of JSON.

# members FILE -- the values of each object but the times, the command as bytes, and its names
members()
{
	python3 -c 'import json, sys
for line in open(sys.argv[1], encoding="utf-8", newline="\n"):
    o = json.loads(line)
    names = " ".join(o)
    command = o["command"].encode()
    if "command_hex" in o:
        command = bytes.fromhex(o["command_hex"])
        assert "\ufffd" in o["command"]
    assert type(o["start"]) is float and o["start"] > 1e9 and type(o["seconds"]) is float
    numbers = (o[n] for n in ("send", "receive", "exit", "signal"))
    print(o["seq"], o["host"], *numbers, command, names)' "$1"
}

# commands FILE -- the commands of a log as bytes, each ended by a NUL
commands()
{
	python3 -c 'import json, sys
for line in open(sys.argv[1], encoding="utf-8", newline="\n"):
    o = json.loads(line)
    raw = bytes.fromhex(o["command_hex"]) if "command_hex" in o else o["command"].encode()
    sys.stdout.buffer.write(raw + b"\0")' "$1"
}
