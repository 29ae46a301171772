#!/bin/sh
# find-before.sh DIR -- compresses all logs below DIR, one by one.
find "$1" -type f -name '*.log' -exec gzip -9 {} \;
