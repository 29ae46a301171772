#!/bin/sh
# find.sh DIR -- compresses all logs below DIR, two at a time.
find "$1" -type f -name '*.log' -print0 | jobctl -0 -j 2 gzip -9
