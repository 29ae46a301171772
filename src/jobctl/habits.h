/*
 * Options that people know from xargs(1) and GNU parallel, and that jobctl does not have: what to
 * write instead. All of them are in jobctl-parallel(7).
 */
#define HABITS(REFUSED) \
	{'e', "eof", NULL, "!write -E LINE"}, \
	{'i', "replace", NULL, "!write -I R, or nothing: {} is replaced anyway"}, \
	{'l', NULL, NULL, "!write -L N"}, \
	{'m', NULL, NULL, "!write -X"}, \
	{'o', "open-tty", NULL, "!jobs cannot read the terminal, for there may be many"}, \
	{'p', "interactive", NULL, "!nobody can answer several jobs; --dry-run shows them"}, \
	{'v', NULL, NULL, "!write -t"}, \
	{'x', "exit", NULL, "!write --halt soon: a command that is too long is a job that fails"}, \
	{REFUSED, "block", NULL, HABITS_PIPE}, \
	{REFUSED, "csv", NULL, "!write -C , where no field has a quote"}, \
	{REFUSED, "files", NULL, "!write --results DIR"}, \
	{REFUSED, "header", NULL, "!write: tail -n +2 FILE | jobctl ..."}, \
	{REFUSED, "latest-line", NULL, "!write --line-buffer --tag"}, \
	{REFUSED, "link", NULL, HABITS_LINK}, \
	{REFUSED, "ll", NULL, "!write --line-buffer --tag"}, \
	{REFUSED, "nonall", NULL, HABITS_REMOTE}, \
	{REFUSED, "number-of-cores", NULL, HABITS_CORES}, \
	{REFUSED, "number-of-cpus", NULL, HABITS_CORES}, \
	{REFUSED, "number-of-sockets", NULL, HABITS_CORES}, \
	{REFUSED, "number-of-threads", NULL, HABITS_CORES}, \
	{REFUSED, "onall", NULL, HABITS_REMOTE}, \
	{REFUSED, "pipe", NULL, HABITS_PIPE}, \
	{REFUSED, "pipepart", NULL, HABITS_PIPE}, \
	{REFUSED, "plus", NULL, HABITS_PERL}, \
	{REFUSED, "process-slot-var", NULL, "!the variable is JOBCTL_SLOT"}, \
	{REFUSED, "retry", NULL, "!write --retries N"}, \
	{REFUSED, "retry-failed", NULL, "!write --resume-failed, and the list again"}, \
	{REFUSED, "rpl", NULL, HABITS_PERL}, \
	{REFUSED, "semaphore", NULL, "!write: tokget -N 4 FIFO COMMAND"}, \
	{REFUSED, "shell", "SHELL", "!write: jobctl SHELL -c 'SCRIPT' - ..."}, \
	{REFUSED, "shell-quote", NULL, HABITS_QUOTE}, \
	{REFUSED, "shellquote", NULL, HABITS_QUOTE}, \
	{REFUSED, "show-limits", NULL, "!write: getconf ARG_MAX"}, \
	{REFUSED, "shuf", NULL, "!write: shuf FILE | jobctl ..."}, \
	{REFUSED, "termseq", NULL, "!JOBCTL_GRACE has the seconds between TERM and KILL"}, \
	{REFUSED, "tmux", NULL, "!write --line-buffer --tag, or --results DIR"}, \
	{REFUSED, "trc", NULL, "!files are not copied; write scp or rsync into the job"}, \
	{REFUSED, "trim", NULL, "!write: sed 's/^ *//; s/ *$//' FILE | jobctl ..."}, \
	{REFUSED, "xapply", NULL, HABITS_LINK}

#define HABITS_CORES "!write: nproc, or: getconf _NPROCESSORS_ONLN; or lscpu"

#define HABITS_LINK "!write: paste FILE1 FILE2 | jobctl -C '\\t' ..."
#define HABITS_PERL "!write: jobctl -c 'x={}; ...', where the shell has ${x%.*} and more"
#define HABITS_PIPE \
	"!jobs read /dev/null; write: split -n r/4 --filter=COMMAND FILE, or see jobpool(1)"
#define HABITS_QUOTE "!a line needs no quotes here; write: jobctl --dry-run echo, which shows them"
#define HABITS_REMOTE \
	"!write: jobctl --tag jobat {} COMMAND ::: HOST1 HOST2"

/* Scripts say these to GNU parallel; they change nothing here. */
#define HABITS_GRANTED(GRANTED) \
	{GRANTED, "gnu", NULL, NULL}, \
	{GRANTED, "no-notice", NULL, NULL}, \
	{GRANTED, "plain", NULL, NULL}, \
	{GRANTED, "will-cite", NULL, NULL}
