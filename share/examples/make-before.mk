#!/usr/bin/make -f
# make-before.mk DIR=... -- compresses all logs in DIR, all at once.
.PHONY: logs
logs:
	for file in $(DIR)/*.log; do gzip -9 "$$file" & done; wait
