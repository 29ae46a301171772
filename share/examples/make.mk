#!/usr/bin/make -f
# make.mk DIR=... -- compresses all logs in DIR, two at a time.
.PHONY: logs
logs:
	. jobctl.sh; jobctl_open 2; \
	for file in $(DIR)/*.log; do jobctl_run gzip -9 "$$file"; done; \
	jobctl_close
